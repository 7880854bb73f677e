"""The sweeps of the uncensored model: reports are exact numbers, and updates have closed forms.

Same order as in the censored model: for each submission, efforts with the true grades and the effort probability summed
out, then the true grades; for each grader, reliability, bias and effort probability. The one update without a closed
form, an author's reliability under correlation, is drawn on a grid. Equations are those of docs/model.md. Sums of a
cell are kept while its reviews are visited: taking a report out and putting it back costs less than adding up all of
them again.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.numerics.arrays import DrawRows, Sums
from peerage.inference.numerics.effort_counts import count_effortful, draw_beta_effort, expected_effort
from peerage.inference.numerics.hyperparameters import count_efforts, effort_prior, learn_effort
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import interval_mass
from peerage.inference.numerics.vectors import draw_from_logs, unclamped
from peerage.inference.numerics.write_draws import write_draws
from peerage.inference.uncensored.uncensored_arrays import Given, State, Work
from peerage.inference.uncensored.uncensored_learning import (
    learn_bias,
    learn_low_effort,
    learn_reliability,
    learn_true_grades,
    refresh,
)

_SMALLEST = 1e-300
"""No probability is smaller, lest its logarithm or its inverse be infinite."""


@jit(makes_arrays=True)
def sweep(
    rng: np.random.Generator,
    sweeps: int,
    first: int,
    keep: bool,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    draws: DrawRows,
    work: Work,
) -> None:
    """Run ``sweeps`` sweeps in place; if ``keep``, add to the sums and write the draws from row ``first`` on.

    They leave the joint density, equation (5), as it is. Efforts and true grades go submission by submission: given the
    graders, submissions share only the counts of efforts, which are kept up to date.
    """
    reports, clamps, learned, theta = given.reports, given.clamps, given.learning.on, state.hyper
    n_graders = len(reports.grader_reviews) - 1
    for index in range(sweeps):
        if learned:
            refresh(given, theta)
        for grader in range(n_graders):
            work.effortful[grader] = count_effortful(grader, reports.grader_reviews, state.effortful)
        for submission in range(len(reports.submission_cells) - 1):
            gather(submission, given, state, work)
            if has_effort:
                _efforts(submission, rng, keep, given, state, sums, work)
            _true_grades(submission, rng, keep, given, state, sums, work)
        if learned:
            learn_true_grades(rng, not keep, given, state, work)
            if has_effort:
                learn_low_effort(rng, not keep, given, state)
        _reliabilities(rng, not keep, given, state, work)
        if has_bias:
            _biases(rng, not keep, given, state, work)
        if has_effort:
            if learned:
                count_efforts(reports.grader_reviews, work.effortful, clamps.effort, work.exceeding)
                learn_effort(rng, not keep, theta, state.hyper_width, work.exceeding)
                given.beliefs.effort[0], given.beliefs.effort[1] = effort_prior(theta)
            for grader in unclamped(clamps.effort):
                draw_beta_effort(
                    grader, rng, reports.grader_reviews, state.effortful, given.beliefs.effort, state.effort
                )
        if keep:
            _add_influence(given, state, sums)
            write_draws(first + index, state, draws)


@jit
def _prior_mean(component: int, submission: int, given: Given, state: State) -> float:
    """The prior mean of a true grade, m in equation (14): by equation (4) if it has authors, else by equation (1)."""
    reports, beliefs = given.reports, given.beliefs
    begin, end = reports.author_start[submission], reports.author_start[submission + 1]
    if begin == end:
        return float(beliefs.mean[component])
    reliability = 0.0
    for position in range(begin, end):
        reliability += state.reliability[reports.authors[position]] / (end - begin)
    shift = beliefs.author_slope[component] * (reliability - beliefs.author_origin[0])
    return float(beliefs.author_mean[component] + shift)


@jit
def gather(submission: int, given: Given, state: State, work: Work) -> None:
    """P and M of equation (14): precision, and precision times mean, of each cell's true grade given what is known."""
    reports, beliefs = given.reports, given.beliefs
    first = reports.submission_cells[submission]
    correlated = reports.author_start[submission + 1] > reports.author_start[submission]
    for cell in range(first, reports.submission_cells[submission + 1]):
        component = reports.cell_component[cell]
        precision = beliefs.author_precision[component] if correlated else beliefs.precision[component]
        work.precision[cell - first] = precision
        work.weighted[cell - first] = precision * _prior_mean(component, submission, given, state)
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        if state.effortful[review]:
            move_review(review, 1.0, first, given, state, work)


@jit
def move_review(review: int | np.int64, sign: float, first: int, given: Given, state: State, work: Work) -> None:
    """Add a review's reports to its cells' sums, P and M of equation (14), (sign 1) or take them out (sign -1)."""
    reports = given.reports
    grader = reports.review_grader[review]
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        c = reports.report_cell[report] - first
        work.precision[c] += sign * state.reliability[grader]
        work.weighted[c] += sign * state.reliability[grader] * (given.value[report] - state.bias[grader])


