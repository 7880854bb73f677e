"""What staff gave, where they graded: their one grade, or the mean of several, weighed by what their reports tell.

And whether students are on another level than staff, so that averages of their reports have to be moved.
"""

from __future__ import annotations

import numpy as np

from peerage.decisions.posterior_needs import excess_over_staff
from peerage.gradebook.book import MISSING
from peerage.inference.posterior import Posterior
from peerage.rubric import MODEL_MAXIMUM

NOTABLE = 0.2
"""By how much students' level has to differ from staff's, on the scale of 0 to 5, for averages to be moved to it."""


def staff_grades(posterior: Posterior) -> dict[tuple[str, str], float]:
    """The legal grade nearest to what staff gave a submission's component, by submission and component."""
    book = posterior.book
    influence = posterior.reviews()["influence"].to_numpy()
    by_staff = np.flatnonzero(book.is_staff[book.review_grader])
    levels, submission = book.levels[by_staff], book.review_submission[by_staff]
    # Staff who are believed to tell nothing are heard all the same, if nobody else is.
    weight = np.where(levels != MISSING, np.maximum(influence[by_staff], 1e-9)[:, None], 0.0)
    total, weighted = np.zeros((2, book.n_submissions, len(book.rubric)))
    np.add.at(total, submission, weight)
    np.add.at(weighted, submission, weight * np.nan_to_num(book.values[by_staff]))
    found = {}
    for unit, index in zip(*np.nonzero(total), strict=True):
        component = book.rubric.components[index]
        level = int(component.level_of(round(weighted[unit, index] / total[unit, index], 9)))
        found[book.submissions[unit], component.name] = component.grades[level]
    return found


def contradict_students(posterior: Posterior) -> bool:
    """Whether students' reports are notably above or below the level of staff, as far as their grades tell.

    Then work that staff graded and work that they did not would be graded on two levels. The estimate decides, not its
    interval: leaving the grades where they are would be an estimate, too, of exactly no difference.
    """
    return abs(excess_over_staff(posterior)) >= NOTABLE


def moved_to_their_level(excess: float) -> str:
    """That averages of students' reports were moved to the level of staff, given what students give more than they."""
    return _told(excess, "")


def change_of_level(before: float, after: float) -> str:
    """How the move to the level of staff differs from an earlier one, given both; empty if it does not."""
    if before == after:
        return ""
    if after:
        earlier = _moved(before) if before else "left at the students' level"
        return _told(after, f"; in the earlier results they were {earlier}")
    return (
        "Final grades of work that only students graded are no longer moved to the level of the grades that staff "
        f"gave; in the earlier results they were {_moved(before)}."
    )


def _told(excess: float, earlier: str) -> str:
    return (
        f"Final grades of work that only students graded are {_moved(excess)}, to the level of the grades that staff "
        f"gave{earlier}. The best estimate of the difference is used, whether or not its interval includes 0; a fit "
        "can leave the grades at the students' level."
    )


def _moved(excess: float) -> str:
    return f"{'raised' if excess < 0 else 'lowered'} by {abs(excess):g} of {MODEL_MAXIMUM:g}"
