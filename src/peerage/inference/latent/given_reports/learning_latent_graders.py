"""Biases and reliabilities given the true grades, halos summed out, and their hyperparameters.

These are equations (D8) to (D11) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Beliefs, Clamps, Errors, Graders, Learning, Places, State
from peerage.inference.latent.latent_priors import refresh_biases, refresh_reliabilities
from peerage.inference.numerics.arrays import F64, I32, Flags
from peerage.inference.numerics.hyperparameters import (
    ALIKE,
    MEAN_BIAS,
    RELIABILITY,
    RELIABILITY_TA,
    REPEATS,
    SHAPE,
    SIGMA_B,
    SIGMA_TA,
    STUDENTS,
    TAS,
    is_idle,
    log_hyperprior,
    propose,
    settle,
)
from peerage.inference.numerics.jit import jit

_COUNT, _WEIGHT, _TOTAL, _SQUARES = 0, 1, 2, 3
"""What suffices of a grader's reports: their number N, and the sums W, Y and V of equation (D8)."""


@jit
def load_grader_sums(places: Places, errors: Errors, state: State, sums: F64) -> None:
    """What suffices of all graders' reports before rounding, halos summed out: equation (D8).

    One pass over a review gives the sums of which its products, equation (D7), are made; all that follows goes over
    graders.
    """
    sums[:] = 0.0
    for review in range(len(places.review_grader)):
        if not state.effortful[review]:
            continue
        grader, weight, total, squares = places.review_grader[review], 0.0, 0.0, 0.0
        begin, end = places.review_reports[review], places.review_reports[review + 1]
        narrowed, drift = 1.0 - state.slope[grader], state.drift[places.review_drift[review]]
        whole, shared, shared_total = 1.0, 0.0, 0.0
        for report in range(begin, end):
            cell, own, loading = places.report_cell[report], errors.own[report], errors.loading[report]
            seen = state.true_grade[cell] - narrowed * (state.true_grade[cell] - places.cell_centre[cell])
            distance = state.latent[report] - seen - drift
            weight += own
            total += own * distance
            squares += own * distance * distance
            both = own * loading
            whole += both * loading
            shared += both
            shared_total += both * distance
        sums[grader, _COUNT] += end - begin
        sums[grader, _WEIGHT] += weight - shared * shared / whole
        sums[grader, _TOTAL] += total - shared * shared_total / whole
        sums[grader, _SQUARES] += squares - shared_total * shared_total / whole


@jit
def _squares_around(sums: F64, grader: int, bias: float) -> float:
    """The sum of squares, halos summed out, around a bias; not negative, whatever rounding does.

    It is part of equations (D9) and (D11).
    """
    return float(
        max(sums[grader, _SQUARES] - 2.0 * bias * sums[grader, _TOTAL] + bias * bias * sums[grader, _WEIGHT], 0.0)
    )


@jit
def draw_biases(
    rng: np.random.Generator, clamped: Flags, group: I32, prior: F64, reliability: F64, sums: F64, bias: F64
) -> None:
    """Draw all biases from their normal conditional distributions: equation (D9)."""
    for grader in range(len(bias)):
        if not clamped[grader]:
            mean, weight = prior[group[grader], 0], prior[group[grader], 1] ** -2.0
            precision = weight + reliability[grader] * sums[grader, _WEIGHT]
            centre = (mean * weight + reliability[grader] * sums[grader, _TOTAL]) / precision
            bias[grader] = centre + rng.standard_normal() / math.sqrt(precision)


@jit
def draw_reliabilities(
    rng: np.random.Generator, clamped: Flags, group: I32, prior: F64, bias: F64, sums: F64, reliability: F64
) -> None:
    """Draw all reliabilities from their Gamma conditional distributions: equation (D9)."""
    for grader in range(len(bias)):
        if not clamped[grader]:
            shape = prior[group[grader], 0] + 0.5 * sums[grader, _COUNT]
            rate = prior[group[grader], 1] + 0.5 * _squares_around(sums, grader, bias[grader])
            reliability[grader] = max(rng.standard_gamma(shape) / rate, 1e-6)


@jit
def learn_biases(
    rng: np.random.Generator,
    adapt: bool,
    learning: Learning,
    graders: Graders,
    clamps: Clamps,
    beliefs: Beliefs,
    state: State,
    sums: F64,
) -> None:
    """Move the spread of biases, that of TAs, and, where staff graded, the students' mean bias; biases summed out.

    They are accepted by the hyperprior times equation (D10).
    """
    theta, width = state.hyper, state.hyper_width
    current = _log_biases(clamps.bias, graders.group, beliefs.bias, state.reliability, sums)
    for position in range(3 * REPEATS):
        index = (SIGMA_B, MEAN_BIAS, SIGMA_TA)[position % 3]
        if not is_idle(index, learning.has_staff, learning.bias_spread):
            old, before = propose(rng, theta, width, index)
            refresh_biases(learning, beliefs, theta)
            proposed = _log_biases(clamps.bias, graders.group, beliefs.bias, state.reliability, sums)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
    refresh_biases(learning, beliefs, theta)


@jit
def _log_biases(clamped: Flags, group: I32, prior: F64, reliability: F64, sums: F64) -> float:
    """Log probability of the means of graders' reports, biases summed out: equation (D10)."""
    total = 0.0
    for grader in range(len(clamped)):
        weight = reliability[grader] * sums[grader, _WEIGHT]
        if weight > 0.0 and not clamped[grader]:
            variance = prior[group[grader], 1] ** 2.0 + 1.0 / weight
            gap = sums[grader, _TOTAL] / sums[grader, _WEIGHT] - prior[group[grader], 0]
            total -= 0.5 * (math.log(variance) + gap * gap / variance)
    return total


@jit
def learn_reliabilities(
    rng: np.random.Generator, adapt: bool, clamped: Flags, group: I32, beliefs: Beliefs, state: State, sums: F64
) -> None:
    """Move the hyperparameters of students' and TAs' reliabilities, which are summed out: equation (D11)."""
    theta, width = state.hyper, state.hyper_width
    for wanted in (STUDENTS, TAS):
        current = _log_reliabilities(wanted, clamped, group, beliefs.reliability, state.bias, sums)
        for position in range(2 * REPEATS):
            index = RELIABILITY_TA if wanted == TAS else (RELIABILITY, SHAPE)[position % 2]
            if index == SHAPE and theta[SHAPE] == ALIKE:
                continue
            old, before = propose(rng, theta, width, index)
            refresh_reliabilities(beliefs, theta)
            proposed = _log_reliabilities(wanted, clamped, group, beliefs.reliability, state.bias, sums)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
        refresh_reliabilities(beliefs, theta)


@jit
def _log_reliabilities(wanted: int, clamped: Flags, group: I32, prior: F64, bias: F64, sums: F64) -> float:
    """Log probability of the distances of a group's reports, reliabilities summed out: equation (D11)."""
    shape, rate = prior[wanted, 0], prior[wanted, 1]
    start, total = shape * math.log(rate) - math.lgamma(shape), 0.0
    for grader in range(len(clamped)):
        if group[grader] == wanted and not clamped[grader]:
            after = shape + 0.5 * sums[grader, _COUNT]
            half = 0.5 * _squares_around(sums, grader, bias[grader])
            total += start + math.lgamma(after) - after * math.log(rate + half)
    return total
