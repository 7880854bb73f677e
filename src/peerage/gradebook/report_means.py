"""Means and medians of the reports of a submission: what classes use without a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, STUDENT, Gradebook

Floats = NDArray[np.float64]


def mean_reports(book: Gradebook, values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """(submissions, components) the mean of the reports in ``values``, NaN where there is none, and their number.

    ``values`` is (reviews, components), NaN where a report does not count.
    """
    counting, shape = ~np.isnan(values), (book.n_submissions, len(book.rubric))
    counts, sums = np.zeros(shape, np.int64), np.zeros(shape)
    np.add.at(counts, book.review_submission, counting)
    np.add.at(sums, book.review_submission, np.where(counting, values, 0.0))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), counts


def peer_means(book: Gradebook) -> Floats:
    """(cells,) the mean of students' reports in the rubric's units; NaN where no student graded."""
    by_student = book.roles[book.review_grader] == STUDENT
    means, _ = mean_reports(book, np.where(by_student[:, None], book.values, np.nan))
    return np.asarray(means[book.applicable])


def staff_means(book: Gradebook) -> Floats:
    """(cells,) the mean of the staff's reports in the rubric's units; NaN where no staff graded."""
    by_staff = book.is_staff[book.review_grader]
    means, _ = mean_reports(book, np.where(by_staff[:, None], book.values, np.nan))
    return np.asarray(means[book.applicable])


def scaled_values(book: Gradebook) -> Floats:
    """(reviews, components) the reported grades on the model's scale, NaN where missing."""
    values = np.full(book.levels.shape, np.nan)
    for index, component in enumerate(book.rubric.components):
        graded = book.levels[:, index] != MISSING
        values[graded, index] = component.scaled[book.levels[graded, index]]
    return values


def mean_and_median_of_others(book: Gradebook, known: NDArray[np.bool_]) -> dict[str, Floats]:
    """(reviews, components) for each review, what the other known reviews of its submission say; NaN if none does."""
    values = scaled_values(book)
    columns = [_of_others(book.review_submission, column, known) for column in values.T]
    return {name: np.stack([column[name] for column in columns], axis=1) for name in ("mean", "median")}


def _of_others(owner: NDArray[np.int32], values: Floats, known: NDArray[np.bool_]) -> dict[str, Floats]:
    """(reviews,) the mean and the median of the other known grades of the same submission."""
    mine = known & ~np.isnan(values)
    rows = np.flatnonzero(mine)
    rows = rows[np.lexsort((values[rows], owner[rows]))]
    counts = np.bincount(owner[rows], minlength=int(owner.max()) + 1)
    starts = np.cumsum(counts) - counts
    sums = np.bincount(owner[rows], values[rows], minlength=len(counts))
    rank = np.full(len(values), len(values))
    rank[rows] = np.arange(len(rows)) - starts[owner[rows]]
    n_others = counts[owner] - mine
    known_others = n_others > 0
    n_others = np.maximum(n_others, 1)

    ordered = np.append(values[rows], np.nan)

    def nth(place: NDArray[np.int64]) -> Floats:
        """The value at a place in the order of the others."""
        return np.asarray(ordered[np.minimum(starts[owner] + place + (place >= rank), len(rows))])

    mean = (sums[owner] - np.where(mine, values, 0.0)) / n_others
    median = (nth((n_others - 1) // 2) + nth(n_others // 2)) / 2
    return {"mean": np.where(known_others, mean, np.nan), "median": np.where(known_others, median, np.nan)}
