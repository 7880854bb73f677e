"""Canvas peer reviews as scripts export them: a row per review, a column ``Criteria #1 (10.0)`` per criterion.

``user_id`` is the author and ``assessor_id`` the reviewer; either may be missing, and then there are only names. The
number in brackets is the criterion's maximum. Scores are empty while a review is not completed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.rows.inferred_scale import up_to
from peerage.formats.systems.extract import (
    Extract,
    Grade,
    Omissions,
    left_out,
    maxima_alone,
    records,
    require,
    sheet_of,
)
from peerage.formats.systems.people import People
from peerage.tables.known_columns import fold
from peerage.tables.numbers import parse_number
from peerage.tables.reading_files import Source
from peerage.tables.sheet import Sheet

NAME = "canvas-csv"
TITLE = "peer reviews that a script exported from Canvas"

_REQUIRED = ("State", "Assessor", "Assessee")
_USED = (*_REQUIRED, "user_id", "assessor_id")
_STATES = ("assigned", "completed")
_CRITERION = re.compile(r"(?P<name>.*\S)\s*\((?P<maximum>\d+(?:\.\d+)?)\)")
_TOTAL = "total score"
_COMMENT = "comment"


@dataclass(frozen=True)
class _CanvasTable:
    """A file, its criteria by column, and its reviews as they are read."""

    source: Source
    assignment: str
    prefix: str
    criteria: Mapping[str, tuple[str, float]]
    people: People
    omissions: Omissions
    problems: list[Problem] = field(default_factory=list)

    def grades(self) -> Iterator[Grade]:
        """The grades of all completed reviews."""
        for row, cells in records(self.source.sheet):
            if self._is_complete(row, cells):
                yield from self._review(row, cells)

    def _is_complete(self, row: int, cells: Mapping[str, str]) -> bool:
        state = fold(cells["state"])
        if state not in _STATES:
            remedy = f"a review is {' or '.join(_STATES)}"
            self.problems.append(Problem(f"the state {cells['state']!r} is unknown", remedy, self.source.file, row))
        elif state != "completed":
            self.omissions.add("review", "not completed", row)
        elif not any(cells[column] for column in self.criteria):
            self.omissions.add("completed review", "without any score", row)
        else:
            return True
        return False

    def _review(self, row: int, cells: Mapping[str, str]) -> Iterator[Grade]:
        author = cells.get("user_id") or self.people.id_of(cells["assessee"])
        grader = cells.get("assessor_id") or self.people.id_of(cells["assessor"])
        if author is None or grader is None:
            name = cells["assessee"] if author is None else cells["assessor"]
            self.omissions.add("review", f"with the name {name!r}, which two people have", row)
            return
        submission = self.prefix + author if author else ""
        comment = "\n".join(about(title, cells[column]) for column, title in self._comments.items() if cells[column])
        for column, (criterion, _) in self.criteria.items():
            yield Grade(row, submission, grader, criterion, cells[column], self.assignment, author, comment=comment)

    @cached_property
    def _comments(self) -> dict[str, str]:
        """What the columns of comments are about."""
        header = [name for name in self.source.sheet.header if fold(name).endswith(_COMMENT)]
        return {fold(name): name[: -len(_COMMENT)].strip() or "Comment" for name in header}


def recognises(source: Source) -> bool:
    """Whether a table names assessors and assessees or their ids, and the states or scores of reviews."""
    people = {"assessor", "assessee"} <= source.header or {"user_id", "assessor_id"} <= source.header
    return people and any(name == "state" or name.startswith((_TOTAL, "criteria #")) for name in source.header)


def read(sources: Sequence[Source]) -> Extract:
    """The completed reviews of one or several assignments, each in a file of its own."""
    tables = [_table(source, alone=len(sources) == 1) for source in sources]
    sheets = [sheet_of(table.source.file, table.grades(), table.source.sheet.notices) for table in tables]
    problems = [problem for table in tables for problem in table.problems]
    if problems:
        raise InputError(problems)
    seen = _seen(sheets)
    components = tuple(
        (table.source.file, up_to(name, maximum, seen.get(name, ())))
        for table in tables
        for name, maximum in table.criteria.values()
    )
    return Extract(tuple(sheets), components, tuple(notice for table in tables for notice in _notices(table)))


def _table(source: Source, *, alone: bool) -> _CanvasTable:
    require(source, _REQUIRED)
    criteria = _criteria(source)
    rows = [cells for _, cells in records(source.sheet)]
    pairs = [(cells["assessee"], cells.get("user_id", "")) for cells in rows]
    pairs += [(cells["assessor"], cells.get("assessor_id", "")) for cells in rows]
    # A student has a submission in each file, so that several files need ids that tell them apart.
    assignment = "" if alone else PurePath(source.file).stem
    prefix = "" if alone else f"{assignment}/"
    return _CanvasTable(source, assignment, prefix, criteria, People.of(pairs), Omissions(source.file))


def _criteria(source: Source) -> dict[str, tuple[str, float]]:
    """The name and the maximum of each criterion, by its column."""
    found = {}
    for column in source.sheet.header:
        match = _CRITERION.fullmatch(column)
        if match and fold(match["name"]) != _TOTAL and float(match["maximum"]) > 0:
            found[fold(column)] = match["name"], float(match["maximum"])
    if not found:
        remedy = "export a column for each criterion, with its maximum in brackets"
        raise InputError(Problem("has no column such as 'Criteria #1 (10.0)'", remedy, source.file))
    return found


def _seen(sheets: Sequence[Sheet]) -> dict[str, list[float]]:
    """The scores of each criterion, in all files."""
    seen: dict[str, list[float]] = {}
    for sheet in sheets:
        component, grade = sheet.column("component"), sheet.column("grade")
        for index in range(len(sheet)):
            seen.setdefault(component[index], []).append(parse_number(grade[index]))
    return seen


def _notices(table: _CanvasTable) -> Iterator[Problem]:
    yield from table.omissions.notices()
    totals = [name for name in table.source.sheet.header if fold(name).startswith(_TOTAL)]
    comments = [name for name in table.source.sheet.header if fold(name).endswith(_COMMENT)]
    yield from left_out(table.source, [*_USED, *table.criteria, *totals, *comments])
    if not {"user_id", "assessor_id"} & table.source.header:
        yield Problem("has names but no ids", "people of one name count as one person", table.source.file)
    yield maxima_alone(table.source.file)
