"""``workshop.xml`` of a Moodle course backup. Rows in messages count its assessments, from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from xml.etree import ElementTree as ET

from peerage.errors import InputError, Problem
from peerage.formats.systems.extract import Extract, Omissions
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

NAME = "moodle-backup"
TITLE = "workshop.xml of a Moodle backup"

_NULL = "$@NULL@$"


def recognises(source: Source) -> bool:
    """Whether a document is the backup of a workshop."""
    root = source.content
    return isinstance(root, ET.Element) and (root.get("modulename") == "workshop" or root.find("workshop") is not None)


def read(sources: Sequence[Source]) -> Extract:
    """The grades in the backups of one or several workshops."""
    found = [_read(source) for source in sources]
    return Extract(
        tuple(sheet for extract in found for sheet in extract.sheets),
        tuple(part for extract in found for part in extract.components),
        tuple(notice for extract in found for notice in extract.notices),
    )


def _read(source: Source) -> Extract:
    workshop = source.content.find("workshop") if isinstance(source.content, ET.Element) else None
    if workshop is None:
        raise InputError(Problem("has no element <workshop>", "give the backup's workshop.xml", source.file))
    strategy = _text(workshop, "strategy") or "rubric"
    if strategy != "rubric":
        message = f"its workshop is graded by the strategy {strategy!r}"
        raise InputError(Problem(message, "only rubrics can be imported", source.file))
    contents = _contents(source.file, workshop)
    extract = contents.extract()
    return replace(extract, notices=(*_practice(source.file, workshop), *extract.notices))


def _contents(file: str, workshop: ET.Element) -> Workshops:
    found = Workshops(rubric_file=file, dimensions=_dimensions(workshop))
    problems: list[Problem] = []
    scores = found.scores.setdefault(file, [])
    rows = count(1)
    for submission in workshop.iterfind("submissions/submission"):
        key = submission.get("id", "")
        author, name = _text(submission, "authorid"), _text(workshop, "name")
        found.submissions[key] = Submission(author, name, _text(submission, "example") == "1")
        for assessment in submission.iterfind("assessments/assessment"):
            row = next(rows)
            reviewer = _text(assessment, "reviewerid")
            time = time_of(_text(assessment, "timemodified"))
            found.assessments[assessment.get("id", "")] = WorkshopAssessment(
                key, reviewer, time, file, row, prose(_text(assessment, "feedbackauthor"))
            )
            scores += _scores(assessment, row)
            for name, value in (("id", assessment.get("id")), ("reviewerid", reviewer), ("submission's id", key)):
                if not value:
                    problems.append(Problem(f"the assessment has no {name}", "make the backup again", file, row))
    if problems:
        raise InputError(problems)
    return found


def _scores(assessment: ET.Element, row: int) -> Iterator[WorkshopScore]:
    for grade in assessment.iter("workshopform_rubric_grade"):
        comment = prose(_text(grade, "peercomment"))
        yield WorkshopScore(row, assessment.get("id", ""), _text(grade, "dimensionid"), _text(grade, "grade"), comment)


def _dimensions(workshop: ET.Element) -> dict[str, Dimension]:
    return {
        (key := dimension.get("id", "")): Dimension(
            plain(_text(dimension, "description")) or key,
            tuple(_text(level, "grade") for level in dimension.iter("workshopform_rubric_level")),
        )
        for dimension in workshop.iter("workshopform_rubric_dimension")
    }


def _practice(file: str, workshop: ET.Element) -> list[Problem]:
    """A notice of the submissions to practise on, which a backup keeps apart."""
    omissions = Omissions(file)
    for row, _ in enumerate(workshop.iterfind("examplesubmissions/examplesubmission"), start=1):
        omissions.add("practice submission", "with its assessments", row)
    return omissions.notices()


def _text(element: ET.Element, name: str) -> str:
    text = (element.findtext(name) or "").strip()
    return "" if text == _NULL else text
