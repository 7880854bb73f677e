"""What one student may see: own grades, the reports behind them without names, and nothing about anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from peerage.errors import InputError, Problem, ResultsError
from peerage.gradebook.book import MISSING
from peerage.report.report_source import ReportSource
from peerage.results.schema import EXPLANATIONS, TOTALS, WEIGHTS
from peerage.results.table_values import text

_NOT_IN_FILE_NAMES = re.compile("[^A-Za-z0-9]+")
_LONGEST_NAME = 40


@dataclass(frozen=True)
class StudentGrade:
    """The grade of a component, and how it follows from the reports; without explanations the sentence is empty."""

    component: str
    grade: str
    sentence: str


@dataclass(frozen=True)
class AnonymousReport:
    """What one reviewer gave on each component (empty if not graded), how much it counts, if that is known, and why.

    ``comment`` is what the reviewer wrote, and ``withheld`` says that it is kept back because it names somebody.
    """

    grades: tuple[str, ...]
    weight: str
    comment: str = ""
    withheld: bool = False


@dataclass(frozen=True)
class StudentSubmission:
    """One of the student's submissions; ``total`` and the points that can be reached are in words."""

    name: str
    assignment: str
    total: str
    grades: tuple[StudentGrade, ...]
    reports: tuple[AnonymousReport, ...]

    @property
    def commented(self) -> bool:
        """Whether a reviewer wrote anything."""
        return any(report.comment or report.withheld for report in self.reports)


@dataclass(frozen=True)
class StudentPage:
    """The whole page; ``explained`` says whether there are weights and sentences, and ``form`` how grades are made."""

    student: str
    submissions: tuple[StudentSubmission, ...]
    explained: bool
    form: str


def students_of(source: ReportSource) -> tuple[str, ...]:
    """All who wrote something, in the order of the file."""
    return tuple(_written_by(source))


def student_page(source: ReportSource, student: str) -> StudentPage:
    """The page of a student."""
    written_by = _written_by(source)
    if student not in written_by:
        raise InputError(Problem(f"{student!r} wrote none of the submissions", "give the id of an author"))
    explained = EXPLANATIONS in source.results.tables
    if explained and source.results.record["explanations"].get("name_graders", True):
        message = "the sentences name the graders, so students must not see them; fit again without naming graders"
        raise ResultsError(message, setting="name_graders")
    submissions = tuple(_submission(source, index) for index in written_by[student])
    return StudentPage(student, submissions, explained, source.results.record["final"])


def file_name(source: ReportSource, student: str) -> str:
    """A name for a student's page that every file system takes, different for different students.

    Nobody can guess it who does not have the results: a student may know others' ids, and the grades.
    """
    readable = _NOT_IN_FILE_NAMES.sub("-", student).strip("-").lower()[:_LONGEST_NAME].strip("-")
    return f"{readable or 'student'}-{sha256((source.results.secret + student).encode()).hexdigest()[:16]}.html"


def _written_by(source: ReportSource) -> Mapping[str, Sequence[int]]:
    if not source.written_by:
        raise InputError(
            Problem(
                "these results do not say who wrote what, so there are no students' pages",
                "add a column author to the grades and fit again",
            )
        )
    return source.written_by


def _submission(source: ReportSource, index: int) -> StudentSubmission:
    book = source.book
    cells = source.cells_of[index]
    rubric = [book.rubric.components[component] for component in source.cell_component[cells]]
    explained = source.table(EXPLANATIONS)
    sentences = None if explained is None else explained["sentence"]
    grades = tuple(
        StudentGrade(component.name, _shown(source.cells["grade"][cell]), "" if sentences is None else sentences[cell])
        for component, cell in zip(rubric, cells, strict=True)
    )
    full = sum(max(component.worth) for component in rubric)
    return StudentSubmission(
        name=book.submissions[index],
        assignment=book.assignments[index],
        total=f"{_total(source.totals['total'][index])} of {_shown(full)} points",
        grades=grades,
        reports=tuple(_reports(source, index, source.cell_component[cells].tolist())),
    )


def _reports(source: ReportSource, index: int, components: list[int]) -> Iterator[AnonymousReport]:
    """The reports in an order that says nothing about who made them: that of their contents, shuffled."""
    book = source.book
    reports = []
    for review in source.reviews_of[index]:
        if (book.levels[review] != MISSING).any():
            grades = tuple(_shown(book.values[review, component]) for component in components)
            reports.append((grades, _weight(source, index, book.review_grader[review]), *_comment(source, review)))
    reports.sort()
    seed = sha256(repr((book.submissions[index], reports)).encode()).digest()
    for place in np.random.default_rng(list(seed)).permutation(len(reports)):
        yield AnonymousReport(*reports[place])


def _comment(source: ReportSource, review: int) -> tuple[str, bool]:
    """What the reviewer wrote, unless it tells who that is or speaks of somebody else."""
    if not source.book.comments or not source.book.comments[review]:
        return "", False
    withheld = source.named[review].is_private
    return "" if withheld else source.book.comments[review], withheld


def _weight(source: ReportSource, submission: int, grader: int) -> str:
    book = source.book
    row = source.weight_rows.get((book.submissions[submission], book.graders[grader]))
    return "" if row is None else f"{source.results.tables[WEIGHTS]['weight'][row]:.0%}"


def _total(points: float) -> str:
    return text(TOTALS.kind("total"), points)


def _shown(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.10g}"
