"""What can be wrong with single cells: ids that are empty or cannot be kept, grades that are not numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.formats.rows.entries import Entries
from peerage.rubric import FORBIDDEN
from peerage.tables.column import Column

Mask = NDArray[np.bool_]


def id_problems(entries: Entries) -> Iterable[Problem]:
    """Ids and components that are empty, and names that hold characters that no file can keep."""
    for name, column in (("submission", entries.submission), ("grader", entries.grader)):
        yield from name_problems(entries, name, column, f"give each row the id of its {name}, or remove the row")
    for name, column in (("assignment", entries.assignment), ("author", entries.author)):
        yield from _forbidden(entries, name, column)
    rows = entries.row_of[entries.component.blank]
    yield from entries.problems(rows, "the component is empty", "name the component that was graded")


def name_problems(entries: Entries, name: str, column: Column, remedy: str) -> Iterable[Problem]:
    """Cells of a column of names that are empty, for which there is a remedy, or that no file can keep."""
    yield from entries.problems(np.flatnonzero(column.blank), f"the {name} is empty", remedy)
    yield from _forbidden(entries, name, column)


def grade_problems(entries: Entries, numbers: NDArray[np.float64]) -> Iterable[Problem]:
    """Grades that are not finite numbers."""
    for cell in np.flatnonzero(~np.isfinite(numbers)):
        message = f"the grade {entries.grade[cell]!r} of {entries.component[cell]!r} is not a number"
        remedy = "write a number, or leave the cell empty if nothing was graded"
        yield entries.problem(entries.row_of[cell], message, remedy, setting="interactive")


def sound_cells(entries: Entries, numbers: NDArray[np.float64]) -> Mask:
    """The grade cells that say who graded which component of what, and how."""
    has_ids = ~(entries.submission.blank | entries.grader.blank)
    return np.isfinite(numbers) & ~entries.component.blank & has_ids[entries.row_of]


def _forbidden(entries: Entries, name: str, column: Column) -> Iterable[Problem]:
    for row in np.flatnonzero(column.where(lambda text: FORBIDDEN.search(text) is not None)):
        yield entries.problem(row, f"the {name} {column[row]!r} holds a control character", "remove it")
