"""Moodle Workshop's database tables, each in a file of its own, told apart by their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from peerage.errors import InputError, Problem
from peerage.formats.systems.extract import Extract, Omissions, records, require
from peerage.formats.systems.moodle.workshop_contents import (
    Dimension,
    Submission,
    WorkshopAssessment,
    Workshops,
    WorkshopScore,
    plain,
    prose,
    time_of,
)
from peerage.tables.reading_files import Source

NAME = "moodle-tables"
TITLE = "a table of Moodle's Workshop"

_MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("workshop_submissions", frozenset({"workshopid", "authorid"})),
    ("workshop_submissions", frozenset({"example", "authorid"})),
    ("workshop_assessments", frozenset({"submissionid", "gradinggrade"})),
    ("workshop_assessments", frozenset({"submissionid", "reviewerid", "weight"})),
    ("workshop_grades", frozenset({"assessmentid", "dimensionid"})),
    ("workshop_grades", frozenset({"assessmentid", "strategy"})),
    ("workshopform_rubric_levels", frozenset({"dimensionid", "definition"})),
    ("workshopform_rubric", frozenset({"workshopid", "sort", "description"})),
)
"""Columns by which each table is recognised, be it complete or not."""

_COLUMNS = {
    "workshop_submissions": ("id", "authorid", "example"),
    "workshop_assessments": ("id", "submissionid", "reviewerid"),
    "workshop_grades": ("assessmentid", "dimensionid", "grade"),
    "workshopform_rubric": ("id", "description"),
    "workshopform_rubric_levels": ("dimensionid", "grade"),
}
_NEEDED = tuple(name for name in _COLUMNS if not name.startswith("workshopform"))
_WITH_IDS = tuple(name for name, columns in _COLUMNS.items() if "id" in columns)
_NULL = ("null", r"\n")

Row = tuple[int, Mapping[str, str]]


def recognises(source: Source) -> bool:
    """Whether a file is one of the tables."""
    return _table(source) is not None


def read(sources: Sequence[Source]) -> Extract:
    """The grades in a set of tables."""
    tables: dict[str, list[Source]] = {}
    for source in sources:
        name = _table(source)
        if name is None:
            remedy = f"give {', '.join(_COLUMNS)}"
            raise InputError(Problem("is none of the tables of Moodle's Workshop", remedy, source.file))
        require(source, _COLUMNS[name])
        tables.setdefault(name, []).append(source)
    missing = [name for name in _NEEDED if name not in tables]
    if missing:
        message = f"comes without the table {' and '.join(missing)}"
        raise InputError(Problem(message, f"give {', '.join(_NEEDED)} together", sources[0].file))
    problems = [problem for name in _WITH_IDS for problem in _repeated(tables.get(name, ()))]
    if problems:
        raise InputError(problems)
    found = _extract(tables)
    return replace(found, notices=(*(notice for source in sources for notice in source.sheet.notices), *found.notices))


def _repeated(sources: Sequence[Source]) -> Iterator[Problem]:
    """Rows whose id an earlier row of the table has."""
    seen: set[str] = set()
    for source in sources:
        for row, cells in _cells(source):
            if cells["id"] in seen:
                message = f"the id {cells['id']!r} is in the table twice"
                yield Problem(message, "give each table once, from one site", source.file, row)
            seen.add(cells["id"])


def _table(source: Source) -> str | None:
    return next((name for name, marks in _MARKS if marks <= source.header), None)


def _extract(tables: Mapping[str, Sequence[Source]]) -> Extract:
    workshops = Workshops(
        dimensions=_dimensions(tables),
        submissions={cells["id"]: _submission(cells) for _, cells in _rows(tables, "workshop_submissions")},
        assessments={
            cells["id"]: _assessment(source.file, row, cells)
            for source in tables["workshop_assessments"]
            for row, cells in _cells(source)
        },
        rubric_file=tables["workshopform_rubric"][0].file if "workshopform_rubric" in tables else "",
    )
    other = []
    for source in tables["workshop_grades"]:
        omissions = Omissions(source.file)
        workshops.scores[source.file] = list(_scores(source, omissions))
        other += omissions.notices()
    found = workshops.extract()
    return replace(found, notices=(*other, *found.notices))


def _rows(tables: Mapping[str, Sequence[Source]], name: str) -> Iterator[Row]:
    """The rows of a table; a database's NULL is an empty cell."""
    for source in tables.get(name, ()):
        yield from _cells(source)


def _cells(source: Source) -> Iterator[Row]:
    for row, cells in records(source.sheet):
        yield row, {name: "" if cell.casefold() in _NULL else cell for name, cell in cells.items()}


def _dimensions(tables: Mapping[str, Sequence[Source]]) -> dict[str, Dimension]:
    levels: dict[str, list[str]] = {}
    for _, cells in _rows(tables, "workshopform_rubric_levels"):
        levels.setdefault(cells["dimensionid"], []).append(cells["grade"])
    return {
        cells["id"]: Dimension(plain(cells["description"]) or cells["id"], tuple(levels.get(cells["id"], ())))
        for _, cells in _rows(tables, "workshopform_rubric")
    }


def _submission(cells: Mapping[str, str]) -> Submission:
    return Submission(cells["authorid"], cells.get("workshopid", ""), cells["example"] == "1")


def _assessment(file: str, row: int, cells: Mapping[str, str]) -> WorkshopAssessment:
    time = time_of(cells.get("timemodified", ""))
    return WorkshopAssessment(
        cells["submissionid"], cells["reviewerid"], time, file, row, prose(cells.get("feedbackauthor", ""))
    )


def _scores(source: Source, omissions: Omissions) -> Iterator[WorkshopScore]:
    for row, cells in _cells(source):
        if cells.get("strategy", "rubric") != "rubric":
            omissions.add("grade", "that was not given by a rubric", row)
        else:
            comment = prose(cells.get("peercomment", ""))
            yield WorkshopScore(row, cells["assessmentid"], cells["dimensionid"], cells["grade"], comment)
