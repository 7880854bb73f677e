"""Placing grades on a rubric: each grade cell becomes a level of a component, or a problem."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.rows import inferred_scale, lone_grades
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings
from peerage.formats.rows.repeated_grades import RepeatedReports
from peerage.formats.rows.times import times_of
from peerage.rubric import Rubric
from peerage.support.words.wording import counted, listed, quoted
from peerage.tables.known_columns import fold

Indexes = NDArray[np.integer[Any]]
Values = NDArray[np.float64]


def inferred_rubric(
    entries: Entries, numbers: Values, cells: Indexes, known: Mapping[str, inferred_scale.Legal], found: Findings
) -> tuple[Rubric, frozenset[str], Indexes]:
    """The rubric that the grades in some cells suggest, its components that have a few odd grades between, and cells.

    These are without grades that are too far from all others, each of which is a problem.
    """
    cells = _of_one_scale(entries, numbers, cells, known, found)
    seen = {name: numbers[here] for name, here in _by_component(entries, cells)}
    try:
        rubric, notices, loose = inferred_scale.infer_rubric(seen, known)
    except InputError as error:
        files = ", ".join(filter(None, entries.files))
        raise InputError([*found.problems, *(replace(problem, file=files) for problem in error.problems)]) from None
    found.notices += notices
    return rubric, loose, cells


def _of_one_scale(
    entries: Entries, numbers: Values, cells: Indexes, known: Mapping[str, inferred_scale.Legal], found: Findings
) -> Indexes:
    """The cells without grades too far from all others of the component; what is only doubtful is noted."""
    remedy = "correct it, or give a rubric that has it"
    far = []
    for name, here in _by_component(entries, cells):
        if inferred_scale.is_known(known.get(name), numbers[here]):
            continue
        lone = lone_grades.impossible(numbers[here])
        others = f"{lone.low:g}" if lone.low == lone.high else f"{lone.low:g} to {lone.high:g}"
        for cell in here[lone.lone]:
            message = f"the grade {entries.grade[cell].strip()} of {name!r} is far from all others ({others})"
            found.problems.append(entries.problem(entries.row_of[cell], message, remedy, setting="rubric"))
        far.append(here[lone.lone])
        if not lone.lone.any():
            _note_doubtful(entries, name, numbers, here, found)
    return cells[~np.isin(cells, np.concatenate(far))] if far else cells


def _note_doubtful(entries: Entries, name: str, numbers: Values, here: Indexes, found: Findings) -> None:
    """Note a component's grades that leave a large part of its scale empty."""
    lone = lone_grades.doubtful(numbers[here])
    places = [f"{entries.grade[at].strip()} in {entries.place(entries.row_of[at])}" for at in here[lone.lone]]
    if places:
        message = f"{name!r} has grades far from all others ({lone.low:g} to {lone.high:g}): {listed(places)}"
        found.note(message, "correct slips, or give a rubric that has them", setting="rubric")


def _by_component(entries: Entries, cells: Indexes) -> Iterator[tuple[str, Indexes]]:
    """The components that some cells are about, and the cells of each."""
    components = entries.component.take(cells)
    return ((components.values[code], cells[components.codes == code]) for code in pd.unique(components.codes))


def place(
    entries: Entries, rubric: Rubric, numbers: Values, cells: Indexes, loose: Collection[str], found: Findings
) -> RepeatedReports:
    """The grades in some cells as reports; those off the rubric are moved in ``loose`` components, else problems."""
    component = _components(entries, rubric, cells, found)
    cells, component = cells[component >= 0], component[component >= 0]
    level = np.zeros(len(cells), dtype=np.intp)
    legal = np.ones(len(cells), dtype=bool)
    for index, scale_of in enumerate(rubric.components):
        here = component == index
        level[here], legal[here] = inferred_scale.levels_of(scale_of, numbers[cells[here]])
    moved = ~legal & np.isin(component, [rubric.names.index(name) for name in loose])
    moves = [_move(entries, rubric, cells[at], component[at], level[at]) for at in np.flatnonzero(moved)]
    if moves:
        found.note(f"{counted(len(moves), 'grade')} moved to the nearest legal grade: {listed(moves)}")
    legal |= moved
    found.problems += (_off_rubric(entries, rubric, cells[at], component[at]) for at in np.flatnonzero(~legal))
    cells, component, level = cells[legal], component[legal], level[legal]
    at = entries.row_of[cells]
    time = _times(entries, found)[at]
    return RepeatedReports(at, entries.submission.codes[at], entries.grader.codes[at], component, level, time)


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
    """When each row was written; unknown where the text does not tell."""
    times = times_of(entries.time.values)
    unknown = [text for text, time in zip(entries.time.values, times, strict=True) if text and np.isnat(time)]
    if unknown:
        number = int(np.count_nonzero(entries.time.where(set(unknown).__contains__)))
        message = f"{counted(number, 'time')} not understood and ignored: {quoted(unknown)}"
        found.note(message, "write times as 2024-09-30 17:05")
    return times[entries.time.codes]
