"""A gradebook as a file that :func:`peerage.read_grades` reads back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats.names import FIELDS, fold
from peerage.formats.read import RUBRIC_NAME
from peerage.formats.tables import write_table
from peerage.gradebook import Gradebook


def write_grades(book: Gradebook, path: Path, *, wide: bool = False, rubric: bool = False) -> None:
    """Write the grades by the path's suffix and, on request, the rubric beside them."""
    clashes = [name for name in book.rubric.names if fold(name) in FIELDS and fold(name) != "grade"]
    if wide and clashes:
        message = f"a component called {clashes[0]!r} cannot be a column of the wide form"
        raise InputError(Problem(message, "write the long form", path.name))
    table = book.table(wide=wide)
    for name in book.rubric.names if wide else ("grade",):
        table[name] = _without_needless_decimals(table[name])
    if "time" in table:
        table["time"] = table["time"].map(lambda time: "" if pd.isna(time) else time.isoformat())
    write_table(table, path)
    if rubric:
        path.with_name(RUBRIC_NAME).write_text(book.rubric.to_toml(), encoding="utf-8")


def _without_needless_decimals(grades: pd.Series[float]) -> pd.Series[float] | pd.Series[int]:
    """Whole grades as integers, so that a file says 3 and not 3.0."""
    is_whole = bool((np.mod(grades.dropna(), 1) == 0).all())
    return grades.astype("Int64") if is_whole else grades
