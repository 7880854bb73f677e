"""Open edX: what the two reports on open response assessments have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.systems.extract import Extract, Grade, Omissions, require, sheet_of
from peerage.tables.reading_files import Source

PEER, SELF, STAFF = "PE", "SE", "ST"
ROLES = {PEER: "student", SELF: "student", STAFF: "ta"}

Reader = Callable[[Source, Omissions, list[Problem]], Iterator[Grade]]
"""What takes the grades out of a report, and adds what is left out of it and what is wrong with it to the others."""


class ScoredCriterion(NamedTuple):
    """A criterion's label, the points of the option that was chosen, as text, and what the scorer wrote about it."""

    criterion: str
    points: str
    feedback: str = ""


class Assessment(NamedTuple):
    """An assessment of a response: its kind, its scorer, when it was made, its parts, and what was written in all."""

    kind: str
    scorer: str
    time: str
    parts: list[ScoredCriterion]
    feedback: str = ""


class Response(NamedTuple):
    """A response, and the row of the file that holds it or one of its assessments."""

    row: int
    submission: str
    assignment: str
    author: str


def read_reports(sources: Sequence[Source], required: Sequence[str], read: Reader) -> Extract:
    """The grades in one or several reports with such columns."""
    problems: list[Problem] = []
    sheets, notices = [], []
    for source in sources:
        require(source, required)
        omissions = Omissions(source.file)
        sheets.append(sheet_of(source.file, read(source, omissions, problems), source.sheet.notices))
        notices += omissions.notices()
    if problems:
        raise InputError(problems)
    return Extract(tuple(sheets), (), tuple(notices))


def iso(time: str) -> str:
    """A time as reports write it, in ISO 8601."""
    return f"{time.removesuffix(' UTC')}+00:00" if time.endswith(" UTC") else time


def grades(response: Response, assessment: Assessment, omissions: Omissions) -> list[Grade]:
    """The grades of an assessment; the grader of a self-assessment is the author.

    What was written about the whole response goes with the last of them, so that it is kept once.
    """
    grader = response.author if assessment.kind == SELF else assessment.scorer
    if not assessment.parts:
        omissions.add("assessment", "without any points", response.row)
    overall = [""] * (len(assessment.parts) - 1) + [assessment.feedback]
    return [
        Grade(
            response.row,
            response.submission,
            grader,
            part.criterion,
            part.points,
            response.assignment,
            response.author,
            ROLES[assessment.kind],
            iso(assessment.time),
            "\n".join(filter(None, (about(part.criterion, part.feedback), said))),
        )
        for part, said in zip(assessment.parts, overall, strict=False)
    ]


def kind_problem(kind: str, file: str, row: int) -> Problem:
    """A problem with an assessment whose type is unknown."""
    return Problem(f"the assessment type {kind!r} is unknown", f"it has to be {PEER}, {SELF} or {STAFF}", file, row)
