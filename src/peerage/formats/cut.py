"""What is left out of the files before a class is made of them: excluded reviews, and what came after some time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.entries import Entries
from peerage.formats.exclusions import Exclusions
from peerage.formats.findings import Findings, NothingLeftError
from peerage.formats.placing import time_of
from peerage.rulings import Exclusion
from peerage.wording import counted, quoted


@dataclass(frozen=True)
class Until:
    """The last moment that counts, and how the user wrote it."""

    last: np.datetime64
    text: str

    @classmethod
    def parse(cls, text: str) -> Until:
        """A day, all of which counts, or a time."""
        last = time_of(text.strip())
        if np.isnat(last):
            raise InputError(Problem(f"--until: {text!r} is no time", "write it as 2024-09-30 or 2024-09-30 17:05"))
        if _is_day(text.strip()):
            last = last + np.timedelta64(1, "D") - np.timedelta64(1, "us")
        return cls(last, text.strip())

    def check(self, entries: Entries) -> None:
        """Refuse files that do not say when anything was written."""
        if np.isnat(_times(entries)).all():
            files = ", ".join(filter(None, entries.files))
            raise InputError(Problem("says nowhere when a review was written", "add a column time", files))

    def apply(self, entries: Entries, found: Findings) -> Entries:
        """What was written by then; what does not say when it was written stays."""
        times = _times(entries)
        late, unknown = times > self.last, np.isnat(times)
        if unknown.any():
            found.note(f"{counted(entries.n_reviews(unknown), 'review')} without a time kept, whatever --until says")
        if not late.any():
            found.note(f"no review was written after {self.text}")
            return entries
        if late.all():
            raise NothingLeftError(Problem(f"--until: every review was written after {self.text}", "give a later time"))
        graders = quoted(dict.fromkeys(entries.grader[row] for row in np.flatnonzero(late)))
        found.note(f"{counted(entries.n_reviews(late), 'review')} written after {self.text} left out, by {graders}")
        return entries.select(~late)


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

    def within(self, entries: Entries) -> Cut:
        """The same without the exclusions that are about other classes."""
        return replace(self, exclusions=self.exclusions.within(entries))

    def apply(self, entries: Entries, found: Findings) -> tuple[Entries, tuple[Exclusion, ...]]:
        """What is left, and the exclusions with the number of reviews that each took out."""
        entries, excluded = self.exclusions.apply(entries, found)
        return entries if self.until is None else self.until.apply(entries, found), excluded


NOTHING = Cut()
"""The cut that leaves everything."""


def _times(entries: Entries) -> NDArray[np.datetime64]:
    """When each row was written; not a time where it does not say."""
    return np.array([time_of(text) for text in entries.time.values], dtype="datetime64[us]")[entries.time.codes]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
