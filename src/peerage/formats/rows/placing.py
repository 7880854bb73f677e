"""Placing grades on a rubric: each grade cell becomes a level of a component, or a problem."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, SupportsIndex

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.rows import inferred_scale
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings
from peerage.formats.rows.repeated_grades import Reports
from peerage.rubric import Rubric
from peerage.support.wording import counted, listed, quoted
from peerage.tables.known_columns import fold

Indexes = NDArray[np.integer[Any]]
Values = NDArray[np.float64]


def inferred_rubric(entries: Entries, numbers: Values, cells: Indexes, found: Findings) -> Rubric:
    """The rubric that the grades in some cells suggest."""
    components = entries.component.take(cells)
    seen = {components.values[code]: numbers[cells[components.codes == code]] for code in pd.unique(components.codes)}
    try:
        rubric, notices = inferred_scale.infer_rubric(seen)
    except InputError as error:
        files = ", ".join(filter(None, entries.files))
        raise InputError([*found.problems, *(replace(problem, file=files) for problem in error.problems)]) from None
    found.notices += notices
    return rubric


def place(entries: Entries, rubric: Rubric, numbers: Values, cells: Indexes, snap: bool, found: Findings) -> Reports:
    """The grades in some cells as reports; those that are off the rubric are moved if ``snap``, else problems."""
    component = _components(entries, rubric, cells, found)
    cells, component = cells[component >= 0], component[component >= 0]
    level = np.zeros(len(cells), dtype=np.intp)
    legal = np.ones(len(cells), dtype=bool)
    for index, scale_of in enumerate(rubric.components):
        here = component == index
        level[here], legal[here] = inferred_scale.levels_of(scale_of, numbers[cells[here]])
    off = np.flatnonzero(~legal)
    if snap:
        moves = [_move(entries, rubric, cells[place], component[place], level[place]) for place in off]
        if moves:
            found.note(f"{counted(len(moves), 'grade')} moved to the nearest legal grade: {listed(moves)}")
    else:
        found.problems += (_off_rubric(entries, rubric, cells[place], component[place]) for place in off)
        cells, component, level = cells[legal], component[legal], level[legal]
    at = entries.row_of[cells]
    time = _times(entries, found)[at]
    return Reports(at, entries.submission.codes[at], entries.grader.codes[at], component, level, time)


def _components(entries: Entries, rubric: Rubric, cells: Indexes, found: Findings) -> Indexes:
    """The rubric's component of each cell; -1, and a problem, where the rubric has none of that name."""
    exact = {name: index for index, name in enumerate(rubric.names)}
    folded = {fold(name): index for name, index in exact.items()}
    column = entries.component.take(cells)
    known = np.array([exact.get(name, folded.get(fold(name), -1)) for name in column.values])
    component = known[column.codes]
    remedy = f"correct the name or add it to the rubric, which has {', '.join(rubric.names)}"
    for place in np.flatnonzero(component < 0):
        message = f"the component {column[place]!r} is not in the rubric"
        found.problems.append(entries.problem(entries.row_of[cells[place]], message, remedy))
    return component


def _off_rubric(entries: Entries, rubric: Rubric, cell: SupportsIndex, component: int) -> Problem:
    scale_of = rubric.components[component]
    message = f"the grade {entries.grade[cell].strip()} of {scale_of.name!r} is not on the rubric ({scale_of.legend})"
    remedy = "correct it, or move such grades to the nearest legal grade"
    return entries.problem(entries.row_of[cell], message, remedy, setting="snap")


def _move(entries: Entries, rubric: Rubric, cell: SupportsIndex, component: int, level: int) -> str:
    grade = rubric.components[component].grades[level]
    return f"{entries.grade[cell].strip()} to {grade:g} in {entries.place(entries.row_of[cell])}"


def _times(entries: Entries, found: Findings) -> NDArray[np.datetime64]:
    """When each row was written; unknown where the text is no ISO 8601 time."""
    times = np.array([time_of(text) for text in entries.time.values], dtype="datetime64[us]")
    unknown = [text for text, time in zip(entries.time.values, times, strict=True) if text and np.isnat(time)]
    if unknown:
        number = int(np.count_nonzero(entries.time.where(set(unknown).__contains__)))
        message = f"{counted(number, 'time')} not understood and ignored: {quoted(unknown)}"
        found.note(message, "write times as 2024-09-30 17:05")
    return times[entries.time.codes]


def time_of(text: str) -> np.datetime64:
    """The time that a text says, in universal time if it names its zone; unknown if it is no ISO 8601 time."""
    try:
        time = datetime.fromisoformat(text)
        return np.datetime64(time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time, "us")
    except (ValueError, OverflowError):
        return np.datetime64("NaT", "us")
