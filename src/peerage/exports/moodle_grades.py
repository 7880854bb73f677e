"""Moodle's grade import: a column that says who, and a column for each grade item.

Moodle asks which column is which item when the file is uploaded, so that the columns' names are for people alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from peerage.errors import InputError, Problem
from peerage.exports.delimited import as_number, as_text, read_rows, write_rows
from peerage.exports.export_options import Options, Prepared, renamed
from peerage.exports.student_marks import Item, StudentMarks
from peerage.results.results import Results
from peerage.support.words.wording import counted, quoted

NAME = "moodle-grades"
TITLE = "a file for Moodle's grade import"
ENDING = "-moodle.csv"
USES: tuple[str, ...] = ("roster", "match", "id_column")

ID_COLUMNS = {
    "userid": ("userid", "user id", "id"),
    "useridnumber": ("useridnumber", "id number", "idnumber"),
    "useremail": ("useremail", "email address", "email"),
    "username": ("username",),
}
"""By what Moodle knows people, and what a roster may call that column."""


@dataclass(frozen=True)
class Grades:
    """The column that says who, the items, and a row for each student: who, and a mark for each item."""

    id_column: str
    items: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


def prepare(results: Results, options: Options) -> Prepared:
    """The marks of a class, under the ids that Moodle knows."""
    column = options.id_column or "userid"
    if column not in ID_COLUMNS:
        remedy = f"use {', '.join(ID_COLUMNS)}"
        raise InputError(Problem(f"Moodle has no column {column!r}", remedy, setting="id_column"))
    marks = StudentMarks.of(results)
    names, notices = renamed(list(marks.values), options, ID_COLUMNS[column])
    _check(column, list(names.values()))
    rows = tuple((names[student], values) for student, values in marks.values.items() if student in names)
    grades = Grades(column, tuple(map(_title, marks.items)), rows)
    summary = f"{counted(len(rows), 'student')}; items: {', '.join(grades.items)}"
    return Prepared(grades, summary, (*marks.notices, *notices))


def write(content: Grades, path: Path) -> None:
    """Write the marks."""
    rows = [[who, *map(as_text, values)] for who, values in content.rows]
    write_rows([[content.id_column, *content.items], *rows], path)


def read(path: Path) -> Grades:
    """Read the marks."""
    rows = read_rows(path)
    header = rows[0][1] if rows else []
    if len(header) < 2 or header[0] not in ID_COLUMNS:
        message = f"is not {TITLE}: its first column is not {' or '.join(ID_COLUMNS)}"
        raise InputError(Problem(message, "export it again", path.name))
    for number, cells in rows[1:]:
        if len(cells) != len(header):
            message = f"has {len(cells)} cells where the header has {len(header)}"
            raise InputError(Problem(message, "export it again", path.name, number))
    marks = tuple((cells[0], tuple(as_number(cell, path, number) for cell in cells[1:])) for number, cells in rows[1:])
    return Grades(header[0], tuple(header[1:]), marks)


def _title(item: Item) -> str:
    """What the column is called: as the grade items of Moodle's workshops are."""
    return f"{item.name} (assessment)" if item.is_credit else f"{item.name or 'Workshop'} (submission)"


def _check(column: str, names: list[str]) -> None:
    """Refuse names that cannot be what the column says they are."""
    wrong = [
        name
        for name in names
        if (column == "userid" and not (name.isascii() and name.isdigit()))
        or (column == "useremail" and "@" not in name)
    ]
    if wrong:
        message = f"people are called {quoted(wrong)}, which is not a {column} of Moodle"
        remedy = "give a roster, or say which column these ids belong to"
        raise InputError(Problem(message, remedy, setting="id_column"))
