"""The tables of a fit, from its posterior and what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from peerage.decisions.choices import DecisionChoices
from peerage.decisions.credit_marks import credit_columns
from peerage.decisions.explain.explanation import Explanation
from peerage.decisions.final_grades import PUBLISHED, STAFF, FinalGrades, HandedOut
from peerage.decisions.staff_grades import staff_grades
from peerage.decisions.trust import trust
from peerage.errors import Problem
from peerage.gradebook.book import Gradebook
from peerage.gradebook.named_people import Named
from peerage.inference.posterior import Posterior
from peerage.results.schema import COMMENTS, GRADERS, GRADES, SELF_REVIEWS, TOTALS, WEIGHTS, ResultTable
from peerage.results.table_values import kept
from peerage.support.words.wording import counted, listed

ROUNDING = 1e-6
"""How far a total may lie outside its interval for reasons of arithmetic."""

STATUSES = {STAFF: "staff set a grade", PUBLISHED: "a grade was published before"}
FORMS = {
    "average": "no weighted average of the reports comes nearer to the estimates",
    "explained": "grades are averages of the reports, rounded to legal grades",
    "mean": "grades are plain means of the reports",
    "most-likely": "each component has its most likely grade",
}
"""Why grades can differ from the estimates."""


def grades_table(posterior: Posterior, final: FinalGrades | None = None) -> pd.DataFrame:
    """``posterior.submissions()`` with the grade that the class is given, by default the most likely one."""
    final = FinalGrades.of(posterior) if final is None else final
    table = posterior.submissions().assign(grade=final.grades, status=final.status)
    return _in_order(GRADES, table)


def totals_table(
    posterior: Posterior, final: FinalGrades | None = None, choices: DecisionChoices | None = None
) -> pd.DataFrame:
    """``posterior.totals()`` with a row for each author; a submission whose author is unknown has one row.

    The total is that of the grades in :func:`grades_table`. Where it lies outside its interval, the note says why.
    """
    final = FinalGrades.of(posterior) if final is None else final
    table = posterior.totals().drop(columns="most_likely")
    table["total"] = _points(final, posterior.book)
    outside = (table["total"] < table["lower"] - ROUNDING) | (table["total"] > table["upper"] + ROUNDING)
    reasons = _reasons(posterior, final, choices, set(table["submission"][outside]))
    table["note"] = [reasons.get(name, "") for name in table["submission"]]
    table["author"] = [list(names) or [""] for names in posterior.book.authors]
    return _in_order(TOTALS, table.explode("author", ignore_index=True))


def _reasons(
    posterior: Posterior, final: FinalGrades, choices: DecisionChoices | None, outside: set[str]
) -> dict[str, str]:
    """Why the totals of some submissions lie outside their intervals."""
    by_staff = staff_grades(posterior) if outside and (choices is None or choices.staff_final) else {}
    form = FORMS["most-likely" if choices is None else choices.final]
    found: dict[str, dict[str, None]] = {}
    for cell, status in zip(final.cells, final.status, strict=True):
        if cell[0] in outside:
            why = STATUSES.get(status) or ("staff graded it" if cell in by_staff else form)
            found.setdefault(cell[0], {})[why] = None
    return {name: f"outside the interval: {', '.join(reasons)}" for name, reasons in found.items()}


def graders_table(posterior: Posterior, marks: pd.DataFrame) -> pd.DataFrame:
    """``posterior.graders()`` with each grader's standing and mark, and why there is none."""
    standing = trust(posterior)[["standing"]]
    table = pd.concat([posterior.graders(), standing, credit_columns(posterior, marks)], axis=1)
    return _in_order(GRADERS, table)


def comments_table(book: Gradebook, people: Sequence[Named]) -> pd.DataFrame:
    """The comments of all reviews that have one, and the people whom they name."""
    rows = [
        (book.submissions[submission], book.graders[grader], comment, named.words)
        for submission, grader, comment, named in zip(
            book.review_submission, book.review_grader, book.comments, people, strict=True
        )
        if comment
    ]
    return kept(COMMENTS, pd.DataFrame(rows, columns=list(COMMENTS.names)))


def held_back(book: Gradebook, people: Sequence[Named]) -> Iterator[Problem]:
    """That students do not see some comments, because these tell who wrote them or speak of other people."""
    pairs = [
        f"{book.graders[grader]!r} on {book.submissions[submission]!r}"
        for submission, grader, named in zip(book.review_submission, book.review_grader, people, strict=True)
        if named.is_private
    ]
    if pairs:
        verb = "seems" if len(pairs) == 1 else "seem"
        message = f"{counted(len(pairs), 'comment')} {verb} to name the reviewer or another student: {listed(pairs)}"
        yield Problem(message, "only staff see such comments")


def self_reviews_table(book: Gradebook, final: FinalGrades) -> pd.DataFrame:
    """What authors gave their own work, beside the grades that they get."""
    given = dict(zip(final.cells, final.grades, strict=True))
    rows = [
        (*own, given[own.submission, own.component], round(own.grade - given[own.submission, own.component], 10))
        for own in book.self_grades
        if (own.submission, own.component) in given
    ]
    return kept(SELF_REVIEWS, pd.DataFrame(rows, columns=list(SELF_REVIEWS.names)))


def _in_order(table: ResultTable, frame: pd.DataFrame) -> pd.DataFrame:
    """All columns of a table, in its order; what a posterior tells has a place in the schema."""
    assert set(frame.columns) == set(table.names)
    return kept(table, frame[list(table.names)])


def weights_table(explanation: Explanation, handed_out: HandedOut | None = None) -> pd.DataFrame:
    """``explanation.weights``, but those of submissions whose grades were handed out as they were then."""
    return with_handed_out(kept(WEIGHTS, explanation.weights), handed_out)


def with_handed_out(weights: pd.DataFrame, handed_out: HandedOut | None) -> pd.DataFrame:
    """The weights, but those of submissions whose grades were handed out as they were then."""
    if handed_out is None or handed_out.weights.empty:
        return weights
    then = handed_out.weights
    given = then[then["submission"].isin(weights["submission"])].reindex(columns=weights.columns)
    today = weights[~weights["submission"].isin(given["submission"])]
    rows = pd.concat([part for part in (today, given) if len(part)], ignore_index=True)
    place = {name: index for index, name in enumerate(weights["submission"].unique())}
    order = np.argsort([place[name] for name in rows["submission"]], kind="stable")
    return rows.iloc[order].reset_index(drop=True)


def _points(final: FinalGrades, book: Gradebook) -> list[float]:
    """What the grades of each submission are worth together, rounded as far as sums are inexact.

    A grade between two legal ones is worth what lies between theirs.
    """
    components = {component.name: component for component in book.rubric.components}
    totals = dict.fromkeys(book.submissions, 0.0)
    for (submission, name), grade in zip(final.cells, final.grades, strict=True):
        totals[submission] += float(np.interp(grade, components[name].values, components[name].worth))
    return [round(total, 10) for total in totals.values()]
