"""Whether a grader's reports follow the work at all: use of the scale, as a share of what the model expects.

A student who gives the usual grade and a little noise, or goes half way from there to what was seen, disagrees little
with anybody, and passes for a reliable grader. But such grades follow the work less than they should. By how much, is
seen without regard to the fit: the *slope* of a grader's reports against what the other reviewers of the same work say
(:mod:`peerage.inference.checking.others_view`), over that of a grader with the fitted effort, bias and reliability,

    e · Σ (steps between grades) φ(cut) / √(σ² + 1/p),    cuts less μ + b in units of √(σ² + 1/p);

both in relation to the class's median, so that what is wrong with the yardstick cancels. Let r be their ratio. Most
graders use the scale: r = 1 with a probability of :data:`FULL`, and anything from 0 to 1 otherwise. What a report tells
goes with the square of its slope. So what is told of a grader is multiplied by the mean of r², given its estimate and
the standard error of that, over what this mean is before anything is known.
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
_ADDED = 4.0
"""A grader's own spread is estimated with as many reports of the class's spread added."""


def scale_use(book: Gradebook, priors: Priors, effort: Floats, bias: Floats, reliability: Floats) -> Floats:
    """(graders,) what remains of a grader's information in the light of the grader's use of the scale, 0 to 1.

    ``effort``, ``bias`` and ``reliability`` are (graders,) as fitted. Staff use the scale.
    """
    slope, error, expected = slopes(book, priors, effort, bias, reliability)
    known = np.isfinite(error) & (error > 0) & (expected > _LEAST_SLOPE) & (book.roles == STUDENT)
    if not known.any():
        return np.ones(book.n_graders)
    usual = max(float(np.median(slope[known] / expected[known])), _LEAST_SLOPE)
    use = np.ones(book.n_graders)
    use[known] = remaining(slope[known] / (usual * expected[known]), error[known] / (usual * expected[known]))
    return use


def remaining(ratio: Floats, error: Floats) -> Floats:
    """The mean of r² given estimates of r and their standard errors, over its mean a priori; 1 at most."""
    full = np.exp(-(((ratio - 1) / error) ** 2) / 2) * FULL
    partly = np.exp(-(((ratio[:, None] - _RATIOS) / error[:, None]) ** 2) / 2) * (1 - FULL) / len(_RATIOS)
    full = np.where(ratio > 1, FULL, full)
    partly = np.where(ratio[:, None] > 1, (1 - FULL) / len(_RATIOS), partly)
    told = (full + partly @ _RATIOS**2) / np.maximum(full + partly.sum(axis=1), np.finfo(float).tiny)
    return np.asarray(np.minimum(told / (FULL + (1 - FULL) * float((_RATIOS**2).mean())), 1.0))


def slopes(
    book: Gradebook, priors: Priors, effort: Floats, bias: Floats, reliability: Floats
) -> tuple[Floats, Floats, Floats]:
    """(graders,) each: the slope of reports against what others say, its standard error, and what is expected of it."""
    view = OthersView.of(book, priors)
    grader = book.review_grader
    sums = np.zeros((5, book.n_graders))  # of xx, xy, yy, degrees of freedom, and expected slope times xx
    mu, sigma = priors.for_components(len(book.rubric))
    for index, component in enumerate(book.rubric.components):
        seen = np.flatnonzero(~np.isnan(view.value[:, index]) & (view.n_others[:, index] > 0))
        who, count = grader[seen], np.bincount(grader[seen], minlength=book.n_graders)
        x, y = (
            values - (np.bincount(who, values, book.n_graders) / np.maximum(count, 1))[who]
            for values in (view.mean[seen, index], view.value[seen, index])
        )
        spread = np.sqrt(sigma[index] ** 2 + 1 / np.maximum(reliability, 1e-6))[:, None]
        cuts = (component.cuts - mu[index] - bias[:, None]) / spread
        steps = np.exp(-(cuts**2) / 2) / (np.sqrt(2 * np.pi) * spread) * np.diff(component.scaled)
        squares = np.bincount(who, x**2, book.n_graders)
        sums += [
            squares,
            np.bincount(who, x * y, book.n_graders),
            np.bincount(who, y**2, book.n_graders),
            np.maximum(count - 1, 0),
            effort * steps.sum(axis=1) * squares,
        ]
    xx, xy, yy, freedom, expected = sums
    known = xx > 0
    safe = np.where(known, xx, 1.0)
    slope = xy / safe
    left = np.maximum(yy - slope * xy, 0.0)
    usual = left.sum() / max(float(freedom.sum()), 1.0)
    noise = (left + _ADDED * usual) / (freedom + _ADDED)
    return slope, np.where(known, np.sqrt(noise / safe), np.inf), expected / safe
