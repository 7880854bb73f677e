"""The updates of graders in the censored model: reliabilities, biases and efforts, given the true grades.

Equations (9), (12) and (13) of docs/model.md. Each visits a grader's effortful reports and adds a row of log
likelihoods to a vector over the grid, which is contiguous in the table that belongs to the variable. Sums are taken in
32 bits for some reports at a time, where vectors are twice as long, and then added up in 64.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.censored.censored_arrays import Given, State, Work
from peerage.inference.censored.learning_graders import learn_bias, learn_reliability
from peerage.inference.censored.learning_grades import reliability_of
from peerage.inference.numerics.arrays import F32, I64
from peerage.inference.numerics.effort_counts import draw_beta_effort
from peerage.inference.numerics.hyperparameters import (
    AUTHORS,
    count_efforts,
    effort_prior,
    learn_effort,
)
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import add, draw_from_logs, draw_from_product, exponentiate, flush, unclamped

_PENDING = 16
"""Sums of logarithms are taken in 32 bits for this many reports, and then added up in 64."""


@jit(makes_arrays=True)
def draw_reliabilities(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all reliabilities, equation (9), after their prior's hyperparameters, equation (15), if learned.

    Reliabilities that are tied to their owners' grades depend on each other if a submission has several authors, so
    each of them is drawn at once.
    """
    size = len(given.tables.reliability_points)
    for grader in unclamped(given.clamps.reliability):
        if given.beliefs.group[grader] != AUTHORS:
            _load_reliability_logs(grader, given, state, work)
            exponentiate(work.logs, work.scratch.likelihood[grader], size)
    if given.learning.on:
        learn_reliability(rng, adapt, given, state, work.scratch)
    for grader in unclamped(given.clamps.reliability):
        _draw_reliability(grader, rng, given, state, work)


@jit
def _draw_reliability(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's reliability, equation (9), given the likelihoods that have been loaded."""
    group, chosen = given.beliefs.group[grader], -1
    if group != AUTHORS:
        prior = given.beliefs.reliability[group]
        chosen = draw_from_product(rng, prior, work.scratch.likelihood[grader], work.part)
    if chosen < 0:
        chosen = _draw_reliability_from_logs(grader, rng, given, state, work)
    state.reliability[grader] = chosen


@jit
def _load_reliability_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports for each reliability: the product of equation (9)."""
    tables, size = given.tables, len(given.tables.reliability_points)
    offset, steps = tables.from_bias[state.bias[grader]] * size, tables.from_true_grade_by_reliability
    _load_logs(grader, tables.log_mass_by_reliability, tables.report_column, offset, steps, size, given, state, work)


@jit
def _load_logs(
    grader: int, table: F32, origin: I64, offset: int, steps: I64, size: int, given: Given, state: State, work: Work
) -> None:
    """Sum the rows of a table that belong to a grader's effortful reports: the product of equation (9) or (12).

    A report's row begins at its ``origin``, plus ``offset``, plus the step of its true grade. Rows are contiguous, and
    added in 32 bits for some reports at a time, where vectors are twice as long.
    """
    reports, logs, part = given.reports, work.logs, work.part
    for i in range(size):
        logs[i] = 0.0
        part[i] = 0.0
    pending = 0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            continue
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            step = steps[state.true_grade[reports.report_cell[report]]]
            add(part, table, origin[report] + offset + step, size)
            pending += 1
            if pending == _PENDING:
                flush(part, logs, size)
                pending = 0
    flush(part, logs, size)


@jit
def _draw_reliability_from_logs(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> int:
    """Draw a reliability that is tied to its owner's grades, or far from what its prior expects.

    This is equation (9) from logarithms, for authors with the terms of equation (11).
    """
    reports, tables, beliefs, logs = given.reports, given.tables, given.beliefs, work.logs
    size = len(tables.reliability_points)
    _load_reliability_logs(grader, given, state, work)
    for i in range(size):
        logs[i] += beliefs.log_reliability[beliefs.group[grader], i]
    if reports.authored_start[grader + 1] > reports.authored_start[grader]:
        linear, quadratic = _authored_terms(grader, given, state)
        for i in range(size):
            point = tables.reliability_points[i]
            logs[i] += point * (linear - 0.5 * quadratic * point)
    return draw_from_logs(rng, logs, size)


@jit
def _authored_terms(grader: int, given: Given, state: State) -> tuple[float, float]:
    """What an author's own true grades say of the author's reliability p: ``linear·p − quadratic·p²/2``.

    These are the sums of equation (11) over the distances of equation (10).
    """
    reports, tables, beliefs = given.reports, given.tables, given.beliefs
    linear = 0.0
    quadratic = 0.0
    for position in range(reports.authored_start[grader], reports.authored_start[grader + 1]):
        submission = reports.authored[position]
        begin, end = reports.author_start[submission], reports.author_start[submission + 1]
        others = 0.0
        for place in range(begin, end):
            if reports.authors[place] != grader:
                author = np.int64(reports.authors[place])
                others += reliability_of(author, given.clamps, tables.reliability_points, state.reliability)
        others /= end - begin
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            component = reports.cell_component[cell]
            slope = beliefs.author_slope[component] / (end - begin)
            gap = tables.true_grade_points[state.true_grade[cell]] - beliefs.author_mean[component]
            gap -= beliefs.author_slope[component] * (others - beliefs.author_origin[0])
            linear += beliefs.author_precision[component] * slope * gap
            quadratic += beliefs.author_precision[component] * slope * slope
    return linear, quadratic


@jit(makes_arrays=True)
def draw_biases(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all biases, equation (12), after their prior's hyperparameters, equation (15), if learned."""
    for grader in unclamped(given.clamps.bias):
        _load_bias_logs(grader, given, state, work)
        exponentiate(work.logs, work.scratch.likelihood[grader], given.beliefs.bias.shape[1])
    if given.learning.on:
        learn_bias(rng, adapt, given, state, work.scratch)
    for grader in unclamped(given.clamps.bias):
        _draw_bias(grader, rng, given, state, work)


@jit
def _draw_bias(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's bias, equation (12), given the likelihoods that have been loaded."""
    group, size = given.beliefs.group[grader], given.beliefs.bias.shape[1]
    chosen = draw_from_product(rng, given.beliefs.bias[group], work.scratch.likelihood[grader], work.part)
    if chosen < 0:
        _load_bias_logs(grader, given, state, work)
        for i in range(size):
            work.logs[i] += given.beliefs.log_bias[group, i]
        chosen = draw_from_logs(rng, work.logs, size)
    state.bias[grader] = chosen


@jit
def _load_bias_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports for each bias: the product of equation (12)."""
    tables, size = given.tables, given.beliefs.bias.shape[1]
    offset, steps = state.reliability[grader] * tables.row_length[grader], tables.from_true_grade
    _load_logs(grader, tables.log_mass_by_bias, tables.report_row, offset, steps, size, given, state, work)


@jit
def draw_efforts(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all effort probabilities, equation (13), after their prior's hyperparameters, equation (15), if learned."""
    reviews, prior, clamped = given.reports.grader_reviews, given.beliefs.effort, given.clamps.effort
    if given.learning.on:
        count_efforts(reviews, work.effortful, clamped, work.scratch.exceeding)
        learn_effort(rng, adapt, state.hyper, state.hyper_width, work.scratch.exceeding)
        prior[0], prior[1] = effort_prior(state.hyper)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            draw_beta_effort(grader, rng, reviews, state.effortful, prior, state.effort)
