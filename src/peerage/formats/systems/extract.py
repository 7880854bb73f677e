"""What a system's files hold, in our own columns: the grades, the rubric, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.column_roles import ColumnLayout
from peerage.rubric import Component, Rubric
from peerage.support.words.wording import counted, listed
from peerage.tables.column import Column
from peerage.tables.known_columns import FIELDS, fold
from peerage.tables.reading_files import Source
from peerage.tables.sheet import Sheet

LAYOUT = ColumnLayout({name: name for name in FIELDS}, {})
"""How the sheet of an extract is laid out: long, with every column of ours."""


class Grade(NamedTuple):
    """A grade of one component, as text, and the row of the file that holds it."""

    row: int
    submission: str
    grader: str
    component: str
    grade: str
    assignment: str = ""
    author: str = ""
    role: str = ""
    time: str = ""
    comment: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A sheet whose columns are still to be understood, and which of them seem to be which.

    With ``by_author``, what is reviewed is called by its author's name.
    """

    sheet: Sheet
    columns: Mapping[str, str] = field(default_factory=dict)
    by_author: bool = False

    def resolved(self, given: Mapping[str, str], *, alone: bool) -> tuple[Sheet, Mapping[str, str]]:
        """The sheet, and which column is which; what the user says comes first.

        Names of authors tell submissions apart only within a file, so that several files are assignments of their own.
        """
        columns = {**self.columns, **given}
        wanted = fold(columns.get("submission", ""))
        reviewed = next((name for name in self.sheet.header if fold(name) == wanted), None)
        if not self.by_author or reviewed is None:
            return self.sheet, columns
        if alone:
            return self.sheet, {"author": reviewed, **columns}
        stem = PurePath(self.sheet.file).stem
        submission = self.sheet.column(reviewed).map(lambda name: f"{stem}/{name.strip()}" if name.strip() else "")
        added = {"submission": submission, "assignment": Column.constant(stem, len(self.sheet))}
        header, cells = (*self.sheet.header, *added), (*self.sheet.columns, *added.values())
        own = {name: name for name in added}
        return replace(self.sheet, header=header, columns=cells), {"author": reviewed, **columns, **own}

    def notices(self, given: Mapping[str, str]) -> list[Problem]:
        """A notice of the columns that seem to be something, unless the user has said what they are."""
        read = [f"{name!r} as the {what}" for what, name in self.columns.items() if what not in given]
        if not read:
            return []
        remedy = "if that is wrong, say which column is which"
        return [Problem(f"read {', '.join(read)}", remedy, self.sheet.file, setting="columns")]


@dataclass(frozen=True, eq=False)
class Extract:
    """What some files of one system hold.

    Attributes
    ----------
    sheets: the grades, laid out as :data:`LAYOUT` says
    components: the components of the system's own rubric, if the files have it, each with the file that says so
    notices: what was left out and why, and what else is surprising
    tables: instead of sheets, tables whose columns are named by those who made a form
    """

    sheets: tuple[Sheet, ...]
    components: tuple[tuple[str, Component], ...] = ()
    notices: tuple[Problem, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass
class Omissions:
    """What is left out of a file, by reason."""

    file: str
    rows: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, noun: str, reason: str, row: int) -> None:
        """Leave out what a row holds."""
        self.rows.setdefault((noun, reason), []).append(row)

    def notices(self) -> list[Problem]:
        """A notice for each reason."""
        return [
            Problem(
                f"left out {counted(len(rows), noun)} {reason} ({'row' if len(rows) == 1 else 'rows'} "
                f"{listed(map(str, rows))})",
                "",
                self.file,
            )
            for (noun, reason), rows in self.rows.items()
        ]


def sheet_of(file: str, grades: Iterable[Grade], notices: Sequence[Problem] = ()) -> Sheet:
    """Grades as a sheet that is laid out as :data:`LAYOUT` says."""
    kept = list(grades)
    columns = tuple(Column.of_texts([getattr(grade, name) for grade in kept]) for name in FIELDS)
    return Sheet(file, FIELDS, columns, np.array([grade.row for grade in kept], dtype=np.int64), tuple(notices))


def records(sheet: Sheet) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row's number, and its cells without outer spaces by the folded names of their columns."""
    names = [fold(name) for name in sheet.header]
    for index, row in enumerate(sheet.rows.tolist()):
        yield row, {name: column[index].strip() for name, column in zip(names, sheet.columns, strict=True)}


def require(source: Source, columns: Iterable[str]) -> None:
    """Refuse a sheet that lacks some columns."""
    missing = [name for name in columns if fold(name) not in source.header]
    if missing:
        remedy = "export it again with all columns, or name them as the system does"
        raise InputError([Problem(f"has no column {name!r}", remedy, source.file) for name in missing])


def left_out(source: Source, used: Iterable[str]) -> list[Problem]:
    """A notice of the columns that are not used."""
    known = {fold(name) for name in used}
    return source.sheet.left_out([name for name in source.sheet.header if fold(name) in known])


def maxima_alone(file: str) -> Problem:
    """A notice that a file does not say which grades lie between a scale's ends."""
    message = "gives only the maximum of each criterion; the grades below it are taken to be evenly spaced"
    return Problem(message, "give a rubric if they are not", file, setting="rubric")


def joined(parts: Iterable[tuple[str, Component]]) -> Rubric | None:
    """One rubric from the components that files have; a name has to mean the same grades in all of them."""
    first: dict[str, tuple[str, Component]] = {}
    problems = []
    for file, component in parts:
        before, known = first.setdefault(component.name, (file, component))
        if known != component:
            message = f"{component.name!r} has the grades {component.legend} here but {known.legend} in {before}"
            problems.append(Problem(message, "give a rubric, or import the files one by one", file))
    if problems:
        raise InputError(problems)
    return Rubric(tuple(component for _, component in first.values())) if first else None
