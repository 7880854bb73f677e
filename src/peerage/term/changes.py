"""What changed between two results of one class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from peerage.results.schema import CHANGES
from peerage.rubric import tidy
from peerage.term.change_reasons import ChangeReasons
from peerage.term.compared_results import Side


@dataclass(frozen=True)
class GradeChange:
    """A grade that is not what it was; one of the two is None where there is no grade.

    ``kinds`` are those of the reasons, of which ``why`` has the words.
    """

    submission: str
    component: str
    before: float | None
    after: float | None
    why: str
    kinds: tuple[str, ...]


def changes_between(old: Side, new: Side) -> list[GradeChange]:
    """Every grade that differs, in the order of the new result; grades that are gone come last."""
    reasons = ChangeReasons(old, new)
    found = []
    for cell in dict.fromkeys((*new.grades, *old.grades)):
        before, after = old.grades.get(cell), new.grades.get(cell)
        if before != after:
            said = reasons.of(cell)
            why, kinds = "; ".join(reason.words for reason in said), tuple(reason.kind for reason in said)
            found.append(GradeChange(*cell, _tidy(before), _tidy(after), why, kinds))
    return found


def changes_table(changes: Sequence[GradeChange]) -> pd.DataFrame:
    """The changes as a table of results."""
    return pd.DataFrame({name: [getattr(change, name) for change in changes] for name in CHANGES.names}, dtype=object)


def kinds_of(changes: Sequence[GradeChange]) -> dict[str, int]:
    """How many changes have a reason of each kind, the commonest first; new and lost grades are no changes here."""
    moved = (change for change in changes if change.before is not None and change.after is not None)
    return dict(Counter(kind for change in moved for kind in dict.fromkeys(change.kinds)).most_common())


def _tidy(grade: float | None) -> float | None:
    return None if grade is None else tidy(grade)
