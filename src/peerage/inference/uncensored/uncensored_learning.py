"""How the uncensored model's hyperparameters move within a sweep: equation (15) of docs/model.md in closed form."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.learning_grades import add_tied, log_inverse_gamma, log_tied, refresh_ties
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import (
    ALIKE,
    AUTHORS,
    EPSILON,
    LAMBDA_TAU,
    MEAN_BIAS,
    MEAN_CENTRE,
    MEAN_SPREAD,
    N_CLASSWIDE,
    RELIABILITY,
    RELIABILITY_TA,
    REPEATS,
    SHAPE,
    SIGMA_B,
    SIGMA_TA,
    SIGMA_TAU,
    STUDENTS,
    TA_SHAPE,
    TAS,
    TAU_L,
    bias_prior,
    effort_prior,
    is_idle,
    log_centre,
    log_hyperprior,
    mean_of_means,
    mu_l,
    mu_s,
    propose,
    settle,
    sigma_s,
)
from peerage.inference.numerics.jit import jit
from peerage.inference.uncensored.uncensored_arrays import Given, State, Work

_SHIFTS = 2
_WIDEST_SHIFT = 0.5


@jit
def refresh(given: Given, theta: F64) -> None:
    """Make all priors anew: those of equations (1), (2) and (4)."""
    beliefs = given.beliefs
    for component in range(len(beliefs.mean)):
        beliefs.mean[component] = mu_s(theta, component)
        beliefs.precision[component] = sigma_s(theta, component) ** -2.0
    for group in range(len(beliefs.bias_precision)):
        mean, shape = math.exp(theta[RELIABILITY]), math.exp(theta[SHAPE])
        if group == TAS:
            mean, shape = math.exp(theta[RELIABILITY_TA]), TA_SHAPE
        beliefs.reliability_shape[group] = shape
        beliefs.reliability_rate[group] = shape / mean
        beliefs.bias_mean[group], sd = bias_prior(group, given.learning.has_staff, given.learning.bias_spread, theta)
        beliefs.bias_precision[group] = sd**-2.0
    beliefs.effort[0], beliefs.effort[1] = effort_prior(theta)
    precision = math.exp(theta[TAU_L])
    for report in range(len(beliefs.log_low_effort)):
        beliefs.log_low_effort[report] = _log_low_effort(report, precision, given, theta)
    if given.learning.correlated:
        _refresh_correlation(given, theta)


@jit
def _refresh_correlation(given: Given, theta: F64) -> None:
    """What equation (4) says of authors: how their grades are tied, and the log prior of their reliability.

    The latter is the density times the cell's length, up to a constant: the grid is logarithmic.
    """
    beliefs, edges = given.beliefs, given.beliefs.reliability_edges
    mean, slope, origin = beliefs.author_mean, beliefs.author_slope, beliefs.author_origin
    sd = refresh_ties(theta, mean, beliefs.author_precision, slope, origin)
    for i in range(len(edges) - 1):
        point = math.sqrt(edges[i] * edges[i + 1])
        beliefs.log_author_reliability[i] = math.log(point) - 0.5 * ((point - origin[0]) / sd) ** 2


@jit
def learn_true_grades(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Move each component's mean and spread of true grades, and with correlation its two hyperparameters.

    They are drawn from, or accepted by, the hyperprior times equation (1), with correlation also equation (4). Sums
    that suffice are taken once, so that no move takes a pass over the true grades.
    """
    theta, width = state.hyper, state.hyper_width
    n_components = len(given.beliefs.mean)
    _count_true_grades(given, state, work)
    if not given.learning.correlated:
        for component in range(n_components):
            _learn_mean(component, rng, state, work)
            _learn_spread(component, rng, given, state, work)
        if given.learning.can_shift:
            for _ in range(_SHIFTS):
                _shift(rng, given, state)
        return
    current = _log_plain(theta, work.grade_sums) + log_tied(theta, work.author_sums)
    for position in range(2 * n_components + 2):
        index = N_CLASSWIDE + position
        if position >= 2 * n_components:
            index = SIGMA_TAU if position == 2 * n_components else LAMBDA_TAU
        old, before = propose(rng, theta, width, index)
        proposed = _log_plain(theta, work.grade_sums) + log_tied(theta, work.author_sums)
        if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
            current = proposed


