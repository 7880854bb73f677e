"""Classes of which published figures are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import peerage as pg
from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Method

SCORES = pg.Rubric.uniform(["total"], range(1, 26))
"""The scale of the MOOC's assignment: 1 to 25."""


def reports_of(rows: list[tuple[str, str, float]]) -> tuple[ItemReports, list[str]]:
    """ItemReports from rows of (grader, item, value), as they are, and the items' names."""
    graders, items = list(dict.fromkeys(row[0] for row in rows)), list(dict.fromkeys(row[1] for row in rows))
    nobody = np.zeros(0, np.int64)
    reports = ItemReports(
        item=np.array([items.index(row[1]) for row in rows]),
        grader=np.array([graders.index(row[0]) for row in rows]),
        value=np.array([row[2] for row in rows]),
        level=np.array([int(row[2]) for row in rows]),
        ladder=(np.arange(26.0),),
        n_items=len(items),
        n_graders=len(graders),
        component=np.zeros(len(items), np.int64),
        assignment=np.zeros(len(items), np.int64),
        written_by=nobody,
        written=nobody,
        is_staff=np.zeros(len(graders), bool),
    )
    return reports, items


def mooc(folder: Path) -> tuple[pg.Gradebook, pd.Series[float]]:
    """One assignment of a MOOC, and staff's grades of 23 submissions (Mi and Yeung 2015)."""
    book = pg.read_grades(folder / "mooc-assignment3" / "peer_grades.csv", rubric=SCORES)
    staff = pd.read_csv(folder / "mooc-assignment3" / "staff_grades.csv", dtype={"submission": str})
    return book, staff.set_index("submission")["grade"].astype(float)


def error(folder: Path, method: Method, seed: int = 0) -> float:
    """The root mean squared error of a method on the MOOC's assignment."""
    book, staff = mooc(folder)
    grades = method.aggregate(book, seed=seed).grades().set_index("submission")["grade"]
    return float(np.sqrt(((grades.reindex(staff.index) - staff) ** 2).mean()))
