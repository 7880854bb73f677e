"""All rows of all sheets, and all their grade cells, long and wide alike, each with its place in its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.formats.rows.columns.column_roles import ColumnLayout
from peerage.tables.column import Column
from peerage.tables.known_columns import fold
from peerage.tables.sheet import Sheet

Indexes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Entries:
    """What the files say, as text.

    Attributes
    ----------
    files: their names
    file, row: of each row, the index of its file and its number in it
    submission, grader, assignment, author, role, time, comment: of each row; empty where the file has no such column
    row_of: of each grade cell that is not empty, the index of its row
    component, grade: of each such cell
    """

    files: tuple[str, ...]
    file: NDArray[np.int32]
    row: NDArray[Any]
    submission: Column
    grader: Column
    assignment: Column
    author: Column
    role: Column
    time: Column
    comment: Column
    row_of: Indexes
    component: Column
    grade: Column

    def problem(self, row: SupportsIndex, message: str, remedy: str, *, setting: str = "") -> Problem:
        """A problem in a row, given by index."""
        label = self.row[row]
        number = label if isinstance(label, str) else int(label)
        return Problem(message, remedy, self.files[self.file[row]], number, setting)

    def problems(self, rows: NDArray[Any], message: str, remedy: str) -> Iterable[Problem]:
        """The same problem in several rows, given by index."""
        return (self.problem(row, message, remedy) for row in rows)

    def place(self, row: SupportsIndex, *, seen_from: SupportsIndex | None = None) -> str:
        """Where a row is, in words; its file is named unless it is clear which one is meant."""
        clear = len(self.files) == 1 if seen_from is None else self.file[row] == self.file[seen_from]
        return f"row {self.row[row]}" if clear else f"row {self.row[row]} of {self.files[self.file[row]]}"

    def n_reviews(self, rows: NDArray[np.bool_]) -> int:
        """How many reviews some rows are about."""
        return len(set(zip(self.submission.codes[rows].tolist(), self.grader.codes[rows].tolist(), strict=True)))

    def select(self, rows: NDArray[np.bool_]) -> Entries:
        """Some rows alone, as if the files held no others."""
        cells = rows[self.row_of]
        columns = ("submission", "grader", "assignment", "author", "role", "time", "comment")
        kept = {name: getattr(self, name).only(rows) for name in columns}
        kept |= {name: getattr(self, name).only(cells) for name in ("component", "grade")}
        place = np.cumsum(rows) - 1
        return replace(self, file=self.file[rows], row=self.row[rows], row_of=place[self.row_of[cells]], **kept)

    def only_cells(self, cells: NDArray[np.bool_]) -> Entries:
        """All rows, but some grade cells alone."""
        component, grade = self.component.only(cells), self.grade.only(cells)
        return replace(self, row_of=self.row_of[cells], component=component, grade=grade)


def gather(sheets: Sequence[Sheet], layouts: Sequence[ColumnLayout]) -> Entries:
    """Put the rows of all sheets below each other, and list their grade cells."""
    starts = np.cumsum([0] + [len(sheet) for sheet in sheets])
    cells = [
        (rows + start, component, grade)
        for sheet, layout, start in zip(sheets, layouts, starts[:-1], strict=True)
        for rows, component, grade in _cells(sheet, layout)
    ]
    at = np.concatenate([rows for rows, _, _ in cells])
    order = np.argsort(at, kind="stable")

    def field(name: str) -> Column:
        return Column.joined([_field(sheet, layout, name) for sheet, layout in zip(sheets, layouts, strict=True)])

    return Entries(
        files=tuple(sheet.file for sheet in sheets),
        file=np.repeat(np.arange(len(sheets), dtype=np.int32), [len(sheet) for sheet in sheets]),
        row=np.concatenate([sheet.rows for sheet in sheets]),
        submission=field("submission"),
        grader=field("grader"),
        assignment=field("assignment"),
        author=field("author").map(lambda authors: ";".join(split_authors(authors))),
        role=field("role").map(fold),
        time=field("time").map(str.strip),
        comment=field("comment").map(str.strip),
        row_of=at[order],
        component=Column.joined([component for _, component, _ in cells]).take(order),
        grade=Column.joined([grade for _, _, grade in cells]).take(order),
    )


def class_of_rows(sheets: Sequence[Sheet], layouts: Sequence[ColumnLayout]) -> Column:
    """The class that each row of :func:`gather` belongs to, if each layout has a column for that."""
    columns = [sheet.column(layout.by or "").map(str.strip) for sheet, layout in zip(sheets, layouts, strict=True)]
    return Column.joined(columns)


def _field(sheet: Sheet, layout: ColumnLayout, name: str) -> Column:
    column = layout.fields.get(name)
    return Column.constant("", len(sheet)) if column is None else sheet.column(column)


def _cells(sheet: Sheet, layout: ColumnLayout) -> Iterable[tuple[Indexes, Column, Column]]:
    """The grade cells that are not empty: the indexes of their rows, their components, their text."""
    if not layout.components:
        grade = sheet.column(layout.fields["grade"])
        rows = np.flatnonzero(~grade.blank)
        yield rows, sheet.column(layout.fields["component"]).take(rows).map(str.strip), grade.take(rows)
    for component, column in layout.components.items():
        grade = sheet.column(column)
        rows = np.flatnonzero(~grade.blank)
        yield rows, Column.constant(component, len(rows)), grade.take(rows)


def split_authors(text: str) -> tuple[str, ...]:
    """The authors named in a cell such as ``a;b``, each once."""
    return tuple(dict.fromkeys(author.strip() for author in text.split(";") if author.strip()))