@jit
def _count_true_grades(given: Given, state: State, work: Work) -> None:
    """Sums that suffice: of true grades, and of those tied to their authors with the reliabilities of these.

    These are the sums of equations (1) and (4).
    """
    reports, plain, tied = given.reports, work.grade_sums, work.author_sums
    plain[:] = 0.0
    tied[:] = 0.0
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.author_start[submission], reports.author_start[submission + 1]
        reliability = 0.0
        for position in range(begin, end):
            reliability += state.reliability[reports.authors[position]] / (end - begin)
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            component, value = reports.cell_component[cell], state.true_grade[cell]
            if begin == end:
                plain[component, 0] += 1.0
                plain[component, 1] += value
                plain[component, 2] += value * value
            else:
                add_tied(tied[component], value, reliability)
    for grader in range(len(given.beliefs.group)):
        if given.beliefs.group[grader] == AUTHORS and not given.clamps.reliability[grader]:
            add_tied(tied[len(tied) - 1], 0.0, state.reliability[grader])


@jit
def _log_plain(theta: F64, sums: F64) -> float:
    """Log density of the true grades that are not tied to authors: equation (1)."""
    total = 0.0
    for component in range(len(sums)):
        count, linear, square = sums[component]
        mean, sd = mu_s(theta, component), sigma_s(theta, component)
        total -= count * math.log(sd) + 0.5 * (square - 2.0 * mean * linear + count * mean * mean) / sd**2
    return total


@jit
def _learn_mean(component: int, rng: np.random.Generator, state: State, work: Work) -> None:
    """Draw a component's mean true grade; the hyperprior ties it to the means of the other components.

    The hyperprior times equation (1), as a function of the mean, is normal.
    """
    theta, size = state.hyper, len(work.grade_sums)
    count, linear, _ = work.grade_sums[component]
    of_grades = sigma_s(theta, component) ** -2.0
    tie = MEAN_SPREAD**-2.0 * (1.0 / size**2 - 1.0 / size)
    of_hyperprior = MEAN_SPREAD**-2.0 + tie
    others = size * (mean_of_means(theta) - MEAN_CENTRE) - (mu_s(theta, component) - MEAN_CENTRE)
    precision = count * of_grades + of_hyperprior
    weighted = linear * of_grades + of_hyperprior * MEAN_CENTRE - tie * others
    theta[N_CLASSWIDE + component] = weighted / precision + rng.standard_normal() / math.sqrt(precision)


