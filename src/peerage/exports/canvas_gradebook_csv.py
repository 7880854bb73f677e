"""A Canvas gradebook as CSV, which Canvas exports and imports.

A header that lacks an assignment's id would create a new assignment, so that none is ever written without. An empty
cell would remove a mark, so that marks which Canvas has are written back where there is no other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerage.errors import InputError, Problem
from peerage.exports.delimited import read_rows, read_text, write_rows
from peerage.support.words.wording import quoted
from peerage.tables.reading_files import read_bytes, read_sheet

TITLE = "a Canvas gradebook"

STUDENT_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Root Account", "Section")
"""The columns that say who a row is about, in the order in which Canvas insists on them."""

_OPTIONAL = "Root Account"
_NAMES = ("LastName", "FirstName")
_POINTS = "Points Possible"
_BEGINNING = re.compile(r'\s*"?(?:Student|LastName)"?(?P<delimiter>[,;])"?(?:ID|FirstName)"?[,;]')
"""A gradebook's first cells, which tell its delimiter: names of assignments may hold the other any number of times."""

_ARCHIVE = b"PK\x03\x04"
_READ_ONLY = "read only"
_HEADER = re.compile(r"(?P<name>.*) \((?P<id>[0-9]+)\)", re.DOTALL)


@dataclass(frozen=True)
class GradebookColumn:
    """An assignment: its name, its id in Canvas, and the points that it is out of."""

    name: str
    id: str
    points: str = ""

    @property
    def title(self) -> str:
        """What the column is called."""
        return f"{self.name} ({self.id})"


@dataclass(frozen=True)
class CanvasGradebook:
    """Assignments, and for each student who it is, by :data:`STUDENT_COLUMNS`, and a cell for each assignment."""

    columns: tuple[GradebookColumn, ...]
    students: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def recognises(path: Path) -> bool:
    """Whether a file is a Canvas gradebook, be it complete or not; one that was saved as a workbook is refused."""
    if not read_bytes(path, path.name).startswith(_ARCHIVE):
        return _BEGINNING.match(read_text(path)) is not None
    if is_header(read_sheet(path, path.name).header):
        remedy = "give the CSV file that Canvas has exported"
        raise InputError(Problem("is a Canvas gradebook that was saved as a workbook", remedy, path.name))
    return False


def is_header(columns: Collection[str]) -> bool:
    """Whether columns are those of a Canvas gradebook, each named just as Canvas does."""
    return {"ID", "Section"} <= {*columns} and not {"Student", *_NAMES}.isdisjoint(columns)


def write(content: CanvasGradebook, path: Path) -> None:
    """Write a gradebook that Canvas can import."""
    kept = [
        place
        for place, name in enumerate(STUDENT_COLUMNS)
        if name != _OPTIONAL or any(who[place] for who, _ in content.students)
    ]
    header = [*(STUDENT_COLUMNS[place] for place in kept), *(column.title for column in content.columns)]
    points = [f"    {_POINTS}", *("" for _ in kept[1:]), *(column.points for column in content.columns)]
    write_rows([header, points, *([*(who[place] for place in kept), *cells] for who, cells in content.students)], path)


def read(path: Path) -> CanvasGradebook:
    """Read a gradebook; columns that Canvas only shows are passed over."""
    beginning = _BEGINNING.match(read_text(path))
    rows = read_rows(path, delimiter=beginning["delimiter"] if beginning else ",")
    header = rows[0][1] if rows else []
    places = _student_places(header, path)
    _check_lengths(rows, path)
    first = header.index("Section") + 1
    maxima = next((cells for _, cells in rows[1:] if _POINTS in cells[0]), [""] * len(header))
    found = {}
    for place in range(first, len(header)):
        match = _HEADER.fullmatch(header[place])
        if match and _READ_ONLY not in maxima[place]:
            found[place] = GradebookColumn(match["name"], match["id"], maxima[place].strip())
    _check_ids(list(found.values()), path)
    students = tuple(
        (_who(cells, places), tuple(cells[place] for place in found))
        for _, cells in rows[1:]
        if _POINTS not in cells[0] and any(_who(cells, places))
    )
    return CanvasGradebook(tuple(found.values()), students)


def _student_places(header: Sequence[str], path: Path) -> dict[str, int]:
    """Where the columns are that say who a row is about."""
    places = {name: place for place, name in enumerate(header)}
    has_name = header[:1] == ["Student"] or list(header[:2]) == list(_NAMES)
    missing = [name for name in ("ID", "Section") if name not in places]
    if not has_name or missing:
        what = f"it has no column {missing[0]!r}" if missing else "it does not begin with the column 'Student'"
        raise InputError(Problem(f"is not {TITLE}: {what}", "export the gradebook again", path.name))
    return {name: places[name] for name in (*STUDENT_COLUMNS, *_NAMES) if name in places}


def _who(cells: Sequence[str], places: dict[str, int]) -> tuple[str, ...]:
    known = {name: cells[place] for name, place in places.items()}
    if "Student" not in known:
        known["Student"] = ", ".join(filter(None, (known[name] for name in _NAMES)))
    return tuple(known.get(name, "") for name in STUDENT_COLUMNS)


def _check_lengths(rows: Sequence[tuple[int, list[str]]], path: Path) -> None:
    width = len(rows[0][1])
    problems = [
        Problem(f"{len(cells)} cells where the header has {width}", "export the gradebook again", path.name, number)
        for number, cells in rows
        if len(cells) != width
    ]
    if problems:
        raise InputError(problems)


def _check_ids(columns: Sequence[GradebookColumn], path: Path) -> None:
    ids = [column.id for column in columns]
    twice = sorted({identity for identity in ids if ids.count(identity) > 1})
    if twice:
        message = f"two columns have the id {quoted(twice)}"
        raise InputError(Problem(message, "export the gradebook again", path.name))
