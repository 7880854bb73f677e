"""Grades into an assignment in Canvas: first what would change, then, if wanted, the change."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from peerage.canvas.client import Client, Entry, answer, entries, refusals
from peerage.canvas.desired_grades import DesiredGrade, DesiredGrades
from peerage.canvas.place import Patience, Place, Report
from peerage.errors import InputError, Problem, ServiceError
from peerage.rubric import tidy
from peerage.support.words.visible import one_line
from peerage.support.words.wording import counted, listed

BATCH = 100
"""How many students one job of Canvas is about."""

_WITHOUT_POINTS = {"not_graded": "not graded", "pass_fail": "passed or failed"}
_SMALL = 0.005
"""Canvas shows two decimals: grades that differ by less are the same."""


@dataclass(frozen=True)
class CanvasChange:
    """What would become of a student's grade: the points before, if any, those after, and a comment to add."""

    student: str
    name: str
    before: float | None
    after: float
    comment: str

    @property
    def is_of_grade(self) -> bool:
        """Whether the points change, and not the comment alone."""
        return self.before is None or not abs(self.before - self.after) < _SMALL

    def __str__(self) -> str:
        """The change in one line."""
        points = f"{_points(self.before)} → {_points(self.after)}" if self.is_of_grade else f"{_points(self.after)}"
        return f"{self.name} ({self.student}): {points}{', with a comment' if self.comment else ''}"


@dataclass(frozen=True)
class PushPlan:
    """What would change in an assignment.

    Attributes
    ----------
    title: the assignment in words
    changes: of students whose grade or comment is not there yet
    unchanged: how many have just that grade
    strangers: ids in the results that are no student's of the course
    excused: students whom Canvas excuses; they stay so
    ungraded: students of the course for whom the results have no grade
    notices: what is surprising about the assignment
    """

    title: str
    changes: tuple[CanvasChange, ...]
    unchanged: int
    strangers: tuple[str, ...]
    excused: tuple[str, ...]
    ungraded: tuple[str, ...]
    notices: tuple[Problem, ...]

    def lines(self) -> Iterator[str]:
        """The plan in words, a line for each change, whatever names hold."""
        yield from map(one_line, self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.title}: {counted(len(self.changes), 'change')}, {self.unchanged:,} as they are"
        yield from (f"  {change}" for change in self.changes)
        if self.strangers:
            yield f"  not in the course, left out: {', '.join(self.strangers)}"
        if self.excused:
            yield f"  excused in Canvas, left as they are: {', '.join(self.excused)}"
        if self.ungraded:
            yield f"  in the course but without a grade in the results, left as they are: {', '.join(self.ungraded)}"
        yield from (f"  note: {notice}" for notice in self.notices)