@jit
def _learn_spread(component: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Propose a spread as if its hyperprior were conjugate, and accept it for the real one.

    The density is the hyperprior times equation (1).
    """
    theta = state.hyper
    index = N_CLASSWIDE + len(given.beliefs.mean) + component
    count, linear, square = work.grade_sums[component]
    mean = mu_s(theta, component)
    shape = 0.5 * count + 1.0
    rate = 0.5 * (square - 2.0 * mean * linear + count * mean * mean) + 0.5
    old, before = theta[index], _log_plain(theta, work.grade_sums) + log_hyperprior(theta)
    theta[index] = 0.5 * math.log(rate / rng.standard_gamma(shape))
    gain = _log_plain(theta, work.grade_sums) + log_hyperprior(theta) - before
    gain += log_inverse_gamma(old, shape, rate) - log_inverse_gamma(theta[index], shape, rate)
    if np.log(rng.random()) >= gain:
        theta[index] = old


@jit(makes_arrays=True)
def _shift(rng: np.random.Generator, given: Given, state: State) -> None:
    """Move all true grades and their means one way and all biases the other: no report notices.

    It is accepted by equation (D15), where all slopes are 1.
    """
    theta = state.hyper
    distance = _WIDEST_SHIFT * rng.random() ** 2 * (1.0 if rng.random() < 0.5 else -1.0)
    n_components = len(given.beliefs.mean)
    gain = -log_hyperprior(theta) - _log_prior_biases(0.0, given, state)
    theta[N_CLASSWIDE : N_CLASSWIDE + n_components] += distance
    if given.learning.has_staff:
        theta[MEAN_BIAS] -= distance
    gain += log_hyperprior(theta) + _log_prior_biases(distance, given, state)
    if np.log(rng.random()) < gain:
        state.bias[:] -= distance
        state.true_grade[:] += distance
    else:
        theta[N_CLASSWIDE : N_CLASSWIDE + n_components] -= distance
        if given.learning.has_staff:
            theta[MEAN_BIAS] += distance


@jit
def _log_prior_biases(distance: float, given: Given, state: State) -> float:
    """Log prior density, up to a constant, of all biases moved down by a distance, as in equation (D15)."""
    learning, group = given.learning, given.beliefs.group
    total = 0.0
    for grader in range(len(group)):
        mean, sd = bias_prior(group[grader], learning.has_staff, learning.bias_spread, state.hyper)
        total -= 0.5 * ((state.bias[grader] - distance - mean) / sd) ** 2
    return total


@jit
def _log_low_effort(report: int, precision: float, given: Given, theta: F64) -> float:
    """Log density of a report if no effort was made: equation (2)."""
    value = given.value[report]
    centre = mu_l(theta, given.learning.report_component[report])
    normal = math.sqrt(precision / (2.0 * math.pi)) * math.exp(-0.5 * precision * (value - centre) ** 2)
    uniform = 0.2 if 0.0 <= value <= 5.0 else 0.0
    return math.log(max((1.0 - EPSILON) * normal + EPSILON * uniform, 1e-300))


@jit
def _log_all_low_effort(wanted: int, given: Given, state: State) -> float:
    """Log density of all low-effort reports and of their centres, of one component if ``wanted`` is not negative.

    The reports' is equation (2).
    """
    reports, precision = given.reports, math.exp(state.hyper[TAU_L])
    total = 0.0
    for component in range(len(given.learning.mean_report)):
        if wanted < 0 or component == wanted:
            total += log_centre(state.hyper, component, given.learning.mean_report[component])
    for review in range(len(reports.review_grader)):
        if not state.effortful[review]:
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                if wanted < 0 or given.learning.report_component[report] == wanted:
                    total += _log_low_effort(report, precision, given, state.hyper)
    return total


@jit
def learn_low_effort(rng: np.random.Generator, adapt: bool, given: Given, state: State) -> None:
    """Move the precision of low-effort reports and each component's centre of them.

    They are accepted by the hyperprior times equation (2) for these reports.
    """
    theta, width = state.hyper, state.hyper_width
    n_components = len(given.beliefs.mean)
    for component in range(-1, n_components):
        index = TAU_L if component < 0 else N_CLASSWIDE + 2 * n_components + component
        current = _log_all_low_effort(component, given, state)
        for _ in range(REPEATS):
            old, before = propose(rng, theta, width, index)
            proposed = _log_all_low_effort(component, given, state)
            if theta[TAU_L] > given.learning.largest_tau_l:
                proposed = -np.inf
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed


@jit
def learn_reliability(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Move the reliability priors' hyperparameters, reliabilities summed out, if they are learned.

    They are accepted by the hyperprior times the second factor of equation (15).
    """
    if not given.learning.on:
        return
    theta, width = state.hyper, state.hyper_width
    current = _log_reliabilities(STUDENTS, given, theta, work)
    for index in (RELIABILITY, SHAPE, RELIABILITY_TA):
        group = TAS if index == RELIABILITY_TA else STUDENTS
        if index == SHAPE and theta[SHAPE] == ALIKE:
            continue
        if index == RELIABILITY_TA:
            current = _log_reliabilities(TAS, given, theta, work)
        old, before = propose(rng, theta, width, index)
        proposed = _log_reliabilities(group, given, theta, work)
        if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
            current = proposed
    refresh(given, theta)


@jit
def _log_reliabilities(wanted: int, given: Given, theta: F64, work: Work) -> float:
    """Log density of a group's effortful reports, up to a constant, reliabilities summed out: equation (15)."""
    mean, shape = math.exp(theta[RELIABILITY]), math.exp(theta[SHAPE])
    if wanted == TAS:
        mean, shape = math.exp(theta[RELIABILITY_TA]), TA_SHAPE
    rate = shape / mean
    total = 0.0
    for grader in range(len(given.beliefs.group)):
        if given.beliefs.group[grader] == wanted and not given.clamps.reliability[grader]:
            grown = shape + 0.5 * work.counts[grader]
            total += math.lgamma(grown) - math.lgamma(shape) + shape * math.log(rate)
            total -= grown * math.log(rate + 0.5 * work.squares[grader])
    return total


@jit
def learn_bias(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Move the spread of biases, that of TAs, and, where staff graded, the students' mean bias; biases summed out.

    They are accepted by the hyperprior times the third factor of equation (15).
    """
    if not given.learning.on:
        return
    theta, width = state.hyper, state.hyper_width
    current = _log_biases(given, theta, work)
    for index in (SIGMA_B, MEAN_BIAS, SIGMA_TA):
        if not is_idle(index, given.learning.has_staff, given.learning.bias_spread):
            old, before = propose(rng, theta, width, index)
            proposed = _log_biases(given, theta, work)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
    refresh(given, theta)


@jit
def _log_biases(given: Given, theta: F64, work: Work) -> float:
    """Log density of all effortful reports, up to a constant, biases summed out: equation (15).

    ``counts`` and ``squares`` hold each bias's precision and precision × mean from the reports alone.
    """
    learning, total = given.learning, 0.0
    for grader in range(len(given.beliefs.group)):
        if not given.clamps.bias[grader]:
            mean, sd = bias_prior(given.beliefs.group[grader], learning.has_staff, learning.bias_spread, theta)
            prior = sd**-2.0
            precision, weighted = prior + work.counts[grader], prior * mean + work.squares[grader]
            total += 0.5 * (math.log(prior / precision) + weighted**2 / precision - prior * mean**2)
    return total
