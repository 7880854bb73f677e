"""What is held fixed, from a file with the columns variable, id, component and value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from peerage.errors import InputError, ModelError, Problem
from peerage.formats.staff.staff_rows import StaffRow, extra_columns, rows_of
from peerage.gradebook.book import Gradebook
from peerage.model import FIXED_COLUMNS, Fixed
from peerage.support.words.spelling import Known
from peerage.tables.column import is_blank
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.reading_files import read_sheet


class _Row(NamedTuple):
    """A row's text, and its number as a spreadsheet shows it."""

    variable: str
    id: str
    component: str
    value: str
    number: int

    @classmethod
    def of(cls, row: StaffRow) -> _Row:
        """The row's text, without outer spaces but for the id's."""
        return cls(row["variable"].strip(), row["id"], row["component"].strip(), row["value"].strip(), row.number)

    @property
    def key(self) -> tuple[str, str, str]:
        """What the row fixes."""
        return self.variable, self.id, self.component

    @property
    def entry(self) -> tuple[str, str, str, float]:
        """The row as :meth:`Fixed.from_rows` takes it."""
        return *self.key, parse_number(self.value)


def read_fixed(path: Path, book: Gradebook, elsewhere: Collection[str] = ()) -> tuple[Fixed, tuple[Problem, ...]]:
    """Read fixed values for the graders and submissions of a class, and what was surprising about the file.

    Reliability and bias are on the scale of 0 to 5, a true grade is in the rubric's units. Rows about ids that are
    only found ``elsewhere``, in other classes, are passed over.
    """
    sheet = read_sheet(path, path.name)
    found = map(_Row.of, rows_of(sheet, FIXED_COLUMNS, optional=("component",)))
    graders, submissions, others = Known(book.graders), Known(book.submissions), Known(elsewhere)
    known = ((row, submissions if row.variable == "true_grade" else graders) for row in found)
    rows = [row._replace(id=own.spelling(row.id)) for row, own in known if not others.means(row.id, rather_than=own)]
    problems = [*_row_problems(rows, book, sheet.file), *_repetitions(rows, sheet.file)]
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.row or 0))
    notices = [*sheet.notices, *extra_columns(sheet, FIXED_COLUMNS)]
    if not len(sheet):
        notices.append(Problem("fixes nothing: it has only a header row", "", sheet.file))
    return Fixed.from_rows([row.entry for row in rows]), tuple(notices)


def _row_problems(rows: Iterable[_Row], book: Gradebook, file: str) -> Iterator[Problem]:
    graders, submissions = set(book.graders), {name: index for index, name in enumerate(book.submissions)}
    for row in rows:
        found = _value_problem(row)
        if found is None and row.variable == "true_grade":
            found = _true_grade_problem(row, book, submissions)
        elif found is None:
            found = _grader_problem(row, graders)
        if found is not None:
            yield Problem(*found, file, row.number)


def _value_problem(row: _Row) -> tuple[str, str] | None:
    """Whatever makes no sense in any class."""
    if is_blank(row.id):
        return "the id is empty", "name the grader, or for a true grade the submission"
    if not is_number(row.value):
        return f"the value {row.value!r} is not a number", "write a number"
    try:
        Fixed.from_rows([row.entry])
    except ModelError as error:
        return str(error), ""
    return None


def _grader_problem(row: _Row, graders: set[str]) -> tuple[str, str] | None:
    if row.component:
        return f"the {row.variable} of a grader belongs to no component", "leave the component empty"
    if row.id not in graders:
        return f"nobody with the id {row.id!r} graded anything", "write the id as the grades do, or remove the row"
    return None


def _true_grade_problem(row: _Row, book: Gradebook, submissions: dict[str, int]) -> tuple[str, str] | None:
    if row.id not in submissions:
        return f"there is no submission {row.id!r}", "write the id as the grades do, or remove the row"
    if row.component not in book.rubric.names:
        return f"there is no component {row.component!r}", f"use one of {', '.join(book.rubric.names)}"
    if not book.applicable[submissions[row.id], book.rubric.names.index(row.component)]:
        return f"nobody graded {row.component!r} in the assignment of {row.id!r}", "remove the row"
    grades = book.rubric[row.component].grades
    if not grades[0] <= row.entry[-1] <= grades[-1]:
        return f"the true grade {row.value} is not on the rubric", f"use {grades[0]:g} to {grades[-1]:g}"
    return None


def _repetitions(rows: Iterable[_Row], file: str) -> Iterator[Problem]:
    first: dict[tuple[str, str, str], int] = {}
    for row in rows:
        before = first.setdefault(row.key, row.number)
        if before != row.number:
            message = f"the {row.variable} of {row.id!r} is fixed in row {before} already"
            yield Problem(message, "remove one of the rows", file, row.number)
