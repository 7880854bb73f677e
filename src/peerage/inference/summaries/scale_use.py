"""Whether a grader's reports follow the work at all: use of the scale, as a share of what the model expects.

A student who gives the usual grade and a little noise, or goes half way from there to what was seen, disagrees little
with anybody, and passes for a reliable grader. But such grades follow the work less than they should. By how much, is
seen by the *slope* of a grader's reports against what the other reviewers of the same work say
(:mod:`peerage.inference.checking.others_view`, each with the weight and less the bias that the fit gives), beside the
slope that each draw of the grader's traits leads one to expect (:mod:`~peerage.inference.summaries.information`), times
the class's median of their ratios, so that what is wrong with the yardstick cancels.

The fit has slopes of its own, normal around 1 and mostly within a fifth or two of it. That is so for those who use more
or less of the scale than others; it cannot believe that somebody's grades do not follow the work at all.

Let r be the part of the expected slope that a grader's reports have. Most graders use the scale: r = 1 with a
probability of :data:`FULL`, and anything from 0 to 1 otherwise. What a report tells goes with the square of its
slope. So what each draw tells is multiplied by the mean of r², given the slope that was seen and its standard error,
over what this mean is before anything is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT, Gradebook
from peerage.inference.checking.others_view import OthersView
from peerage.model import Priors

Floats = NDArray[np.float64]

FULL = 0.8
"""The share of graders who use the scale."""

_RATIOS = (np.arange(40) + 0.5) / 40
_LEAST_SLOPE = 0.05
_ROWS = 32
"""Of how many draws likelihoods are held at a time: as many as a processor's cache has room for."""

_ADDED = 4.0
"""A grader's own spread is estimated with as many reports of the class's spread added."""


def scale_use(book: Gradebook, priors: Priors, told: Floats, bias: Floats, expected: Floats) -> Floats:
    """(draws, graders) what remains of a grader's information in the light of the grader's use of the scale, 0 to 1.

    ``told`` and ``bias`` are (graders,): what their reports tell, and their biases, as fitted. ``expected`` are the
    (draws, graders) slopes that the fit leads one to expect. Staff use the scale.
    """
    slope, error = slopes(OthersView.of(book, priors, told, bias), book)
    mean = expected.mean(axis=0)
    known = np.isfinite(error) & (error > 0) & (book.roles == STUDENT)
    typical = known & (mean > _LEAST_SLOPE)
    use = np.ones(expected.shape)
    if typical.any():
        usual = max(float(np.median(slope[typical] / mean[typical])), _LEAST_SLOPE)
        use[:, known] = remaining(slope[known], error[known], usual * expected[:, known])
    return use


def remaining(slope: Floats, error: Floats, expected: Floats) -> Floats:
    """The mean of r², given a slope that is r times an expected one but for its standard error, over its mean a priori.

    1 at most; a slope that is steeper than expected counts as expected.
    """
    found = np.empty(expected.shape)
    ratios = np.append(_RATIOS, 1.0)
    prior = np.append(np.full(len(_RATIOS), (1 - FULL) / len(_RATIOS)), FULL)
    sums = np.stack([prior, prior * ratios**2])
    for begin in range(0, len(expected), _ROWS):
        usual = expected[begin : begin + _ROWS]
        seen = np.minimum(slope, usual)
        squares = (((seen - np.multiply.outer(ratios, usual)) / error) ** 2).reshape(len(ratios), -1)
        mass, told = sums @ np.exp((squares.min(axis=0) - squares) / 2)
        found[begin : begin + _ROWS] = (told / mass / sums[1].sum()).reshape(usual.shape)
    return np.minimum(found, 1.0)


def slopes(view: OthersView, book: Gradebook) -> tuple[Floats, Floats]:
    """(graders,) each: the slope of reports against what others say, and its standard error."""
    sums = np.zeros((4, book.n_graders))  # of xx, xy, yy, and degrees of freedom
    for index in range(len(book.rubric)):
        seen = np.flatnonzero(~np.isnan(view.value[:, index]) & (view.n_others[:, index] > 0))
        who = book.review_grader[seen]
        count = np.bincount(who, minlength=book.n_graders)
        x, y = (
            values - (np.bincount(who, values, book.n_graders) / np.maximum(count, 1))[who]
            for values in (view.mean[seen, index], view.value[seen, index])
        )
        squares = (np.bincount(who, part, book.n_graders) for part in (x**2, x * y, y**2))
        sums += [*squares, np.maximum(count - 1, 0)]
    xx, xy, yy, freedom = sums
    known = xx > 0
    safe = np.where(known, xx, 1.0)
    slope = xy / safe
    left = np.maximum(yy - slope * xy, 0.0)
    usual = left.sum() / max(float(freedom.sum()), 1.0)
    noise = (left + _ADDED * usual) / (freedom + _ADDED)
    return slope, np.where(known, np.sqrt(noise / safe), np.inf)
