"""Which column of a Canvas gradebook each mark belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from peerage.errors import InputError, Problem
from peerage.exports.canvas_gradebook_csv import CanvasGradebook, GradebookColumn
from peerage.exports.delimited import as_text
from peerage.exports.export_options import Options
from peerage.exports.student_marks import Item, StudentMarks
from peerage.support.words.wording import quoted
from peerage.tables.known_columns import fold
from peerage.tables.numbers import parse_number

UNNAMED = "Assignment"
"""What an assignment without a name is called."""


def chosen_columns(
    marks: StudentMarks, options: Options, known: CanvasGradebook | None
) -> tuple[StudentMarks, tuple[GradebookColumn, ...], list[Problem]]:
    """The marks that have a column in Canvas, these columns, and what is surprising about them.

    Every assignment needs an id. Peer grading is left out without one.
    """
    given = _given(marks, options)
    columns, missing, notices = [], [], []
    for item in marks.items:
        identity = given.get(item) or _named(item, known)
        if identity is not None:
            columns.append(_column(item, identity, known))
        elif not item.is_credit:
            missing.append(item.name or UNNAMED)
    if missing:
        message = f"Canvas would create a new assignment for {quoted(missing)} without its id"
        remedy = "give a gradebook that has the assignment as the roster, or give the id"
        raise InputError(Problem(message, remedy, setting="assignment_ids"))
    _check_distinct(columns)
    kept = marks if len(columns) == len(marks.items) else marks.without_credit()
    if kept is not marks:
        remedy = "to export them, give the id of their assignment"
        notices.append(Problem("left out the marks for peer grading", remedy, setting="credit_id"))
    return kept, tuple(columns), [*notices, *_points(kept.items, columns)]


def _given(marks: StudentMarks, options: Options) -> dict[Item, str]:
    """The ids that the user has given."""
    assignments = [item for item in marks.items if not item.is_credit]
    found: dict[Item, str] = {}
    for text in options.assignment_ids:
        name, equals, identity = text.rpartition("=")
        if not equals and len(assignments) > 1:
            message = f"the id {text} could be of any of {len(assignments)} assignments"
            remedy = f"write NAME=ID for each of {quoted(item.name for item in assignments)}"
            raise InputError(Problem(message, remedy, setting="assignment_ids"))
        item = next((item for item in assignments if not equals or item.name == name), None)
        if item is None:
            remedy = f"use {quoted(item.name for item in assignments)}"
            raise InputError(Problem(f"{text}: there is no assignment {name!r}", remedy, setting="assignment_ids"))
        if item in found:
            message = f"{text}: the assignment already has an id"
            raise InputError(Problem(message, "give only one", setting="assignment_ids"))
        found[item] = _checked(identity, "assignment_ids")
    if options.credit_id is not None:
        identity = _checked(options.credit_id, "credit_id")
        credit = next((item for item in marks.items if item.is_credit), None)
        if credit is None:
            message = "nobody has a mark for peer grading"
            raise InputError(Problem(message, "give no id for peer grading", setting="credit_id"))
        found[credit] = identity
    return found


def _checked(identity: str, setting: str) -> str:
    if not (identity.isascii() and identity.isdigit()):
        remedy = "use the number at the end of the assignment's address in Canvas"
        raise InputError(Problem(f"{identity!r} is not a Canvas id", remedy, setting=setting))
    return identity


def _named(item: Item, known: CanvasGradebook | None) -> str | None:
    """The id of the one column of the gradebook that has the item's name."""
    same = [column for column in known.columns if fold(column.name) == fold(item.name)] if known else []
    if len(same) > 1:
        message = f"the gradebook has {len(same)} assignments called {item.name!r}"
        remedy = f"say which is meant: {', '.join(column.id for column in same)}"
        raise InputError(Problem(message, remedy, setting="credit_id" if item.is_credit else "assignment_ids"))
    return same[0].id if same else None


def _column(item: Item, identity: str, known: CanvasGradebook | None) -> GradebookColumn:
    """The column as Canvas has it, or as it will be understood there."""
    if known is None:
        return GradebookColumn(item.name or UNNAMED, identity, as_text(item.points))
    found = next((column for column in known.columns if column.id == identity), None)
    if found is None:
        message = f"the gradebook has no assignment with the id {identity}, and Canvas would create one"
        raise InputError(Problem(message, "correct the id, or export the gradebook again"))
    return found


def _check_distinct(columns: Sequence[GradebookColumn]) -> None:
    ids = [column.id for column in columns]
    if len(set(ids)) < len(ids):
        raise InputError(Problem("two assignments have the same id", "give each its own"))


def _points(items: Sequence[Item], columns: Sequence[GradebookColumn]) -> Iterator[Problem]:
    """Assignments that Canvas counts out of another number of points."""
    for item, column in zip(items, columns, strict=True):
        points = parse_number(column.points)
        if column.points and points != item.points:
            message = f"{column.title!r} is out of {column.points} in Canvas, and out of {as_text(item.points)} here"
            yield Problem(message, "if that is wrong, change the points in Canvas or in the rubric")
