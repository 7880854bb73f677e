"""What is left out of the files before a class is made of them: excluded reviews, and what came after some time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from peerage.formats.deadlines import Until
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings
from peerage.formats.staff.exclusions import Exclusions
from peerage.gradebook.rulings import Exclusion


@dataclass(frozen=True)
class Cut:
    """All that is left out."""

    exclusions: Exclusions = field(default_factory=Exclusions)
    until: Until | None = None

    def check(self, entries: Entries) -> None:
        """Refuse rules that have nothing to do with all that the files hold."""
        self.exclusions.check(entries)
        if self.until is not None:
            self.until.check(entries)

    def respelt(self, entries: Entries) -> Cut:
        """The same with names as the entries spell them."""
        return replace(self, exclusions=self.exclusions.respelt(entries))

    def within(self, entries: Entries) -> Cut:
        """The same without the exclusions that are about other classes."""
        return replace(self, exclusions=self.exclusions.within(entries))

    def apply(self, entries: Entries, found: Findings) -> tuple[Entries, tuple[Exclusion, ...]]:
        """What is left, and the exclusions with the number of reviews that each took out."""
        entries, excluded = self.exclusions.apply(entries, found)
        return entries if self.until is None else self.until.apply(entries, found), excluded


NOTHING = Cut()
"""The cut that leaves everything."""
