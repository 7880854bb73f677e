"""What changed between two results of a class, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from peerage.errors import Problem
from peerage.results.results import Results
from peerage.results.schema import CHANGES
from peerage.results.several_classes_results import SeveralResults
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


class ResultsPair(NamedTuple):
    """Two results of a class, and the folder of the later ones."""

    before: Results
    after: Results
    folder: Path


@dataclass(frozen=True, eq=False)
class ComparableResults:
    """What of two folders can be compared: by class, or under no name if they do not tell classes apart by a column."""

    by_class: Mapping[str, ResultsPair]
    by: str = ""
    notices: tuple[Problem, ...] = ()


def pairs_in(old: Path, new: Path) -> ComparableResults:
    """The results in two folders, or those of each class that both have; others are noted."""
    before, after = SeveralResults.read(old), SeveralResults.read(new)
    if before.by != after.by or not after.classes:
        return ComparableResults({"": ResultsPair(Results.read(old), Results.read(new), new)})
    alone = sorted(before.classes.keys() ^ after.classes.keys())
    return ComparableResults(
        {
            name: ResultsPair(before.classes[name], results, new / after.folders[name])
            for name, results in after.classes.items()
            if name in before.classes
        },
        after.by,
        tuple(Problem(f"{after.by} {name!r} is only in {old if name in before.classes else new}") for name in alone),
    )


def compare(old: Results, new: Results) -> Comparison:
    """Which grades of the new results are not those of the old ones."""
    changes = changes_between(Side.of(old), Side.of(new))
    return Comparison(new.with_table(CHANGES, changes_table(changes)), tuple(changes), len(old.grades))
