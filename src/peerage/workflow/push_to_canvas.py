"""Final grades and marks for peer grading to Canvas: what should be there, what that would change, and the change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerage.canvas.desired_grades import DesiredGrades, final_grades, peer_grading
from peerage.canvas.place import PATIENCE, Patience, Place, Report, say_nothing
from peerage.canvas.push import PushPlan, Target
from peerage.errors import Problem
from peerage.results.results import Results


@dataclass(frozen=True)
class DesiredInCanvas:
    """What is to be in each of some assignments, who was left out of it, and what was changed by hand."""

    grades: tuple[tuple[Place, DesiredGrades], ...]
    notices: tuple[Problem, ...]


@dataclass(frozen=True)
class PlannedPush:
    """What would change in an assignment, and where and how it is changed."""

    target: Target
    desired: DesiredGrades
    plan: PushPlan


def desired_in_canvas(
    results: Results, place: Place, credit: Place | None = None, *, only: str | None = None, with_comments: bool = False
) -> DesiredInCanvas:
    """The final grades for one assignment and, if a place for it is given, the marks for peer grading for another.

    ``only`` names the assignment of the results, if they have several.
    """
    grades, notices = final_grades(results, only, with_comments)
    notices = (*results.changed, *notices)
    if credit is None:
        return DesiredInCanvas(((place, grades),), notices)
    marks, more = peer_grading(results)
    return DesiredInCanvas(((place, grades), (credit, marks)), (*notices, *more))


def plan_push(
    desired: DesiredInCanvas, token: str, *, patience: Patience = PATIENCE, report: Report = say_nothing
) -> tuple[PlannedPush, ...]:
    """Compare what is to be in each assignment with what there is now; nothing is changed."""
    targets = [(Target.of(place, token, patience, report), grades) for place, grades in desired.grades]
    return tuple(PlannedPush(target, grades, target.plan(grades)) for target, grades in targets)


def push_to_canvas(planned: Sequence[PlannedPush]) -> None:
    """Make the planned changes, and look whether Canvas has made them."""
    for push in planned:
        push.target.write(push.desired, push.plan)
