"""What all other reviewers of a work say about it: the yardstick for a review that may not have looked.

Biases are taken off first, by a simple additive fit (report = work + grader + error, both effects estimated in turn and
the graders' shrunken towards zero), so that a severe reviewer does not make the work look worse. What the others leave
open about a true grade is then normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook
from peerage.model import Priors

Floats = NDArray[np.float64]

_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class OthersView:
    """(reviews, components) each, NaN where a review has no grade; on the model's scale.

    Attributes
    ----------
    value: what was reported
    mean, variance: of the true grade, as far as the others tell; the class's own where nobody else graded
    n_others: how many others graded
    bias: (graders,) how much more than the others a grader gives
    """

    value: Floats
    mean: Floats
    variance: Floats
    n_others: NDArray[np.int64]
    bias: Floats

    @classmethod
    def of(
        cls, book: Gradebook, priors: Priors, precision: Floats | None = None, bias: Floats | None = None
    ) -> OthersView:
        """The view of each review's fellows, with the spreads that the priors have.

        ``precision`` and ``bias`` are (graders,) as fitted; without them all reports count alike, and biases are those
        of the additive fit.
        """
        columns = [
            component.scaled[np.maximum(book.levels[:, index], 0)]
            for index, component in enumerate(book.rubric.components)
        ]
        graded = book.levels != MISSING
        value = np.where(graded, np.stack(columns, axis=1), np.nan)
        mu, sigma = (np.array(part) for part in priors.for_components(len(book.rubric)))
        noise = priors.beta_tau / priors.alpha_tau
        if bias is None:
            bias = _biases(book, value, noise / priors.sigma_b**2 if priors.sigma_b > 0 else np.inf)
        weight = np.full(book.n_graders, 1 / noise) if precision is None else precision
        weights = np.where(graded, weight[book.review_grader][:, None], 0.0)
        adjusted = np.where(graded, weights * (value - bias[book.review_grader][:, None]), 0.0)
        place = book.review_submission
        told, sums, counts = (_by_others(part, place, book.n_submissions) for part in (weights, adjusted, graded))
        variance = 1 / (sigma**-2 + told)
        mean = variance * (mu / sigma**2 + sums)
        mean, variance = (np.where(graded, part, np.nan) for part in (mean, variance))
        return cls(value, mean, variance, counts.astype(np.int64), bias)


def _by_others(values: NDArray[Any], place: NDArray[np.int32], n_submissions: int) -> Floats:
    """(reviews, components) the sum of the other reviews' values of the same work."""
    sums = np.zeros((n_submissions, values.shape[1]))
    np.add.at(sums, place, values)
    return np.asarray(sums[place] - values)


def _biases(book: Gradebook, value: Floats, ridge: float) -> Floats:
    """(graders,) how much more than others each gives to the same work, shrunken towards zero."""
    review, component = np.nonzero(~np.isnan(value))
    cell = book.review_submission[review] * value.shape[1] + component
    grader, report = book.review_grader[review], value[review, component]
    size, bias = book.n_submissions * value.shape[1], np.zeros(book.n_graders)
    n_cell, n_grader = np.bincount(cell, minlength=size), np.bincount(grader, minlength=book.n_graders)
    for _ in range(_ROUNDS):
        work = np.bincount(cell, report - bias[grader], size) / np.maximum(n_cell, 1)
        bias = np.bincount(grader, report - work[cell], book.n_graders) / (n_grader + ridge)
    return bias
