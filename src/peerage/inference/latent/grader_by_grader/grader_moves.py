"""Moves of a grader's bias and reliability with the true grades, drawn to suit the old values, summed out.

Reliability and bias are reflected at their centre with the grader's own reports before rounding summed out too: they
depend on these where much is rounded away, at the ends of the scale. Given these reports, which is cheap, the bias is
drawn and the reliability takes a step. Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.grader_by_grader.latent_habits import AFTER_JUMP, CAREFUL, CARELESS
from peerage.inference.latent.grader_by_grader.review_predictions import predict, take_over
from peerage.inference.latent.latent_arrays import Cells, Errors, Given, Places, State, Work
from peerage.inference.numerics.arrays import F64, I32
from peerage.inference.numerics.effort_density import log_mixed
from peerage.inference.numerics.jit import jit

_RELIABILITY, _BIAS, _COUNT, _TOGETHER = 0, 2, 4, 5
"""Columns of a grader's centre: mean and variance of log reliability and of bias, of how many sweeps, covariance."""

_ENOUGH, _MEMORY = 30.0, 200.0
"""Sweeps over which a centre must have been averaged before it is used, and at most."""

_NOISE = 0.5
"""How far, in standard deviations, a reflection falls from the point opposite."""

_STEP = 2.4
"""The length of a step of the log reliability, in standard deviations that the reports leave to it."""


@jit
def take_into_centre(grader: int, state: State) -> None:
    """Take a grader's present values into the centre: a sweep weighs the more, the later it is, to forget the start."""
    centre = state.centre
    centre[grader, _COUNT] = min(centre[grader, _COUNT] + 1.0, _MEMORY)
    weight = 2.0 / (centre[grader, _COUNT] + 1.0)
    log_gap = math.log(state.reliability[grader]) - centre[grader, _RELIABILITY]
    gap = state.bias[grader] - centre[grader, _BIAS]
    centre[grader, _RELIABILITY] += weight * log_gap
    centre[grader, _BIAS] += weight * gap
    for column, product in ((_RELIABILITY + 1, log_gap * log_gap), (_BIAS + 1, gap * gap), (_TOGETHER, log_gap * gap)):
        centre[grader, column] += weight * ((1.0 - weight) * product - centre[grader, column])


@jit
def reflect(
    grader: int, rng: np.random.Generator, has_effort: bool, has_bias: bool, given: Given, state: State, work: Work
) -> None:
    """Move a grader's reliability and bias to the other side of their centre, plus noise: accepted by equation (D4).

    The values before and after add up to a number that does not depend on where the grader stands, so that the way back
    is as probable. Halos keep their size beside the error.
    """
    places, logs, row = given.places, work.logs, given.graders.group[grader]
    moves_bias = has_bias and not given.clamps.bias[grader]
    if state.centre[grader, _COUNT] < _ENOUGH or not (moves_bias or not given.clamps.reliability[grader]):
        return
    first, last, gain = places.grader_reviews[grader], places.grader_reviews[grader + 1], 0.0
    old_bias, old = state.bias[grader], state.reliability[grader]
    first_noise, second_noise = _noises(grader, rng, state.centre)
    if not given.clamps.reliability[grader]:
        log = 2.0 * state.centre[grader, _RELIABILITY] + first_noise - math.log(old)
        state.reliability[grader] = math.exp(log)
        shape, rate = given.beliefs.reliability[row, 0], given.beliefs.reliability[row, 1]
        gain += shape * (log - math.log(old)) - rate * (state.reliability[grader] - old)
    if moves_bias:
        state.bias[grader] = 2.0 * state.centre[grader, _BIAS] + second_noise - old_bias
        mean, sd = given.beliefs.bias[row, 0], given.beliefs.bias[row, 1]
        gain += 0.5 * (((old_bias - mean) / sd) ** 2 - ((state.bias[grader] - mean) / sd) ** 2)
    root = math.sqrt(old / state.reliability[grader])
    for review in range(first, last):
        work.halo[review - first] = state.halo[review]
        state.halo[review] *= root
    levels, rounding, errors = given.levels, given.beliefs.rounding, given.beliefs.errors
    predict(grader, AFTER_JUMP, places, levels, rounding, errors, state, work.cells, work.predicted, logs)
    effort = state.effort[grader] if has_effort else 1.0
    for place in range(last - first):
        gain += log_mixed(effort, logs[place, AFTER_JUMP], logs[place, CARELESS])
        gain -= log_mixed(effort, logs[place, CAREFUL], logs[place, CARELESS])
    if math.log(rng.random()) < gain:
        take_over(grader, places, logs, work.predicted)
    else:
        state.bias[grader], state.reliability[grader] = old_bias, old
        for review in range(first, last):
            state.halo[review] = work.halo[review - first]