@jit
def _efforts(
    submission: int, rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw each effort given all others by the odds of equation (6), true grades and effort probability summed out."""
    reports, beliefs, clamps = given.reports, given.beliefs, given.clamps
    first = reports.submission_cells[submission]
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        grader = reports.review_grader[review]
        if state.effortful[review]:
            move_review(review, -1.0, first, given, state, work)
            work.effortful[grader] -= 1
        probability = state.effort[grader]
        if not clamps.effort[grader]:
            others = reports.grader_reviews[grader + 1] - reports.grader_reviews[grader] - 1
            prior = float(beliefs.effort[0]), float(beliefs.effort[1])
            probability = expected_effort(work.effortful[grader], others, prior)
        if 0.0 < probability < 1.0:
            log_odds = np.log(probability / (1.0 - probability))
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                log_odds += log_density(report, review, first, given, state, work) - beliefs.log_low_effort[report]
            probability = 1.0 / (1.0 + np.exp(-log_odds))
        effortful = rng.random() < probability
        state.effortful[review] = effortful
        if effortful:
            move_review(review, 1.0, first, given, state, work)
            work.effortful[grader] += 1
        if keep:
            sums.effortful[review] += probability


@jit
def log_density(report: int, review: int | np.int64, first: int, given: Given, state: State, work: Work) -> float:
    """Log of A in equation (6): an effortful report given the others in ``work``, true grade summed out.

    By equation (14) it is normal, N(M/P, 1/P + 1/p).
    """
    reports, clamps = given.reports, given.clamps
    grader = reports.review_grader[review]
    cell = reports.report_cell[report]
    precision, weighted = work.precision[cell - first], work.weighted[cell - first]
    own = state.reliability[grader]
    value = given.value[report] - state.bias[grader]
    spread = own * precision / (own + precision)
    log_density = 0.5 * np.log(spread / (2 * np.pi)) - 0.5 * spread * (value - weighted / precision) ** 2
    row = clamps.cell_bin[cell]
    if row >= 0:
        low, high = clamps.bins[row, 0], clamps.bins[row, 1]
        both, total = precision + own, weighted + own * value
        log_density += np.log(_mass(low, high, total / both, both))
        log_density -= np.log(_mass(low, high, weighted / precision, precision))
    return float(log_density)


@jit
def log_density_given(report: int, grader: int, given: Given, state: State) -> float:
    """Log density of an effortful report given its true grade: equation (2)."""
    centre, precision = state.true_grade[given.reports.report_cell[report]], state.reliability[grader]
    gap = given.value[report] - centre - state.bias[grader]
    return float(0.5 * np.log(precision / (2 * np.pi)) - 0.5 * precision * gap * gap)


@jit
def _mass(low: float, high: float, mean: float, precision: float) -> float:
    """The mass of an interval, equation (3), as a number to take a logarithm of or to divide by."""
    return max(interval_mass(low, high, mean, precision), _SMALLEST)


@jit
def _truncated_normal(rng: np.random.Generator, mean: float, precision: float, low: float, high: float) -> float:
    """A draw of N(mean, 1/precision) within [low, high), by rejection."""
    root = math.sqrt(precision)
    a, b = (low - mean) * root, (high - mean) * root
    mirror = b < -a
    if mirror:
        a, b = -b, -a
    # Now the interval's nearer end is a. A normal proposal suits intervals around the mean; one that is exponential
    # from a on (Robert 1995) suits long tails; a uniform one suits short intervals.
    z = a
    accepted = False
    nearest = max(a, 0.0)
    while not accepted:
        if a < 0.5 and b - a > 1.0:
            z = rng.standard_normal()
            accepted = a <= z < b
        elif b - a > 2.0 / (a + math.sqrt(a * a + 4.0)):
            rate = 0.5 * (a + math.sqrt(a * a + 4.0))
            z = a + rng.standard_exponential() / rate
            accepted = z < b and rng.random() < math.exp(-0.5 * (z - rate) ** 2)
        else:
            z = a + (b - a) * rng.random()
            accepted = rng.random() < math.exp(0.5 * (nearest * nearest - z * z))
    return float(mean + (-z if mirror else z) / root)


@jit
def _true_grades(
    submission: int, rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw the submission's true grades, equation (14); the probabilities of their levels are in closed form too."""
    reports, clamps = given.reports, given.clamps
    first = reports.submission_cells[submission]
    for cell in range(first, reports.submission_cells[submission + 1]):
        precision = work.precision[cell - first]
        mean = work.weighted[cell - first] / precision
        low, high = -np.inf, np.inf
        row = clamps.cell_bin[cell]
        if row >= 0:
            low, high = clamps.bins[row, 0], clamps.bins[row, 1]
            state.true_grade[cell] = _truncated_normal(rng, mean, precision, low, high)
        else:
            state.true_grade[cell] = mean + rng.standard_normal() / np.sqrt(precision)
        if keep:
            component = reports.cell_component[cell]
            begin, end = work.cut_start[component], work.cut_start[component + 1]
            total = _mass(low, high, mean, precision)
            for level in range(end - begin + 1):
                bottom = max(low, work.cuts[begin + level - 1] if level > 0 else -np.inf)
                top = min(high, work.cuts[begin + level] if level < end - begin else np.inf)
                if bottom < top:
                    mass = _mass(bottom, top, mean, precision)
                    sums.level_mass[cell, level] += mass / total


@jit(makes_arrays=True)
def _reliabilities(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all reliabilities: Gamma, equation (14), or on a grid, equation (9), if tied to the grader's own grades."""
    for grader in unclamped(given.clamps.reliability):
        work.counts[grader], work.squares[grader] = _squares(grader, given, state)
    learn_reliability(rng, adapt, given, state, work)
    for grader in unclamped(given.clamps.reliability):
        _draw_reliability(grader, rng, given, state, work)


@jit
def _draw_reliability(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's reliability given the sums that have been taken: equation (14), or (9) of an author."""
    beliefs, count, squares = given.beliefs, work.counts[grader], work.squares[grader]
    group = beliefs.group[grader]
    if group == beliefs.author_group:
        state.reliability[grader] = _author_reliability(grader, rng, count, squares, given, state, work)
    else:
        rate = beliefs.reliability_rate[group] + 0.5 * squares
        drawn = rng.standard_gamma(beliefs.reliability_shape[group] + 0.5 * count) / rate
        state.reliability[grader] = max(drawn, 1e-30)  # a small shape can underflow to zero


@jit
def _squares(grader: int, given: Given, state: State) -> tuple[int, float]:
    """The number of a grader's effortful component grades, and the sum of their squared errors.

    These are n and the last sum of equation (14).
    """
    reports = given.reports
    count = 0
    squares = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if state.effortful[review]:
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                gap = given.value[report] - state.bias[grader] - state.true_grade[reports.report_cell[report]]
                squares += gap * gap
                count += 1
    return count, squares


@jit
def _author_reliability(
    grader: int, rng: np.random.Generator, count: float, squares: float, given: Given, state: State, work: Work
) -> float:
    """Draw an author's reliability, equation (9), on its grid, and its logarithm uniformly within the cell.

    What the author's own grades say of it are the terms of equation (11).
    """
    reports, beliefs = given.reports, given.beliefs
    linear = 0.0
    quadratic = 0.0
    for position in range(reports.authored_start[grader], reports.authored_start[grader + 1]):
        submission = reports.authored[position]
        size = reports.author_start[submission + 1] - reports.author_start[submission]
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            component = reports.cell_component[cell]
            slope = beliefs.author_slope[component] / size
            rest = _prior_mean(component, submission, given, state) - slope * state.reliability[grader]
            linear += beliefs.author_precision[component] * slope * (state.true_grade[cell] - rest)
            quadratic += beliefs.author_precision[component] * slope * slope
    edges, logs = beliefs.reliability_edges, work.logs
    for i in range(len(edges) - 1):
        point = math.sqrt(edges[i] * edges[i + 1])
        logs[i] = beliefs.log_author_reliability[i] + 0.5 * count * math.log(point)
        logs[i] += point * (linear - 0.5 * squares - 0.5 * quadratic * point)
    cell = draw_from_logs(rng, logs, len(edges) - 1)
    return float(edges[cell] * (edges[cell + 1] / edges[cell]) ** rng.random())


@jit(makes_arrays=True)
def _biases(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all biases, equation (14): a bias's precision grows with every effortful component grade."""
    for grader in unclamped(given.clamps.bias):
        work.counts[grader], work.squares[grader] = _bias_terms(grader, given, state)
    learn_bias(rng, adapt, given, state, work)
    for grader in unclamped(given.clamps.bias):
        _draw_bias(grader, rng, given, state, work)


@jit
def _draw_bias(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's bias given the sums that have been taken: equation (14)."""
    beliefs = given.beliefs
    group = beliefs.group[grader]
    precision = beliefs.bias_precision[group] + work.counts[grader]
    weighted = beliefs.bias_precision[group] * beliefs.bias_mean[group] + work.squares[grader]
    state.bias[grader] = weighted / precision + rng.standard_normal() / np.sqrt(precision)


@jit
def _bias_terms(grader: int, given: Given, state: State) -> tuple[float, float]:
    """Precision, and precision times mean, of a grader's bias from the reports alone: sums of equation (14)."""
    reports = given.reports
    reliability = state.reliability[grader]
    precision = 0.0
    weighted = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if state.effortful[review]:
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                weighted += reliability * (given.value[report] - state.true_grade[reports.report_cell[report]])
                precision += reliability
    return precision, weighted


@jit
def _add_influence(given: Given, state: State, sums: Sums) -> None:
    """Add effort times reliability of every review, equation (S7) without halos: what desired weights rest on."""
    for review in range(len(state.effortful)):
        if state.effortful[review]:
            sums.influence[review] += state.reliability[given.reports.review_grader[review]]
