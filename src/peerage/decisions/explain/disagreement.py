"""How far a grader's reports lie from those of others on the same work, as evidence that can be put into words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Disagreement:
    """For each review, the mean distance of its grades from the mean of the others', on the model's scale of 0 to 5.

    Attributes
    ----------
    distance: (reviews,) NaN where nobody else graded the same components
    by_grader: for each grader, the reviews
    submission: (reviews,) what each is about
    """

    distance: Floats
    by_grader: tuple[NDArray[np.intp], ...]
    submission: NDArray[np.int32]

    @classmethod
    def of(cls, book: Gradebook) -> Disagreement:
        """Compare every review with the others of its submission."""
        graded = book.levels != MISSING
        scaled = np.column_stack(
            [component.scaled[column] for component, column in zip(book.rubric.components, book.levels.T, strict=True)]
        )
        values = np.where(graded, scaled, 0.0)
        count, total = np.zeros((2, book.n_submissions, len(book.rubric)))
        np.add.at(count, book.review_submission, graded)
        np.add.at(total, book.review_submission, values)
        others = count[book.review_submission] - graded
        compared = graded & (others > 0)
        means = (total[book.review_submission] - values) / np.where(others > 0, others, 1)
        number = compared.sum(axis=1)
        sums = np.where(compared, np.abs(values - means), 0.0).sum(axis=1)
        distance = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
        order = np.argsort(book.review_grader, kind="stable")
        starts = np.searchsorted(book.review_grader[order], np.arange(1, book.n_graders))
        return cls(distance, tuple(np.split(order, starts)), book.review_submission)

    def elsewhere(self, grader: int, submission: int) -> tuple[float, int]:
        """A grader's mean distance from others on other submissions, and on how many; NaN if there are none."""
        reviews = self.by_grader[grader]
        known = self.distance[reviews[self.submission[reviews] != submission]]
        known = known[~np.isnan(known)]
        return (float(known.mean()), len(known)) if len(known) else (float("nan"), 0)
