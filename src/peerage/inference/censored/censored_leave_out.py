"""Predicting reviews in one draw of the censored sampler: kernels.

Equation (18) of docs/model.md, with A of equation (6). The loops go over submissions: a cell's product over all its
reports is formed once, and each report is divided out of it; where the product is too small for that, logarithms are
added up.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.cell_products import load_author_means, load_special_prior, log_ratio
from peerage.inference.censored.censored_arrays import Given, State, Work
from peerage.inference.censored.learning_graders import refresh
from peerage.inference.numerics.arrays import F32, F64, I64
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
from peerage.inference.numerics.vectors import TINY, copy_into, multiply, sum_of_products, sum_of_quotients, total_of

MAX_COLLAPSED = 24
"""Of submissions that more graders reviewed, the true grades are taken as they were drawn."""


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
    """Predict reviews in the censored model, equation (18)."""
    if given.learning.on:
        refresh(given, state.hyper, work.scratch)
    if given.learning.correlated:
        load_author_means(given, state, work.author_mean)
    clamped = given.clamps.effort
    _draw_efforts(rng, given, state, work, parts.seen)
    for submission in wanted_submissions(given.reports, parts.wanted):
        _load_products(submission, given, state, work)
        for review in wanted_reviews(submission, given.reports, parts.wanted):
            grader = np.int64(given.reports.review_grader[review])
            effort = effort_by_others(
                review, grader, clamped, state.effort, state.effortful, work.effortful, given.beliefs.effort, parts
            )
            noise = 1.0 / reliability[grader], bias[grader]
            _predict(review, submission, effort, noise, given, state, work, scale, out)


@jit(makes_arrays=True)
def _draw_efforts(rng: np.random.Generator, given: Given, state: State, work: Work, seen: Bools) -> None:
    """Draw the efforts of all seen reviews given the true grades; note where each grader's likelihoods are.

    These are the odds of equation (6) with L of equation (3) in place of A.
    """
    reports, tables, offset = given.reports, given.tables, work.offset
    for grader in range(len(offset)):
        row = state.reliability[grader] * tables.row_length[grader]
        offset[grader] = row + tables.from_bias[state.bias[grader]]
    for review in np.flatnonzero(seen):
        grader = reports.review_grader[review]
        careful = careless = 0.0
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            place = tables.report_row[report] + offset[grader]
            careful += tables.log_mass[place + state.true_grade[reports.report_cell[report]]]
            careless += given.beliefs.log_low_effort[report]
        state.effortful[review] = rng.random() < chance_of_effort(state.effort[grader], careful, careless)
    count_efforts_seen(reports.grader_reviews, seen, state.effortful, work.effortful)


@jit
def _load_products(submission: int, given: Given, state: State, work: Work) -> None:
    """The prior of each of a submission's cells times the likelihoods of its effortful reports, and the totals.

    These are the products of equation (8): once for all reviews of the submission, which are divided out of them.
    """
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    running, ends, points = work.running, work.ends, given.tables.true_grade_points
    first, last = reports.submission_cells[submission], reports.submission_cells[submission + 1]
    correlated = reports.author_start[submission + 1] > reports.author_start[submission]
    for cell in range(first, last):
        c, component = cell - first, np.int64(reports.cell_component[cell])
        if correlated or clamps.cell_bin[cell] >= 0:
            mean = work.author_mean[cell]
            load_special_prior(cell, component, correlated, mean, points, beliefs, clamps, running[c])
            ends[c, 0], ends[c, 1] = 0, running.shape[1]
        else:
            copy_into(running[c], beliefs.true_grade[component])
            ends[c, 0], ends[c, 1] = beliefs.support[component]
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        if state.effortful[review]:
            shift = work.offset[reports.review_grader[review]]
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                c = reports.report_cell[report] - first
                multiply(running[c], tables.mass, tables.report_row[report] + shift, ends[c, 0], ends[c, 1])
    for c in range(last - first):
        work.totals[c] = total_of(running[c], ends[c, 0], ends[c, 1])


@jit
def _predict(
    review: Int,
    submission: int,
    effort: float,
    noise: tuple[float, float],
    given: Given,
    state: State,
    work: Work,
    scale: Scale,
    out: Prediction,
) -> None:
    """Predict a review whose grader adds ``noise``, a variance and a bias, from the products of its submission.

    This is equation (18).
    """
    reports, tables, points = given.reports, given.tables, given.tables.true_grade_points
    first, is_effortful = reports.submission_cells[submission], state.effortful[review]
    crowded = reports.submission_start[submission + 1] - reports.submission_start[submission] > MAX_COLLAPSED
    careful = careless = 0.0
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        where = np.int64(reports.report_cell[report])
        c = where - first
        start = tables.report_row[report] + work.offset[reports.review_grader[review]]
        careless += given.beliefs.log_low_effort[report]
        if crowded:
            # So many graded this that its true grade hardly depends on the review.
            careful += tables.log_mass[start + state.true_grade[where]]
            centre, variance = points[state.true_grade[where]], 0.0
        else:
            with_report = without = work.totals[c]
            if is_effortful:
                without = sum_of_quotients(work.running[c], tables.mass, start, work.ends[c])
            else:
                with_report = sum_of_products(work.running[c], tables.mass, start, work.ends[c])
            if min(with_report, without) > TINY:
                careful += math.log(with_report / without)
                own = np.int64(start) if is_effortful else np.int64(-1)
                centre, variance = _moments(work.running[c], tables.mass, own, work.ends[c], points)
            else:
                careful += log_ratio(report, review, submission, given, state, work)
                centre, variance = _log_moments(work.logs, tables.log_mass, start, points)
        component = np.int64(reports.cell_component[where])
        out.mean[report] = expected_report(component, effort, centre + noise[1], variance + noise[0], scale)
    out.log_mass[review] = log_mixed(effort, careful, careless)
    out.log_density[review] = out.log_mass[review]


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
def _moments(weights: F32, table: F32, start: Int, ends: I64, points: F64) -> tuple[float, float]:
    """Mean and variance of a true grade, the likelihood that starts at ``start`` taken out if that is not negative.

    Its distribution is the product of equation (8).
    """
    begin, end = ends[0], ends[1]
    if start >= 0:
        total, linear, square = _moments_without(weights, table, start, begin, end)
    else:
        total, linear, square = _moments_with(weights, begin, end)
    step = points[1] - points[0]
    middle = points[0] + step * 0.5 * (begin + end)
    mean = linear / total
    return middle + step * mean, step * step * max(square / total - mean * mean, 0.0)


@jit(makes_arrays=True)
def _log_moments(logs: F64, log_table: F32, start: Int, points: F64) -> tuple[float, float]:
    """Mean and variance of a true grade from the log of its product, the likelihood at ``start`` taken out.

    The product is that of equation (8).
    """
    weights = logs[: len(points)] - log_table[start : start + len(points)]
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    mean = (weights * points).sum()
    return mean, (weights * (points - mean) ** 2).sum()
