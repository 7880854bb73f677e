"""Predicting reviews in one draw of the uncensored sampler: kernels.

Equation (18) of docs/model.md, with A in closed form, as in equation (14). A review is taken out of its cells' sums,
predicted, and put back.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.effort_density import chance_of_effort, log_mixed
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.leave_one_out_kernels import (
    Bools,
    Int,
    Parts,
    Prediction,
    Scale,
    count_efforts_seen,
    effort_by_others,
    expected_report,
    wanted_reviews,
    wanted_submissions,
)
from peerage.inference.numerics.normal_tails import interval_mass
from peerage.inference.uncensored.uncensored_arrays import Given, State, Work
from peerage.inference.uncensored.uncensored_learning import refresh
from peerage.inference.uncensored.uncensored_sweep import gather, log_density, log_density_given, move_review

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(48)
"""Where an integral over a bin is evaluated, as parts of the bin's half width, and the weights."""


@jit(makes_arrays=True)
def leave_out(
    rng: np.random.Generator,
    given: Given,
    state: State,
    work: Work,
    reliability: F64,
    bias: F64,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict reviews in the uncensored model, equation (18)."""
    reports, first_cell, clamped = given.reports, given.reports.submission_cells, given.clamps.effort
    if given.learning.on:
        refresh(given, state.hyper)
    _draw_efforts(rng, given, state, parts.seen)
    count_efforts_seen(reports.grader_reviews, parts.seen, state.effortful, work.effortful)
    for submission in wanted_submissions(reports, parts.wanted):
        gather(submission, given, state, work)
        for review in wanted_reviews(submission, reports, parts.wanted):
            grader, is_effortful = np.int64(reports.review_grader[review]), state.effortful[review]
            effort = effort_by_others(
                review, grader, clamped, state.effort, state.effortful, work.effortful, given.beliefs.effort, parts
            )
            if is_effortful:
                move_review(review, -1.0, first_cell[submission], given, state, work)
            noise = reliability[grader], bias[grader]
            _predict(review, first_cell[submission], effort, noise, given, state, work, scale, out)
            if is_effortful:
                move_review(review, 1.0, first_cell[submission], given, state, work)


@jit(makes_arrays=True)
def _draw_efforts(rng: np.random.Generator, given: Given, state: State, seen: Bools) -> None:
    """Draw the efforts of all seen reviews given the true grades.

    These are the odds of equation (6) with the density of equation (2) in place of A.
    """
    reports = given.reports
    for review in np.flatnonzero(seen):
        grader = reports.review_grader[review]
        careful = careless = 0.0
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            careful += log_density_given(report, grader, given, state)
            careless += given.beliefs.log_low_effort[report]
        state.effortful[review] = rng.random() < chance_of_effort(state.effort[grader], careful, careless)


@jit
def _predict(
    review: Int,
    first: int,
    effort: float,
    noise: tuple[float, float],
    given: Given,
    state: State,
    work: Work,
    scale: Scale,
    out: Prediction,
) -> None:
    """Predict a review whose grader has a reliability and a bias (``noise``) from the others in ``work``.

    This is equation (18), once with the density that the fit used and once with the probability of the bins.
    """
    reports = given.reports
    careful = careless = careful_mass = careless_mass = 0.0
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        component = np.int64(scale.report_component[report])
        careful += log_density(report, review, first, given, state, work)
        careless += given.beliefs.log_low_effort[report]
        mass, centre, variance = _predict_report(report, first, noise[0], noise[1], given, work, scale)
        careful_mass += math.log(max(mass, 1e-300))
        careless_mass += math.log(max(scale.low_effort[component, scale.report_level[report]], 1e-300))
        out.mean[report] = expected_report(component, effort, centre, variance, scale)
    out.log_density[review] = log_mixed(effort, careful, careless)
    out.log_mass[review] = log_mixed(effort, careful_mass, careless_mass)


@jit(makes_arrays=True)
def _within(mean: float, precision: float, low: float, high: float) -> tuple[F64, F64]:
    """Points and weights that stand for N(mean, 1/precision) within [low, high)."""
    mode, spread = min(max(mean, low), high), 8.0 / math.sqrt(precision)
    begin, end = max(low, mode - spread), min(high, mode + spread)
    points = 0.5 * (begin + end) + 0.5 * (end - begin) * _NODES
    weights = _NODE_WEIGHTS * np.exp(0.5 * precision * ((mode - mean) ** 2 - (points - mean) ** 2))
    return points, weights / weights.sum()


@jit(makes_arrays=True)
def _predict_report(
    report: Int, first: Int, reliability: float, bias: float, given: Given, work: Work, scale: Scale
) -> tuple[float, float, float]:
    """Probability of an effortful report's bin given the others in ``work``; mean and variance of its value.

    By equation (14) the value is normal; where the true grade is fixed to a bin, it is summed out at points.
    """
    cell = given.reports.report_cell[report]
    low, high = scale.low[report], scale.high[report]
    precision = work.precision[cell - first]
    mean = work.weighted[cell - first] / precision
    row = given.clamps.cell_bin[cell]
    if row < 0:
        variance = 1.0 / precision + 1.0 / reliability
        return interval_mass(low, high, mean + bias, 1.0 / variance), mean + bias, variance
    points, weights = _within(mean, precision, given.clamps.bins[row, 0], given.clamps.bins[row, 1])
    mass = 0.0
    for i in range(len(points)):
        mass += weights[i] * interval_mass(low, high, points[i] + bias, reliability)
    mean = (weights * points).sum()
    return mass, mean + bias, (weights * (points - mean) ** 2).sum() + 1.0 / reliability
