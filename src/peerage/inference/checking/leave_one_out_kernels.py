"""Predicting each review from all the others, or those that a fit has not seen, in one draw: kernels.

The efforts are drawn anew given everything else, and true grades are summed out, so that all that is left in the draw
of the review which is predicted is what it taught about its grader (see ``loo``), and nothing if it was not seen. This
is equation (18) of docs/model.md, with A of (6). The loops go over submissions: a cell's product over all its reports
is formed once, and each report is divided out of it; where the product is too small for that, logarithms are added up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.censored.cell_products import expected_effort, load_author_means, load_special_prior, log_ratio
from peerage.inference.censored.grader_updates import count_effortful
from peerage.inference.censored.learning_graders import refresh
from peerage.inference.checking.predictive_density import bin_mass
from peerage.inference.latent.normal_tails import below
from peerage.inference.numerics.arrays import F32, F64, I32, I64, Given, State, Work
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import TINY, copy_into, multiply, sum_of_products, sum_of_quotients, total_of
from peerage.inference.uncensored.uncensored_arrays import Given as ExactGiven
from peerage.inference.uncensored.uncensored_arrays import State as ExactState
from peerage.inference.uncensored.uncensored_arrays import Work as ExactWork
from peerage.inference.uncensored.uncensored_learning import refresh as refresh_exactly
from peerage.inference.uncensored.uncensored_sweep import gather, log_density, log_density_given, move_review
from peerage.rubric import MODEL_MAXIMUM

Int = int | np.int64
Bools = NDArray[np.bool_]

MAX_COLLAPSED = 24
"""Of submissions that more graders reviewed, the true grades are taken as they were drawn."""

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(48)
"""Where an integral over a bin is evaluated, as parts of the bin's half width, and the weights."""


class Scale(NamedTuple):
    """Each report's component, level and bin; where expected grades of each component rise, and what they are else.

    A report before rounding that lies above the cut ``cuts[c, j]`` of component c has an expected grade that is higher
    by ``rises[c, j]``, coarser grids being weighed by how probable they are. ``low_effort`` are the masses of grades
    without effort, ``careless`` the expected ones; ``favourite`` has the grades of each habit.
    """

    report_component: I64
    report_level: I64
    low: F64
    high: F64
    cuts: F64
    rises: F64
    low_effort: F64
    careless: F64
    favourite: F64


class Parts(NamedTuple):
    """Which reviews the fit has seen, how many of these each grader has, and which ones are to be predicted."""

    seen: Bools
    n_seen: I64
    wanted: Bools


class Prediction(NamedTuple):
    """What a draw predicts.

    Of each review, the log of the density that the fit used and of the probability of its bins; of each report, the
    expected grade.
    """

    log_density: F64
    log_mass: F64
    mean: F64


@jit
def any_of(flags: Bools, places: I32, begin: Int, end: Int) -> bool:
    """Whether a flag at some of the places is set."""
    found = False
    for position in range(begin, end):
        found |= flags[places[position]]
    return found


@jit
def expected_report(component: Int, effort: float, centre: float, variance: float, scale: Scale) -> float:
    """The expected grade of a report whose value is normal if effortful."""
    careful, root = MODEL_MAXIMUM, 1.0 / math.sqrt(variance)
    for place in range(scale.cuts.shape[1]):
        careful -= scale.rises[component, place] * below((scale.cuts[component, place] - centre) * root)
    return float(effort * careful + (1.0 - effort) * scale.careless[component])


@jit
def log_mixture(effort: float, careful: float, careless: float) -> float:
    """Log of effort·exp(careful) + (1 − effort)·exp(careless): the mixture of (17) and (18)."""
    if effort <= 0.0:
        return careless
    if effort >= 1.0:
        return careful
    careful, careless = careful + math.log(effort), careless + math.log(1.0 - effort)
    top = max(careful, careless)
    return top + math.log(math.exp(careful - top) + math.exp(careless - top))


@jit(fastmath={"reassoc", "contract", "nsz"})
def _moments_with(weights: F32, begin: int, end: int) -> tuple[float, float, float]:
    """Sums of weights, weighted distances from the middle of the range, and their squares, in cells."""
    total, linear, square = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    middle = np.float32(0.5 * (begin + end))
    for i in range(np.uint64(begin), np.uint64(end)):
        gap = np.float32(i) - middle
        total += weights[i]
        linear += weights[i] * gap
        square += weights[i] * gap * gap
    return float(total), float(linear), float(square)


@jit(fastmath={"reassoc", "contract", "nsz"})
def _moments_without(weights: F32, table: F32, start: Int, begin: int, end: int) -> tuple[float, float, float]:
    """The same with the likelihood that starts at ``start`` taken out."""
    total, linear, square = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    middle, first = np.float32(0.5 * (begin + end)), np.uint64(start)
    for i in range(np.uint64(begin), np.uint64(end)):
        gap, weight = np.float32(i) - middle, weights[i] / table[first + i]
        total += weight
        linear += weight * gap
        square += weight * gap * gap
    return float(total), float(linear), float(square)


