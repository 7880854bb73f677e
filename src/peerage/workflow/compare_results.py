"""What changed between two results of a class, and why."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.results.results import Results
from peerage.results.schema import CHANGES
from peerage.term.changes import GradeChange, changes_between, changes_table
from peerage.term.compared_results import Side


@dataclass(frozen=True, eq=False)
class Comparison:
    """The later results with a table of changes, and these with the kinds of their reasons."""

    results: Results
    changes: tuple[GradeChange, ...]
    n_before: int

    @property
    def n_after(self) -> int:
        """How many grades there are now."""
        return len(self.results.grades)


def compare(old: Results, new: Results) -> Comparison:
    """Which grades of the new results are not those of the old ones."""
    changes = changes_between(Side.of(old), Side.of(new))
    return Comparison(new.with_table(CHANGES, changes_table(changes)), tuple(changes), len(old.grades))
