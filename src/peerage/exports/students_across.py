"""A row for each student, with assignments and their components across: what a gradebook on paper looks like."""

from __future__ import annotations

from collections.abc import Iterator

from peerage.results.results import Results
from peerage.results.schema import GRADES

TITLE = "Students"
STUDENT, TOTAL, CREDIT = "student", "total", "peer grading"

Value = str | float
"""A cell; text is empty where there is none."""

Column = tuple[str, str]
"""An assignment, and one of its components or :data:`TOTAL`."""


def students_across(results: Results) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    """The headings and the rows; none if nobody is known to have written anything.

    Somebody with several submissions in an assignment has no grades there: they are on the other sheets.
    """
    written: dict[tuple[str, str], list[str]] = {}
    for total in results.totals:
        if total.author:
            written.setdefault((total.author, total.assignment), []).append(total.submission)
    grades = results.by_cell(GRADES, "grade")
    points = {total.submission: total.total for total in results.totals}
    columns = list(_columns(results))
    students = dict.fromkeys(author for author, _ in written)
    rows = []
    for student in students:
        cells: list[Value] = [student]
        for assignment, part in columns:
            submissions = written.get((student, assignment), ())
            known = points if part == TOTAL else {name: grades.get((name, part), "") for name in submissions}
            cells.append(known[submissions[0]] if len(submissions) == 1 else "")
        rows.append((*cells, *([results.credit.get(student, "")] if results.credit else [])))
    headings = (f"{assignment}: {part}" if assignment else part for assignment, part in columns)
    return (STUDENT, *headings, *([CREDIT] if results.credit else [])), rows


def _columns(results: Results) -> Iterator[Column]:
    """The components of each assignment, in the order of the rubric, and its total."""
    frame = results.table(GRADES, "submission", "component")
    graded: dict[str, set[str]] = {}
    assignment_of = {total.submission: total.assignment for total in results.totals}
    for submission, component in zip(frame["submission"], frame["component"], strict=True):
        graded.setdefault(assignment_of.get(submission, ""), set()).add(component)
    for assignment, components in graded.items():
        yield from ((assignment, name) for name in results.rubric.names if name in components)
        yield assignment, TOTAL