@jit
def moments(weights: F32, table: F32, start: Int, ends: I64, points: F64) -> tuple[float, float]:
    """Mean and variance of a true grade, the likelihood that starts at ``start`` taken out if that is not negative."""
    begin, end = ends[0], ends[1]
    if start >= 0:
        total, linear, square = _moments_without(weights, table, start, begin, end)
    else:
        total, linear, square = _moments_with(weights, begin, end)
    step = points[1] - points[0]
    middle = points[0] + step * 0.5 * (begin + end)
    mean = linear / total
    return middle + step * mean, step * step * max(square / total - mean * mean, 0.0)


@jit
def _log_moments(logs: F64, log_table: F32, start: Int, points: F64) -> tuple[float, float]:
    """Mean and variance of a true grade from the log of its product, the likelihood at ``start`` taken out."""
    weights = logs[: len(points)] - log_table[start : start + len(points)]
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    mean = (weights * points).sum()
    return mean, (weights * (points - mean) ** 2).sum()


@jit
def _draw_efforts(rng: np.random.Generator, given: Given, state: State, work: Work, seen: Bools) -> None:
    """Draw the efforts of all seen reviews given the true grades; note where each grader's likelihoods are."""
    reports, tables, beliefs, offset = given.reports, given.tables, given.beliefs, work.offset
    for grader in range(len(offset)):
        row = state.reliability[grader] * tables.row_length[grader]
        offset[grader] = row + tables.from_bias[state.bias[grader]]
    for review in range(len(reports.review_grader)):
        grader = reports.review_grader[review]
        probability = state.effort[grader]
        if 0.0 < probability < 1.0:
            log_odds = math.log(probability / (1.0 - probability))
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                place = tables.report_row[report] + offset[grader]
                log_odds += tables.log_mass[place + state.true_grade[reports.report_cell[report]]]
                log_odds -= beliefs.log_low_effort[report]
            probability = 1.0 / (1.0 + math.exp(-log_odds))
        state.effortful[review] = seen[review] and rng.random() < probability
    for grader in range(len(offset)):
        work.effortful[grader] = count_effortful(grader, reports.grader_reviews, state.effortful)


@jit
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
    """Predict reviews in the censored model, equation (18)."""
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    running, ends, offset = work.running, work.ends, work.offset
    if given.learning.on:
        refresh(given, state.hyper, work.scratch)
    if given.learning.correlated:
        load_author_means(given, state, work.author_mean)
    _draw_efforts(rng, given, state, work, parts.seen)
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        if not any_of(parts.wanted, reports.submission_reviews, begin, end):
            continue
        first, last = reports.submission_cells[submission], reports.submission_cells[submission + 1]
        correlated = reports.author_start[submission + 1] > reports.author_start[submission]
        for cell in range(first, last):
            c, component = cell - first, np.int64(reports.cell_component[cell])
            if correlated or clamps.cell_bin[cell] >= 0:
                mean = work.author_mean[cell]
                load_special_prior(
                    cell, component, correlated, mean, tables.true_grade_points, beliefs, clamps, running[c]
                )
                ends[c, 0], ends[c, 1] = 0, running.shape[1]
            else:
                copy_into(running[c], beliefs.true_grade[component])
                ends[c, 0], ends[c, 1] = beliefs.support[component]
        for position in range(begin, end):
            review = reports.submission_reviews[position]
            if state.effortful[review]:
                shift = offset[reports.review_grader[review]]
                for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                    c = reports.report_cell[report] - first
                    multiply(running[c], tables.mass, tables.report_row[report] + shift, ends[c, 0], ends[c, 1])
        for c in range(last - first):
            work.totals[c] = total_of(running[c], ends[c, 0], ends[c, 1])
        for position in range(begin, end):
            review = np.int64(reports.submission_reviews[position])
            if not parts.wanted[review]:
                continue
            grader = np.int64(reports.review_grader[review])
            is_effortful = state.effortful[review]
            effort = state.effort[grader]
            if not clamps.effort[grader]:
                n_others = parts.n_seen[grader] - parts.seen[review]
                prior = float(beliefs.effort[0]), float(beliefs.effort[1])
                effort = expected_effort(work.effortful[grader] - is_effortful, n_others, prior)
            careful = careless = 0.0
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                where = np.int64(reports.report_cell[report])
                c = where - first
                start = tables.report_row[report] + offset[grader]
                careless += beliefs.log_low_effort[report]
                if end - begin > MAX_COLLAPSED:
                    # So many graded this that its true grade hardly depends on the review.
                    careful += tables.log_mass[start + state.true_grade[where]]
                    centre, variance = tables.true_grade_points[state.true_grade[where]], 0.0
                else:
                    with_report = without = work.totals[c]
                    if is_effortful:
                        without = sum_of_quotients(running[c], tables.mass, start, ends[c])
                    else:
                        with_report = sum_of_products(running[c], tables.mass, start, ends[c])
                    if min(with_report, without) > TINY:
                        careful += math.log(with_report / without)
                        own = np.int64(start) if is_effortful else np.int64(-1)
                        centre, variance = moments(running[c], tables.mass, own, ends[c], tables.true_grade_points)
                    else:
                        careful += log_ratio(report, review, submission, given, state, work)
                        centre, variance = _log_moments(work.logs, tables.log_mass, start, tables.true_grade_points)
                variance += 1.0 / reliability[grader]
                component = np.int64(reports.cell_component[where])
                centre += bias[grader]
                out.mean[report] = expected_report(component, effort, centre, variance, scale)
            out.log_mass[review] = log_mixture(effort, careful, careless)
            out.log_density[review] = out.log_mass[review]


