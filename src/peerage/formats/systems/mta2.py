"""Mechanical TA 2's export: a row per review, the rubric's items between two columns of its own.

A calibration is a submission that the instructor has graded and everyone practises on; its author is not in the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.column_roles import is_numeric
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.systems.extract import Extract, Grade, Omissions, records, require, sheet_of
from peerage.support.words.wording import counted, listed, quoted
from peerage.tables.known_columns import fold
from peerage.tables.reading_files import Source

NAME = "mta2"
TITLE = "an export of Mechanical TA 2"

_BEFORE_ITEMS, _AFTER_ITEMS = "Reviewer Weight", "Submission Appealed"
_REQUIRED = (
    "Student ID",
    "Submission ID",
    "Calibration ID",
    "Reviewer ID",
    "Reviewer Role",
    _BEFORE_ITEMS,
    _AFTER_ITEMS,
)
_MARKS = frozenset({"calibration id", "reviewer weight"})
_COMPANIONS = frozenset({"review id", "reviewer role", "reviewer grade"})
_NO_CALIBRATION = ("", "0")
_NO_FLAG = ("", "0", "false", "no")


def recognises(source: Source) -> bool:
    """Whether a table has a column that no other system has, and one that goes with it."""
    return bool(_MARKS & source.header) and bool(_COMPANIONS & source.header)


def read(sources: Sequence[Source]) -> Extract:
    """The reviews in one or several exports."""
    sheets, notices = [], []
    for source in sources:
        require(source, _REQUIRED)
        omissions = Omissions(source.file)
        items = _items(source)
        sheets.append(sheet_of(source.file, _grades(source, items, omissions), source.sheet.notices))
        notices += [*omissions.notices(), *_notices(source, items)]
    return Extract(tuple(sheets), (), tuple(notices))


def _between(source: Source) -> list[str]:
    """The columns of the rubric's items."""
    header = list(source.sheet.header)
    folded = [fold(name) for name in header]
    return header[folded.index(fold(_BEFORE_ITEMS)) + 1 : folded.index(fold(_AFTER_ITEMS))]


def _items(source: Source) -> list[str]:
    """The items that hold grades; items that ask for words are none."""
    items = [name for name in _between(source) if is_numeric(source.sheet.column(name))]
    if not items:
        message = f"has no column of grades between {_BEFORE_ITEMS!r} and {_AFTER_ITEMS!r}"
        raise InputError(Problem(message, "export it again with the rubric's items", source.file))
    return items


def _grades(source: Source, items: Sequence[str], omissions: Omissions) -> Iterator[Grade]:
    words = [name for name in _between(source) if name not in items]
    for row, cells in records(source.sheet):
        if not any(cells[fold(item)] for item in items):
            omissions.add("row", "without any grade: a review that is not finished, or none", row)
            continue
        is_calibration = cells["calibration id"] not in _NO_CALIBRATION
        assignment = "calibration" if is_calibration else _assignment(source, cells)
        comment = "\n".join(about(name, cells[fold(name)]) for name in words if cells[fold(name)])
        for item in items:
            yield Grade(
                row,
                cells["submission id"],
                cells["reviewer id"],
                item,
                cells[fold(item)],
                assignment,
                "" if is_calibration else cells["student id"],
                cells["reviewer role"],
                comment=comment,
            )


def _assignment(source: Source, cells: Mapping[str, str]) -> str:
    """An assignment has no name in the export; its deadline tells it from others, or else the file."""
    return cells.get("deadline") or PurePath(source.file).stem


def _notices(source: Source, items: Sequence[str]) -> Iterator[Problem]:
    words = [name for name in _between(source) if name not in items]
    if words:
        yield Problem(
            f"read {counted(len(words), 'item')} without grades as comments: {quoted(words)}", "", source.file
        )
    marked = [
        row
        for row, cells in records(source.sheet)
        if any(fold(cells.get(name, "")) not in _NO_FLAG for name in ("review reported", "review flagged"))
    ]
    if marked:
        message = (
            f"kept {counted(len(marked), 'review')} although reported or flagged (rows: {listed(map(str, marked))})"
        )
        yield Problem(message, "remove rows that should not count", source.file)
