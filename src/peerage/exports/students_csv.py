"""A tidy table of marks: a row for each student's submission, with the points and the mark for peer grading.

A student who only graded has a row without a submission.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.exports.delimited import as_number, as_text
from peerage.exports.export_options import Options, Prepared, renamed
from peerage.exports.student_marks import NO_AUTHORS, without_author, without_credit
from peerage.results.results import Results
from peerage.support.words.wording import counted
from peerage.tables.reading_files import read_sheet
from peerage.tables.writing_tables import write_table

NAME = "csv"
TITLE = "a table of students' marks"
ENDING = "-students.csv"
USES: tuple[str, ...] = ("roster", "match", "id_column")


class StudentRow(NamedTuple):
    """A student's points for a submission, and the student's mark for peer grading."""

    student: str
    assignment: str
    submission: str
    total: float | None
    credit: float | None


def prepare(results: Results, options: Options) -> Prepared:
    """The rows of a class."""
    authors = dict.fromkeys(total.author for total in results.totals if total.author)
    if not authors:
        raise InputError(NO_AUTHORS)
    students = list(dict.fromkeys([*authors, *results.credit]))
    names, notices = renamed(students, options, options.id_column and (options.id_column,))
    rows = [
        StudentRow(
            names[total.author], total.assignment, total.submission, total.total, results.credit.get(total.author)
        )
        for total in results.totals
        if total.author in names
    ]
    rows += [
        StudentRow(names[student], "", "", None, results.credit[student]) for student in names if student not in authors
    ]
    summary = counted(len(names), "student")
    return Prepared(tuple(rows), summary, (*without_author(results), *without_credit(results), *notices))


def write(content: tuple[StudentRow, ...], path: Path) -> None:
    """Write the rows."""
    cells = [(*row[:3], as_text(row.total), as_text(row.credit)) for row in content]
    write_table(pd.DataFrame(cells, columns=pd.Index(StudentRow._fields), dtype=object), path)


def read(path: Path) -> tuple[StudentRow, ...]:
    """Read the rows."""
    sheet = read_sheet(path, path.name)
    missing = [name for name in StudentRow._fields if name not in sheet.header]
    if missing:
        raise InputError(Problem(f"is not {TITLE}: it has no column {missing[0]!r}", "export it again", path.name))
    texts = zip(*(map(sheet.column(name).__getitem__, range(len(sheet))) for name in StudentRow._fields), strict=True)
    return tuple(
        StudentRow(*cells[:3], *(as_number(cell, path, row) for cell in cells[3:]))
        for row, cells in zip(sheet.rows.tolist(), texts, strict=True)
    )
