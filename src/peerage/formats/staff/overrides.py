"""Grades that the staff set, from a file with the columns submission, component, grade and reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from peerage.errors import InputError, Problem
from peerage.formats.rows import inferred_scale
from peerage.formats.staff.staff_rows import StaffRow, beside, extra_columns, reason_problems, rows_of
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Override
from peerage.support.words.spelling import Known
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.reading_files import read_sheet

OVERRIDE_NAME = "override.csv"
_COLUMNS = ("submission", "component", "grade", "reason")


def read_overrides(
    path: Path, book: Gradebook, elsewhere: Collection[str] = ()
) -> tuple[tuple[Override, ...], tuple[Problem, ...]]:
    """Read the grades that were set in a class, and what was surprising about the file.

    Rows about submissions ``elsewhere``, in other classes, are passed over.
    """
    sheet = read_sheet(path, path.name)
    known, others = Known(book.submissions), Known(elsewhere)
    rows = [row for row in rows_of(sheet, _COLUMNS) if not others.means(row["submission"], rather_than=known)]
    rows = [row.with_id("submission", known) for row in rows]
    place_of = {name: place for place, name in enumerate(book.submissions)}
    problems = [Problem(*found, sheet.file, row.number) for row in rows for found in _row_problems(row, book, place_of)]
    problems += _repetitions(rows, sheet.file)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.row or 0))
    notices = [*sheet.notices, *extra_columns(sheet, _COLUMNS)]
    if not len(sheet):
        notices.append(Problem("sets no grade: it has only a header row", "", sheet.file))
    return tuple(_override(row, book) for row in rows), tuple(notices)


def overrides_beside(
    files: Sequence[Path], book: Gradebook, elsewhere: Collection[str] = ()
) -> tuple[tuple[Override, ...], tuple[Problem, ...]]:
    """Those that lie beside the grades, if any."""
    path = beside(files, OVERRIDE_NAME, "override")
    if path is None:
        return (), ()
    overrides, notices = read_overrides(path, book, elsewhere)
    return overrides, (
        Problem(f"using {OVERRIDE_NAME}, found beside the grades, to set grades", setting="override"),
        *notices,
    )


def _override(row: StaffRow, book: Gradebook) -> Override:
    name = row["component"].strip()
    component = book.rubric[name]
    level, _ = inferred_scale.levels_of(component, np.array([parse_number(row["grade"])]))
    return Override(row["submission"], name, component.grades[int(level[0])], row["reason"].strip())


def _row_problems(row: StaffRow, book: Gradebook, place_of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    yield from _cell_problems(row, book, place_of)
    yield from reason_problems(row)


def _cell_problems(row: StaffRow, book: Gradebook, place_of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    submission, component, grade = row["submission"], row["component"].strip(), row["grade"].strip()
    if submission not in place_of:
        yield f"there is no submission {submission!r}", "write the id as the grades do, or remove the row"
    elif component not in book.rubric.names:
        yield f"there is no component {component!r}", f"use one of {', '.join(book.rubric.names)}"
    elif not book.applicable[place_of[submission], book.rubric.names.index(component)]:
        yield f"nobody graded {component!r} in the assignment of {submission!r}", "remove the row"
    elif not is_number(grade):
        yield f"the grade {grade!r} is not a number", "write a legal grade"
    elif not inferred_scale.levels_of(book.rubric[component], np.array([parse_number(grade)]))[1].all():
        yield f"the grade {grade} of {component!r} is not on the rubric", f"use {book.rubric[component].legend}"


def _repetitions(rows: Sequence[StaffRow], file: str) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for row in rows:
        cell = row["submission"], row["component"].strip()
        before = first.setdefault(cell, row.number)
        if before != row.number:
            message = f"the grade of {cell[0]!r} in {cell[1]!r} is set in row {before} already"
            yield Problem(message, "remove one of the rows", file, row.number)
