"""How the hyperparameters of true grades move where components share merit: means, spreads, the share and the level."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.learning_grades import move_level
from peerage.inference.numerics.arrays import F32, F64, I32, I64, Learning, Scratch
from peerage.inference.numerics.grid_masses import AUTHORS, bias_masses
from peerage.inference.numerics.hyperparameters import MERIT, N_CLASSWIDE, log_hyperprior, propose, settle
from peerage.inference.numerics.jit import jit
from peerage.inference.shared.shared_arrays import Given, State, Work
from peerage.inference.shared.shared_priors import fill_component, refresh_grades, share_of
from peerage.inference.shared.shared_products import dot
from peerage.inference.shared.sharing_grids import MERIT_PRIOR

_SHIFTS = 2
_SMALL = 1e-200
"""Products of probabilities are turned into logarithms when they are smaller than this."""


@jit
def learn_true_grades(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Move each component's mean and spread of true grades and the share of merit, with true grades summed out.

    Each proposal fills its priors beside those in use, which it replaces if it is accepted.
    """
    theta, width, sharing, beliefs = state.hyper, state.hyper_width, given.sharing, given.beliefs
    edges, n_components = given.learning.true_grade_edges, len(beliefs.true_grade)
    for component in range(n_components):
        current = _log_marginal(component, beliefs.true_grade, beliefs.support, given, state, work)
        for index in (N_CLASSWIDE + component, N_CLASSWIDE + n_components + component):
            old, before = propose(rng, theta, width, index)
            fill_component(component, edges, sharing.merit, theta, work.masses[component], work.support[component])
            proposed = _log_marginal(component, work.masses, work.support, given, state, work)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed
                _take_over(component, given, work)
    if sharing.has_merit:
        current = proposed = 0.0
        for component in range(n_components):
            current += _log_marginal(component, beliefs.true_grade, beliefs.support, given, state, work)
        prior = _log_merit_prior(theta)
        old, _ = propose(rng, theta, width, MERIT)
        for component in range(n_components):
            fill_component(component, edges, sharing.merit, theta, work.masses[component], work.support[component])
            proposed += _log_marginal(component, work.masses, work.support, given, state, work)
        if settle(rng, theta, width, MERIT, old, proposed - current + _log_merit_prior(theta) - prior, adapt):
            for component in range(n_components):
                _take_over(component, given, work)


@jit
def _take_over(component: int, given: Given, work: Work) -> None:
    """Put the proposed priors of a component in the place of those in use."""
    given.beliefs.true_grade[component] = work.masses[component]
    given.beliefs.support[component] = work.support[component]


@jit
def _log_merit_prior(theta: F64) -> float:
    """Log density of the logit of merit's share."""
    share = share_of(theta[MERIT])
    return MERIT_PRIOR[0] * math.log(share) + MERIT_PRIOR[1] * math.log(1.0 - share)


@jit
def _log_marginal(wanted: int, masses: F32, support: I64, given: Given, state: State, work: Work) -> float:
    """Log probability of the reports on a component given merits, its true grades summed out (equation S2)."""
    reports = given.reports
    total, product = 0.0, 1.0
    for submission in range(len(reports.submission_cells) - 1):
        merit = state.merit[submission]
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            if reports.cell_component[cell] == wanted:
                low, high = support[wanted, merit]
                product *= max(dot(masses[wanted, merit], work.likelihood[cell], low, high), 1e-37)
                if product < _SMALL:
                    total += math.log(product)
                    product = 1.0
    return total + math.log(product)


@jit
def shift_level(rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Move the level of all grades, a few times, where nothing fixes it."""
    if given.learning.can_shift:
        for _ in range(_SHIFTS):
            _shift(rng, given.learning, given.beliefs.group, state.hyper, state.bias, state.true_grade, work.scratch)
        refresh_grades(given.learning, given.sharing, given.beliefs, state.hyper)


@jit
def _shift(
    rng: np.random.Generator,
    learning: Learning,
    group: I32,
    theta: F64,
    bias: I32,
    true_grade: I32,
    scratch: Scratch,
) -> None:
    """Move all true grades and their means one way and all biases the other: no report notices.

    A true grade's prior moves along with it, but for the cells at the ends of its grid: where one is there, nothing
    moves.
    """
    steps = 2 ** int(5.0 * rng.random())
    if rng.random() < 0.5:
        steps = -steps
    if not (
        _is_inside(bias, -steps, 0, len(learning.bias_edges) - 2)
        and _is_inside(true_grade, 0, 1, len(learning.true_grade_edges) - 3)
        and _is_inside(true_grade, steps, 1, len(learning.true_grade_edges) - 3)
    ):
        return
    before = log_hyperprior(theta) + _log_biases(0, learning, group, theta, bias, scratch.masses)
    move_level(steps, learning, theta)
    after = log_hyperprior(theta) + _log_biases(steps, learning, group, theta, bias, scratch.masses)
    if np.log(rng.random()) < after - before:
        for grader in range(len(bias)):
            bias[grader] -= steps
        for cell in range(len(true_grade)):
            true_grade[cell] += steps
    else:
        move_level(-steps, learning, theta)


@jit
def _is_inside(places: I32, steps: int, first: int, last: int) -> bool:
    """Whether all places lie between two others after some steps."""
    inside = True
    for place in places:
        inside = inside and first <= place + steps <= last
    return inside


@jit
def _log_biases(steps: int, learning: Learning, group: I32, theta: F64, bias: I32, masses: F64) -> float:
    """Log prior probability of all biases, moved down by some cells."""
    total = 0.0
    for wanted in range(AUTHORS + 1):
        bias_masses(wanted, learning, theta, masses)
        for grader in range(len(group)):
            if group[grader] == wanted:
                total += math.log(masses[bias[grader] - steps])
    return total
