"""Moodle Workshop: what its tables and its backup both hold, and the grades in it."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.systems.extract import Extract, Grade, Omissions, sheet_of
from peerage.rubric import Component
from peerage.tables.numbers import parse_number

_SECONDS = re.compile("[1-9][0-9]{0,9}")
_TAG = re.compile(r"<[^<>]*>")


class Dimension(NamedTuple):
    """A criterion of the rubric: its name and the grades of its levels, as text."""

    name: str
    levels: tuple[str, ...]


class Submission(NamedTuple):
    """A submission: its author, its workshop, and whether it is an example to practise on."""

    author: str
    workshop: str
    is_practice: bool


class WorkshopAssessment(NamedTuple):
    """An assessment: of what, by whom, when, in which row of which file, and what the reviewer wrote."""

    submission: str
    reviewer: str
    time: str
    file: str
    row: int
    comment: str = ""


class WorkshopScore(NamedTuple):
    """A grade of one dimension in an assessment, as text, its row, and what the reviewer wrote about it."""

    row: int
    assessment: str
    dimension: str
    grade: str
    comment: str = ""


@dataclass
class Workshops:
    """The contents of some workshops, by id; the scores by file."""

    dimensions: dict[str, Dimension] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    assessments: dict[str, WorkshopAssessment] = field(default_factory=dict)
    scores: dict[str, list[WorkshopScore]] = field(default_factory=dict)
    rubric_file: str = ""

    def extract(self) -> Extract:
        """The grades of all finished assessments, and the rubric."""
        names = self._names()
        omissions = {file: Omissions(file) for file in self.scores}
        sheets = tuple(
            sheet_of(file, self._grades(scores, names, omissions[file])) for file, scores in self.scores.items()
        )
        self._note_unfinished(omissions)
        components = tuple((self.rubric_file, component) for component in self._components(names))
        notices = [notice for omitted in omissions.values() for notice in omitted.notices()]
        if not components:
            message = "comes without the rubric's levels, so the legal grades are inferred"
            remedy = "add the rubric's table, or give a rubric"
            notices.append(Problem(message, remedy, next(iter(self.scores)), setting="rubric"))
        return Extract(sheets, components, tuple(notices))

    def _names(self) -> Mapping[str, str]:
        """The name of each dimension, made distinct where descriptions are alike."""
        counts = Counter(dimension.name for dimension in self.dimensions.values())
        return {
            key: dimension.name if counts[dimension.name] == 1 else f"{dimension.name} ({key})"
            for key, dimension in self.dimensions.items()
        }

    def _components(self, names: Mapping[str, str]) -> Iterator[Component]:
        if not any(dimension.levels for dimension in self.dimensions.values()):
            return
        problems = []
        for key, dimension in self.dimensions.items():
            grades = sorted({parse_number(level) for level in dimension.levels})
            if len(grades) < 2 or any(map(math.isnan, grades)):
                message = f"the levels of {names[key]!r} are not two or more different grades"
                problems.append(Problem(message, "export the rubric's levels again", self.rubric_file))
            else:
                yield Component(names[key], tuple(grades))
        if problems:
            raise InputError(problems)

    def _grades(
        self, scores: Iterable[WorkshopScore], names: Mapping[str, str], omissions: Omissions
    ) -> Iterator[Grade]:
        commented: set[str] = set()
        for score in scores:
            assessment = self.assessments.get(score.assessment)
            submission = self.submissions.get(assessment.submission) if assessment else None
            if assessment is None or submission is None:
                omissions.add("grade", "of an assessment or submission that the files do not hold", score.row)
            elif submission.is_practice:
                omissions.add("grade", "of a practice submission", score.row)
            elif self.dimensions and score.dimension not in self.dimensions:
                omissions.add("grade", "of a dimension that the rubric does not have", score.row)
            elif score.grade:
                component = names.get(score.dimension, f"dimension {score.dimension}")
                # What is written about the whole work goes with the first of the grades, so that it is kept once.
                overall = "" if score.assessment in commented else assessment.comment
                commented.add(score.assessment)
                yield Grade(
                    score.row,
                    assessment.submission,
                    assessment.reviewer,
                    component,
                    score.grade,
                    submission.workshop,
                    submission.author,
                    time=assessment.time,
                    comment="\n".join(filter(None, (overall, about(component, score.comment)))),
                )

    def _note_unfinished(self, omissions: dict[str, Omissions]) -> None:
        graded = {score.assessment for scores in self.scores.values() for score in scores if score.grade}
        for key, assessment in self.assessments.items():
            submission = self.submissions.get(assessment.submission)
            if key not in graded and not (submission and submission.is_practice):
                omitted = omissions.setdefault(assessment.file, Omissions(assessment.file))
                omitted.add("assessment", "without any grade", assessment.row)


def plain(text: str) -> str:
    """The first line of a description that may be HTML."""
    lines = html.unescape(_TAG.sub("\n", text)).splitlines()
    return next((" ".join(line.split()) for line in lines if line.strip()), "")


def prose(text: str) -> str:
    """A comment that may be HTML as plain text, a line for each of its paragraphs."""
    lines = (" ".join(line.split()) for line in html.unescape(_TAG.sub("\n", text)).splitlines())
    return "\n".join(filter(None, lines))


def time_of(seconds: str) -> str:
    """A time in seconds since 1970 as ISO 8601; empty where it is unknown."""
    known = _SECONDS.fullmatch(seconds)
    return datetime.fromtimestamp(int(seconds), UTC).isoformat() if known else ""