@dataclass(frozen=True)
class Target:
    """An assignment in Canvas that grades are written to."""

    place: Place
    client: Client
    patience: Patience
    report: Report

    @classmethod
    def of(cls, place: Place, token: str, patience: Patience, report: Report) -> Target:
        """The assignment at a place."""
        return cls(place, Client(place, token, patience, report), patience, report)

    def plan(self, desired: DesiredGrades) -> PushPlan:
        """Compare what is wanted with what there is now."""
        with refusals(self.place):
            assignment = self._assignment()
            title, kind = self._title(assignment), _WITHOUT_POINTS.get(assignment.get("grading_type") or "")
            if kind is not None:
                raise InputError(Problem(f"{title} is {kind}, without points", "choose another one, or change it"))
            include = [
                "user",
                *(["submission_comments"] if any(grade.comment for grade in desired.of.values()) else []),
            ]
            found = entries(self.client, self.place, "submissions", include=include)
        present = {str(entry["user_id"]): entry for entry in found if "user_id" in entry}
        wanted = {student: grade for student, grade in desired.of.items() if student in present}
        excused = [student for student in wanted if present[student].get("excused")]
        compared = [_change(present[student], wanted[student]) for student in wanted if student not in excused]
        changes = tuple(change for change in compared if change.is_of_grade or change.comment)
        return PushPlan(
            title,
            changes,
            len(compared) - len(changes),
            tuple(student for student in desired.of if student not in present),
            tuple(map(_who, (present[student] for student in excused))),
            tuple(_who(entry) for student, entry in present.items() if student not in desired.of),
            tuple(_notices(assignment, desired)),
        )

    def write(self, desired: DesiredGrades, plan: PushPlan) -> None:
        """Make the changes, wait for Canvas to carry them out, and look whether it has."""
        with refusals(self.place):
            address = f"{self.place.address}/submissions/update_grades"
            for start in range(0, len(plan.changes), BATCH):
                batch = plan.changes[start : start + BATCH]
                self._finish(answer(self.client, "POST", address, grade_data=_grade_data(batch)), batch)
                self.report(f"{plan.title}: {start + len(batch):,} of {counted(len(plan.changes), 'change')} written")
        lost = self.plan(desired).changes
        if lost:
            missing = "; ".join(map(str, lost))
            raise ServiceError(
                f"Canvas says that everything was written, but these are not as they should be: {missing}"
            )

    def _assignment(self) -> dict[str, Any]:
        return answer(self.client, "GET", self.place.address)

    def _title(self, assignment: Mapping[str, Any]) -> str:
        return f"{assignment['name']} (assignment {self.place.assignment})"

    def _finish(self, job: Mapping[str, Any], batch: Sequence[CanvasChange]) -> None:
        """Wait for a job to end."""
        deadline = time.monotonic() + self.patience.job
        while job["workflow_state"] not in ("completed", "failed"):
            if time.monotonic() > deadline:
                message = f"Canvas has not finished after {self.patience.job:g} seconds"
                raise ServiceError(f"{message}; push the grades again later to see what is left to do")
            time.sleep(self.patience.poll)
            job = answer(self.client, "GET", f"progress/{job['id']}")
        if job["workflow_state"] == "failed":
            students = listed(change.student for change in batch)
            reason = job.get("message") or "it does not say why"
            message = f"Canvas failed to write the grades of {students} ({reason})"
            raise ServiceError(f"{message}; push them again to see what is left to do")


def _change(entry: Entry, grade: DesiredGrade) -> CanvasChange:
    # With a late policy the score is what is left of what was entered.
    before = entry.get("entered_score", entry.get("score"))
    said = {_words(comment.get("comment") or "") for comment in entry.get("submission_comments") or ()}
    comment = "" if _words(grade.comment) in said else grade.comment
    return CanvasChange(str(entry["user_id"]), _name(entry), before, grade.points, comment)


def _grade_data(changes: Sequence[CanvasChange]) -> dict[str, dict[str, str]]:
    """What Canvas is told about each student: the points if they change, and the comment if there is one."""
    return {
        change.student: {
            **({"posted_grade": _points(change.after)} if change.is_of_grade else {}),
            **({"text_comment": change.comment} if change.comment else {}),
        }
        for change in changes
    }


def _notices(assignment: Mapping[str, Any], desired: DesiredGrades) -> Iterator[Problem]:
    worth = assignment.get("points_possible")
    if worth is None or abs(worth - desired.most) >= _SMALL:
        message = f"the results are out of {_points(desired.most)} points and the assignment is worth {_points(worth)}"
        yield Problem(f"{message}; points are written as they are", "make the two agree if that is wrong")
    if assignment.get("group_category_id") and not assignment.get("grade_group_students_individually"):
        yield Problem("in this assignment Canvas gives the whole group what one member gets")


def _who(entry: Entry) -> str:
    return f"{_name(entry)} ({entry['user_id']})"


def _name(entry: Entry) -> str:
    return str((entry.get("user") or {}).get("name") or "student")


def _points(points: float | None) -> str:
    return "none" if points is None else str(tidy(points))


def _words(text: str) -> str:
    return " ".join(text.split())