@jit
def _noises(grader: int, rng: np.random.Generator, centre: F64) -> tuple[float, float]:
    """How far from the opposite point log reliability and bias fall; they are as correlated as the two were before."""
    log_sd, sd = math.sqrt(centre[grader, _RELIABILITY + 1]), math.sqrt(centre[grader, _BIAS + 1])
    correlation = centre[grader, _TOGETHER] / (log_sd * sd) if log_sd * sd > 0.0 else 0.0
    own = math.sqrt(max(1.0 - correlation * correlation, 0.0))
    first = rng.standard_normal()
    return _NOISE * log_sd * first, _NOISE * sd * (correlation * first + own * rng.standard_normal())


@jit
def draw_bias(
    grader: int,
    rng: np.random.Generator,
    prior: F64,
    group: I32,
    places: Places,
    errors: Errors,
    state: State,
    cells: Cells,
) -> None:
    """Draw a bias given the reports before rounding and the halos, true grades summed out.

    As a function of the bias, its prior of equation (1) times the product of equation (L2) is normal.
    """
    row, variance, slope = group[grader], 1.0 / state.reliability[grader], state.slope[grader]
    precision, narrowed = prior[row, 1] ** -2.0, 1.0 - slope
    weighted = precision * prior[row, 0]
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        if state.effortful[review]:
            drift, halo = state.drift[places.review_drift[review]], state.halo[review]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                cell = places.report_cell[report]
                inverse = 1.0 / cells.precision[cell]
                weight = 1.0 / (slope * slope * inverse + variance / errors.own[report])
                precision += weight
                expected = slope * cells.weighted[cell] * inverse + narrowed * places.cell_centre[cell]
                weighted += weight * (state.latent[report] - drift - errors.loading[report] * halo - expected)
    state.bias[grader] = weighted / precision + rng.standard_normal() / math.sqrt(precision)


@jit
def move_reliability(
    grader: int,
    rng: np.random.Generator,
    prior: F64,
    group: I32,
    places: Places,
    errors: Errors,
    state: State,
    cells: Cells,
) -> None:
    """Move a reliability by a step of its logarithm, given the reports before rounding; halos move along.

    It is accepted by the prior of equation (1) times the product of equation (L2). Ratios of variances are multiplied,
    and a logarithm is taken only before the product leaves the range of numbers.
    """
    first, last, count = places.grader_reviews[grader], places.grader_reviews[grader + 1], 0
    for review in range(first, last):
        if state.effortful[review]:
            count += places.review_reports[review + 1] - places.review_reports[review]
    shape, rate, now = prior[group[grader], 0], prior[group[grader], 1], state.reliability[grader]
    proposed = now * math.exp(_STEP * rng.standard_normal() / math.sqrt(0.5 * count + shape))
    gain = shape * math.log(proposed / now) - rate * (proposed - now)
    root, ratio, old_variance, variance = math.sqrt(now / proposed), 1.0, 1.0 / now, 1.0 / proposed
    slope = state.slope[grader]
    narrowed, squared = 1.0 - slope, slope * slope
    for review in range(first, last):
        if state.effortful[review]:
            bias = state.bias[grader] + state.drift[places.review_drift[review]]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                cell = places.report_cell[report]
                inverse = 1.0 / cells.precision[cell]
                expected = bias + slope * cells.weighted[cell] * inverse + narrowed * places.cell_centre[cell]
                gap = state.latent[report] - expected
                before = squared * inverse + old_variance / errors.own[report]
                after = squared * inverse + variance / errors.own[report]
                either = 1.0 / (before * after)  # one division in place of three
                halo = errors.loading[report] * state.halo[review]
                old_gap, new_gap = gap - halo, gap - root * halo
                gain += 0.5 * either * (old_gap * old_gap * after - new_gap * new_gap * before)
                ratio *= before * before * either
                if not 1e-100 < ratio < 1e100:
                    gain += 0.5 * math.log(ratio)
                    ratio = 1.0
    if math.log(rng.random()) < gain + 0.5 * math.log(ratio):
        state.reliability[grader] = proposed
        for review in range(first, last):
            state.halo[review] *= root
