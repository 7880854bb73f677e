"""A gradebook as a file that :func:`peerage.read_grades` reads back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from peerage.errors import InputError, Problem
from peerage.gradebook.rulings import SelfGrade
from peerage.rubric import RUBRIC_NAME, Rubric
from peerage.tables.known_columns import FIELDS, fold
from peerage.tables.writing_tables import write_table

GRADES_NAME = "peer_grades.csv"
"""What a file of grades is called, unless somebody calls it otherwise."""


def write_grades(table: pd.DataFrame, rubric: Rubric, path: Path, *, wide: bool, with_rubric: bool) -> None:
    """Write a gradebook's table by the path's suffix and, on request, its rubric beside it."""
    clashes = [name for name in rubric.names if fold(name) in FIELDS and fold(name) != "grade"]
    if wide and clashes:
        message = f"a component called {clashes[0]!r} cannot be a column of the wide form"
        raise InputError(Problem(message, "write the long form", path.name))
    for name in rubric.names if wide else ("grade",):
        table[name] = _without_needless_decimals(table[name])
    if "time" in table:
        table["time"] = table["time"].map(lambda time: "" if pd.isna(time) else time.isoformat())
    write_table(table, path)
    if with_rubric:
        path.with_name(RUBRIC_NAME).write_text(rubric.to_toml(), encoding="utf-8")


def with_self_grades(table: pd.DataFrame, own: Sequence[SelfGrade], *, wide: bool) -> pd.DataFrame:
    """A gradebook's table and, below it, what authors gave their own work, which a reader keeps apart again."""
    if not own:
        return table
    rows = pd.DataFrame(own, columns=list(SelfGrade._fields))
    if wide:
        ids = ["submission", "grader"]
        rows = rows.pivot_table(index=ids, columns="component", values="grade", aggfunc="last").reset_index()
    first = table.drop_duplicates("submission").set_index("submission")
    rows = rows.join(first[[name for name in ("assignment", "author") if name in table]], on="submission")
    roles = dict(zip(table["grader"], table["role"], strict=True))
    rows["role"] = [roles.get(grader, "") for grader in rows["grader"]]
    return pd.concat([table, rows], ignore_index=True)


def _without_needless_decimals(grades: pd.Series[float]) -> pd.Series[float] | pd.Series[int]:
    """Whole grades as integers, so that a file says 3 and not 3.0."""
    is_whole = bool((np.mod(grades.dropna(), 1) == 0).all())
    return grades.astype("Int64") if is_whole else grades
