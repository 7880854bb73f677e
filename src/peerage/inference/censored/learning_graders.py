"""How the hyperparameters of graders and of low effort move in the censored model, and what that does to priors.

Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.censored_arrays import Beliefs, Given, Learning, Scratch, State
from peerage.inference.censored.grid_masses import (
    SMALLEST,
    bias_masses,
    learned_low_effort_masses,
    reliability_masses,
    store,
)
from peerage.inference.censored.learning_grades import refresh_true_grades
from peerage.inference.numerics.arrays import F32, F64, I32, Flags
from peerage.inference.numerics.hyperparameters import (
    ALIKE,
    AUTHORS,
    MEAN_BIAS,
    N_CLASSWIDE,
    RELIABILITY,
    RELIABILITY_TA,
    REPEATS,
    SHAPE,
    SIGMA_B,
    SIGMA_TA,
    STUDENTS,
    TAS,
    TAU_L,
    effort_prior,
    is_idle,
    log_centre,
    log_hyperprior,
    propose,
    settle,
)
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import REORDER


@jit
def refresh(given: Given, theta: F64, scratch: Scratch) -> None:
    """Make all priors on the grids anew: those of equations (1), (2) and (4)."""
    learning, beliefs = given.learning, given.beliefs
    refresh_true_grades(learning, beliefs, theta, scratch.masses)
    _refresh_low_effort(given, theta, scratch.low_effort)
    _refresh_reliabilities(learning, beliefs, theta, scratch)
    _refresh_biases(learning, beliefs, theta, scratch)
    beliefs.effort[0], beliefs.effort[1] = effort_prior(theta)


@jit
def _refresh_low_effort(given: Given, theta: F64, by_level: F64) -> None:
    """The log probability of every report if no effort was made, equation (2), from that of its level."""
    for component in range(len(by_level)):
        for level in range(learned_low_effort_masses(component, given.learning, theta, by_level[component])):
            by_level[component, level] = math.log(by_level[component, level])
    for report in range(len(given.learning.report_level)):
        level = given.learning.report_level[report]
        given.beliefs.log_low_effort[report] = by_level[given.learning.report_component[report], level]


@jit
def learn_low_effort(rng: np.random.Generator, adapt: bool, given: Given, state: State, scratch: Scratch) -> None:
    """Move the precision of low-effort reports and each component's centre of them.

    They are accepted by the hyperprior times equation (2) for these reports: by level, which takes one pass over
    reports. A centre concerns its own component, and only that is weighed.
    """
    reports, learning, theta, width = given.reports, given.learning, state.hyper, state.hyper_width
    counts, masses = scratch.level_counts, scratch.masses
    counts[:] = 0.0
    for review in range(len(reports.review_grader)):
        if not state.effortful[review]:
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                component, level = learning.report_component[report], learning.report_level[report]
                counts[component, level] += 1.0
    n_components = len(counts)
    for position in range(REPEATS * (n_components + 1)):
        component = position % (n_components + 1) - 1
        first, last = (0, n_components) if component < 0 else (component, component + 1)
        index = TAU_L if component < 0 else N_CLASSWIDE + 2 * n_components + component
        current = _log_low_effort(first, last, learning, theta, counts, masses)
        old, before = propose(rng, theta, width, index)
        proposed = _log_low_effort(first, last, learning, theta, counts, masses)
        if theta[TAU_L] > learning.largest_tau_l:
            proposed = -np.inf
        settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt)
    _refresh_low_effort(given, theta, scratch.low_effort)


@jit
def _log_low_effort(first: int, last: int, learning: Learning, theta: F64, counts: F64, masses: F64) -> float:
    """Log probability of some components' low-effort reports, equation (2), and of their centre."""
    total = 0.0
    for component in range(first, last):
        total += log_centre(theta, component, learning.mean_report[component])
        for level in range(learned_low_effort_masses(component, learning, theta, masses)):
            if counts[component, level] > 0.0:
                total += counts[component, level] * math.log(masses[level])
    return total