@jit
def _draw_efforts_exactly(
    rng: np.random.Generator, given: ExactGiven, state: ExactState, work: ExactWork, seen: Bools
) -> None:
    """Draw the efforts of all seen reviews given the true grades."""
    reports, beliefs = given.reports, given.beliefs
    for review in range(len(reports.review_grader)):
        grader = reports.review_grader[review]
        probability = state.effort[grader]
        if 0.0 < probability < 1.0:
            log_odds = math.log(probability / (1.0 - probability))
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                log_odds += log_density_given(report, grader, given, state) - beliefs.log_low_effort[report]
            probability = 1.0 / (1.0 + math.exp(-log_odds))
        state.effortful[review] = seen[review] and rng.random() < probability
    for grader in range(len(work.effortful)):
        work.effortful[grader] = count_effortful(grader, reports.grader_reviews, state.effortful)


@jit
def _within(mean: float, precision: float, low: float, high: float) -> tuple[F64, F64]:
    """Points and weights that stand for N(mean, 1/precision) within [low, high)."""
    mode, spread = min(max(mean, low), high), 8.0 / math.sqrt(precision)
    begin, end = max(low, mode - spread), min(high, mode + spread)
    points = 0.5 * (begin + end) + 0.5 * (end - begin) * _NODES
    weights = _NODE_WEIGHTS * np.exp(0.5 * precision * ((mode - mean) ** 2 - (points - mean) ** 2))
    return points, weights / weights.sum()


@jit
def _predict_exactly(
    report: Int, first: Int, reliability: float, bias: float, given: ExactGiven, work: ExactWork, scale: Scale
) -> tuple[float, float, float]:
    """Probability of an effortful report's bin given the others in ``work``; mean and variance of its value."""
    cell = given.reports.report_cell[report]
    low, high = scale.low[report], scale.high[report]
    precision = work.precision[cell - first]
    mean = work.weighted[cell - first] / precision
    row = given.clamps.cell_bin[cell]
    if row < 0:
        variance = 1.0 / precision + 1.0 / reliability
        return bin_mass(low, high, mean + bias, 1.0 / variance), mean + bias, variance
    points, weights = _within(mean, precision, given.clamps.bins[row, 0], given.clamps.bins[row, 1])
    mass = 0.0
    for i in range(len(points)):
        mass += weights[i] * bin_mass(low, high, points[i] + bias, reliability)
    mean = (weights * points).sum()
    return mass, mean + bias, (weights * (points - mean) ** 2).sum() + 1.0 / reliability


@jit
def leave_out_exactly(
    rng: np.random.Generator,
    given: ExactGiven,
    state: ExactState,
    work: ExactWork,
    reliability: F64,
    bias: F64,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict reviews in the uncensored model, equation (18) with A in closed form."""
    reports, beliefs, clamps = given.reports, given.beliefs, given.clamps
    if given.learning.on:
        refresh_exactly(given, state.hyper)
    _draw_efforts_exactly(rng, given, state, work, parts.seen)
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        if not any_of(parts.wanted, reports.submission_reviews, begin, end):
            continue
        first = reports.submission_cells[submission]
        gather(submission, given, state, work)
        for position in range(begin, end):
            review = np.int64(reports.submission_reviews[position])
            if not parts.wanted[review]:
                continue
            grader = np.int64(reports.review_grader[review])
            is_effortful = state.effortful[review]
            effort = state.effort[grader]
            if not clamps.effort[grader]:
                n_others = parts.n_seen[grader] - parts.seen[review]
                prior = (float(beliefs.effort[0]), float(beliefs.effort[1]))
                effort = expected_effort(work.effortful[grader] - is_effortful, n_others, prior)
            if is_effortful:
                move_review(review, -1.0, first, given, state, work)
            careful = careless = careful_mass = careless_mass = 0.0
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                component = np.int64(scale.report_component[report])
                careful += log_density(report, review, first, given, state, work)
                careless += beliefs.log_low_effort[report]
                mass, centre, variance = _predict_exactly(
                    report, first, reliability[grader], bias[grader], given, work, scale
                )
                careful_mass += math.log(max(mass, 1e-300))
                careless_mass += math.log(max(scale.low_effort[component, scale.report_level[report]], 1e-300))
                out.mean[report] = expected_report(component, effort, centre, variance, scale)
            if is_effortful:
                move_review(review, 1.0, first, given, state, work)
            out.log_density[review] = log_mixture(effort, careful, careless)
            out.log_mass[review] = log_mixture(effort, careful_mass, careless_mass)
