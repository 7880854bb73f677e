"""Real classes in folders, which are not part of this package, and what their staff gave.

A folder holds tables of grades, ``…_grades.csv``, and may hold ``staff_grades.csv`` (submission, and the grade in the
next column), which no fit sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import peerage as pg

STAFF = "staff_grades.csv"


@dataclass(frozen=True)
class RealSet:
    """A table of grades, and the staff's file if there is one."""

    path: Path

    @property
    def name(self) -> str:
        """The folder, and which of its tables, if it has several."""
        which = self.path.name.removesuffix("_grades.csv")
        return self.path.parent.name if which == "peer" else f"{self.path.parent.name}/{which}"

    def read(self) -> pg.Gradebook:
        """The grades by peers; where somebody graded a work twice, the later ones."""
        return pg.read_grades(self.path, duplicates="last")

    def staff(self) -> pd.Series[float] | None:
        """What staff gave, by submission."""
        path = self.path.with_name(STAFF)
        if not path.exists():
            return None
        return pd.read_csv(path, dtype={"submission": str}).set_index("submission").iloc[:, 0].dropna()


def real_sets(folder: Path) -> Iterator[RealSet]:
    """All sets in a folder or below it."""
    for path in sorted(folder.rglob("*_grades.csv")):
        if path.name != STAFF:
            yield RealSet(path)
