"""What students are to have in Canvas, from results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from peerage.errors import InputError, Problem
from peerage.exports.student_marks import Item, StudentMarks, without_credit
from peerage.results.results import Results
from peerage.results.schema import EXPLANATIONS
from peerage.support.words.wording import quoted


@dataclass(frozen=True)
class DesiredGrade:
    """The points that a student is to have, and what to say about them."""

    points: float
    comment: str = ""


@dataclass(frozen=True)
class DesiredGrades:
    """What is to be in one assignment: for each student, by an id that may be no id of Canvas; and out of how much."""

    of: Mapping[str, DesiredGrade]
    most: float


def final_grades(results: Results, only: str | None, with_comments: bool) -> tuple[DesiredGrades, tuple[Problem, ...]]:
    """The final grades of an assignment, and who is left out of them."""
    marks = StudentMarks.of(results)
    item = _chosen([item for item in marks.items if not item.is_credit], only)
    comments = _comments(results, item.name) if with_comments else {}
    about_credit = set(without_credit(results))
    return _desired(marks, item, comments), tuple(notice for notice in marks.notices if notice not in about_credit)


def peer_grading(results: Results) -> tuple[DesiredGrades, tuple[Problem, ...]]:
    """The marks for peer grading, and who has none."""
    marks = StudentMarks.of(results)
    item = next((item for item in marks.items if item.is_credit), None)
    if item is None:
        remedy = "write only the grades, or fit again"
        raise InputError(Problem("has no marks for peer grading", remedy, results.name, setting="credit_assignment"))
    return _desired(marks, item, {}), tuple(without_credit(results))


def _chosen(items: list[Item], only: str | None) -> Item:
    names = [item.name for item in items]
    if only is None and len(items) > 1:
        message = f"the results are of {len(items)} assignments: {', '.join(map(repr, names))}"
        raise InputError(Problem(message, "say which of them to write", setting="only"))
    if only is not None and only not in names:
        message = f"the results have no assignment {only!r}"
        raise InputError(Problem(message, f"use {quoted(names)}", setting="only"))
    return items[0] if only is None else items[names.index(only)]


def _desired(marks: StudentMarks, item: Item, comments: Mapping[str, str]) -> DesiredGrades:
    place = marks.items.index(item)
    points = {student: values[place] for student, values in marks.values.items()}
    desired = {
        student: DesiredGrade(_rounded(n), comments.get(student, "")) for student, n in points.items() if n is not None
    }
    return DesiredGrades(desired, item.points)


def _rounded(points: float) -> float:
    """Points with the two decimals that Canvas shows, half rounding up."""
    return float(Decimal(repr(points)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _comments(results: Results, assignment: str) -> dict[str, str]:
    """For each author the sentences about the submission, a line for each component."""
    if results.names_graders:
        message = "has sentences that name the graders, and authors must not know them"
        remedy = "fit again without naming graders, or write no comments"
        raise InputError(Problem(message, remedy, results.name, setting="comment"))
    lines: dict[str, list[str]] = {}
    for (submission, component), sentence in results.by_cell(EXPLANATIONS, "sentence").items():
        lines.setdefault(submission, []).append(f"{component}: {sentence}")
    if not lines:
        message = "has no sentences, because its grades are the most likely ones"
        remedy = "fit again for explained grades, or write no comments"
        raise InputError(Problem(message, remedy, results.name, setting="comment"))
    return {
        total.author: "\n".join(lines.get(total.submission, ()))
        for total in results.totals
        if total.assignment == assignment
    }
