"""What staff gave, where they graded: their one grade, or the mean of several, weighed by what their reports tell."""

from __future__ import annotations

import numpy as np

from peerage.gradebook.book import MISSING
from peerage.inference.posterior import Posterior


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