@jit(fastmath=REORDER)
def _dot(prior: F64, likelihood: F32) -> float:
    """Sum of a prior times a likelihood, the inner sum of equation (15); places are unsigned, for vectors."""
    total = 0.0
    for i in range(np.uint64(len(likelihood))):
        total += prior[i] * likelihood[i]
    return float(total)


@jit
def _log_marginal(prior: F64, size: int, wanted: int, group: I32, clamped: Flags, likelihood: F32) -> float:
    """Log probability of a group's effortful reports, the variable whose prior is given summed out: equation (15)."""
    total = 0.0
    for grader in range(len(group)):
        if group[grader] == wanted and not clamped[grader]:
            total += math.log(max(_dot(prior, likelihood[grader, :size]), SMALLEST))
    return total


@jit
def _refresh_reliabilities(learning: Learning, beliefs: Beliefs, theta: F64, scratch: Scratch) -> None:
    """The prior masses of students' and TAs' reliabilities, equation (1)."""
    for group in (STUDENTS, TAS):
        reliability_masses(group, learning, theta, scratch.masses)
        store(scratch.masses, beliefs.reliability[group], beliefs.log_reliability[group])


@jit
def learn_reliability(rng: np.random.Generator, adapt: bool, given: Given, state: State, scratch: Scratch) -> None:
    """Move the reliability priors' hyperparameters, reliabilities summed out: the second factor of equation (15)."""
    learning, theta, width, masses = given.learning, state.hyper, state.hyper_width, scratch.masses
    group, clamped = given.beliefs.group, given.clamps.reliability
    for wanted in (STUDENTS, TAS):
        size = reliability_masses(wanted, learning, theta, masses)
        current = _log_marginal(masses, size, wanted, group, clamped, scratch.likelihood)
        for position in range(2 * REPEATS):
            index = RELIABILITY_TA if wanted == TAS else (RELIABILITY, SHAPE)[position % 2]
            if index == SHAPE and theta[SHAPE] == ALIKE:
                continue
            old, before = propose(rng, theta, width, index)
            size = reliability_masses(wanted, learning, theta, masses)
            proposed = _log_marginal(masses, size, wanted, group, clamped, scratch.likelihood)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
    _refresh_reliabilities(learning, given.beliefs, theta, scratch)


@jit
def _refresh_biases(learning: Learning, beliefs: Beliefs, theta: F64, scratch: Scratch) -> None:
    """The prior masses of all groups' biases, equation (1)."""
    for group in range(len(beliefs.bias)):
        bias_masses(group, learning, theta, scratch.masses)
        store(scratch.masses, beliefs.bias[group], beliefs.log_bias[group])


@jit
def _log_biases(learning: Learning, theta: F64, group: I32, clamped: Flags, likelihood: F32, masses: F64) -> float:
    """Log probability of all effortful reports, biases summed out: the third factor of equation (15)."""
    total = 0.0
    for wanted in range(AUTHORS + 1):
        bias_masses(wanted, learning, theta, masses)
        total += _log_marginal(masses, len(learning.bias_edges) - 1, wanted, group, clamped, likelihood)
    return total


@jit
def learn_bias(rng: np.random.Generator, adapt: bool, given: Given, state: State, scratch: Scratch) -> None:
    """Move the spread of biases, that of TAs, and, where staff graded, the students' mean bias; biases summed out.

    They are accepted by the hyperprior times the third factor of equation (15). Likelihoods have been loaded once, and
    stay as they are while priors move.
    """
    learning, theta, width, masses = given.learning, state.hyper, state.hyper_width, scratch.masses
    group, clamped = given.beliefs.group, given.clamps.bias
    current = _log_biases(learning, theta, group, clamped, scratch.likelihood, masses)
    for index in (SIGMA_B, MEAN_BIAS, SIGMA_TA):
        if not is_idle(index, learning.has_staff, learning.bias_spread):
            old, before = propose(rng, theta, width, index)
            proposed = _log_biases(learning, theta, group, clamped, scratch.likelihood, masses)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
    _refresh_biases(learning, given.beliefs, theta, scratch)
