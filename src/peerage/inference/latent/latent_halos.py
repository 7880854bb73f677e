"""Halos, and the share of halo in the variance of a review's errors (docs/model.md, D12 and D14)."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Graders, Places, Priors, State
from peerage.inference.latent.latent_priors import refresh_reliabilities, refresh_shares, share_of
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import HALO, RELIABILITY, RELIABILITY_TA, log_hyperprior, settle
from peerage.inference.numerics.jit import jit

HALO_PRIOR = (1.2, 2.0)
"""The Beta hyperprior of the share of halo."""

_MOVES = 8
"""How often a sweep moves the share, which costs next to nothing."""

_SMALLEST_SHARE = 1e-4


@jit
def learn_halo(
    rng: np.random.Generator, adapt: bool, places: Places, graders: Graders, beliefs: Priors, state: State, by_size: F64
) -> None:
    """Move the odds of halo's share given true grades, biases and residual precisions, halos summed out: D14.

    The mean of residual precisions is held in place, so that the mean of reliabilities moves along: nothing that is
    drawn for graders changes its prior.
    """
    theta, width = state.hyper, state.hyper_width
    by_size[:] = 0.0
    for review in range(len(state.effortful)):
        grader = places.review_grader[review]
        if state.effortful[review] and graders.has_halo[grader]:
            begin, end = places.review_reports[review], places.review_reports[review + 1]
            total = _distance(review, places, state)
            by_size[0, end - begin] += 1.0
            by_size[1, end - begin] += state.reliability[grader] * total * total
    current = _log_halo(theta, by_size)
    for _ in range(_MOVES):
        old, mean, mean_ta = theta[HALO], theta[RELIABILITY], theta[RELIABILITY_TA]
        theta[HALO] += width[HALO] * rng.standard_normal()
        moved = math.log1p(math.exp(old)) - math.log1p(math.exp(theta[HALO]))
        theta[RELIABILITY] += moved
        theta[RELIABILITY_TA] += moved
        proposed = _log_halo(theta, by_size)
        if settle(rng, theta, width, HALO, old, proposed - current, adapt):
            current = proposed
        else:
            theta[RELIABILITY], theta[RELIABILITY_TA] = mean, mean_ta
    refresh_shares(beliefs, theta)
    refresh_reliabilities(beliefs, theta)


@jit
def _distance(review: int, places: Places, state: State) -> float:
    """The sum of a review's distances from what its grader would give without an error."""
    grader = places.review_grader[review]
    bias = state.bias[grader] + state.drift[places.review_drift[review]]
    total, narrowed = 0.0, 1.0 - state.slope[grader]
    for report in range(places.review_reports[review], places.review_reports[review + 1]):
        cell = places.report_cell[report]
        seen = state.true_grade[cell] - narrowed * (state.true_grade[cell] - places.cell_centre[cell])
        total += state.latent[report] - seen - bias
    return total


@jit
def _log_halo(theta: F64, by_size: F64) -> float:
    """Log density of the logit of halo's share, which is the logarithm of its odds."""
    odds, share = math.exp(theta[HALO]), share_of(theta[HALO])
    if not _SMALLEST_SHARE < share < 1.0 - _SMALLEST_SHARE:
        return -np.inf
    total = log_hyperprior(theta) + HALO_PRIOR[0] * math.log(share) + HALO_PRIOR[1] * math.log(1.0 - share)
    for size in range(by_size.shape[1]):
        if by_size[0, size] > 0.0:
            whole = 1.0 + odds * size
            total += 0.5 * (odds / whole * by_size[1, size] - by_size[0, size] * math.log(whole))
    return total


@jit
def draw_halos(rng: np.random.Generator, places: Places, graders: Graders, beliefs: Priors, state: State) -> None:
    """Draw the halos of all effortful reviews given the true grades: equation D12."""
    odds = beliefs.shares[1]
    for review in range(len(state.halo)):
        grader = places.review_grader[review]
        if graders.has_halo[grader] and state.effortful[review]:
            begin, end = places.review_reports[review], places.review_reports[review + 1]
            total = _distance(review, places, state)
            precision = 1.0 / odds + (end - begin)
            noise = rng.standard_normal() / math.sqrt(state.reliability[grader] * precision)
            state.halo[review] = total / precision + noise
