"""How the hyperparameters of true grades move on grids: means, spreads, and how they are tied to reliabilities.

Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.censored_arrays import Beliefs, Given, Learning, Scratch, State
from peerage.inference.censored.grid_masses import ROOT_HALF, SMALLEST, normal_masses, store
from peerage.inference.numerics.arrays import F32, F64, I32, I64, BinClamps
from peerage.inference.numerics.hyperparameters import (
    AUTHORS,
    LAMBDA_TAU,
    N_CLASSWIDE,
    SIGMA_TAU,
    log_hyperprior,
    mu_s,
    propose,
    settle,
    sigma_s,
)
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.likelihood import BLOCK

_SUPPORT = 1e-9


@jit
def cut_to_support(mass: F32, support: I64) -> None:
    """Set the ends of the prior to zero that are less probable than a cell in a billion; note what is left.

    That is a multiple of the vectors that the processor takes at once, so that loops leave no remainder.
    """
    first, last = 0, len(mass)
    while first < last - 1 and mass[first] < _SUPPORT:
        mass[first] = 0.0
        first += 1
    while last > first + 1 and mass[last - 1] < _SUPPORT:
        last -= 1
        mass[last] = 0.0
    width = (last - first + BLOCK - 1) // BLOCK * BLOCK
    support[0] = max(min(first, len(mass) - width), 0)
    support[1] = min(support[0] + width, len(mass))


@jit
def refresh_true_grades(learning: Learning, beliefs: Beliefs, theta: F64, masses: F64) -> None:
    """The priors of true grades, equation (1), and with correlation how they depend on reliability, equation (4)."""
    for component in range(len(beliefs.true_grade)):
        normal_masses(learning.true_grade_edges, mu_s(theta, component), sigma_s(theta, component), masses)
        store(masses, beliefs.true_grade[component], beliefs.log_true_grade[component])
        cut_to_support(beliefs.true_grade[component], beliefs.support[component])
    _refresh_correlation(learning, beliefs, theta)


@jit
def author_reliability_prior(theta: F64, n_components: int) -> tuple[float, float]:
    """Mean and standard deviation, before truncation, of a reported reliability that is tied to own grades.

    This is equation (4) for p, the reliability as tables have it.
    """
    scale = math.exp(theta[LAMBDA_TAU])
    mean = variance = 0.0
    for component in range(n_components):
        mean += mu_s(theta, component) / n_components
        variance += sigma_s(theta, component) ** 2 / n_components
    return mean / scale, math.sqrt(variance + math.exp(2.0 * theta[SIGMA_TAU])) / scale


@jit
def tie(component: int, theta: F64) -> tuple[float, float]:
    """Precision of a true grade given its author's reported reliability, and its slope in the latter.

    These are T and κ, which stand below equation (4).
    """
    pull = math.exp(-2.0 * theta[SIGMA_TAU])
    precision = sigma_s(theta, component) ** -2.0 + pull
    return precision, pull / precision * math.exp(theta[LAMBDA_TAU])


@jit
def refresh_ties(theta: F64, mean: F64, precision: F64, slope: F64, origin: F64) -> float:
    """How true grades depend on their authors' reliability; returns the standard deviation of the latter's prior.

    This is equation (4).
    """
    for component in range(len(mean)):
        mean[component] = mu_s(theta, component)
        precision[component], slope[component] = tie(component, theta)
    origin[0], sd = author_reliability_prior(theta, len(mean))
    return sd


@jit
def _refresh_correlation(learning: Learning, beliefs: Beliefs, theta: F64) -> None:
    """What equation (4) says of authors: how their grades are tied, and the log prior of their reliability.

    The latter is the density times the cell's length, up to a constant: the grid is logarithmic.
    """
    mean, slope, origin = beliefs.author_mean, beliefs.author_slope, beliefs.author_origin
    sd = refresh_ties(theta, mean, beliefs.author_precision, slope, origin)
    for i in range(len(learning.log_reliability_points)):
        log_point = learning.log_reliability_points[i]
        beliefs.log_reliability[AUTHORS, i] = log_point - 0.5 * ((math.exp(log_point) - origin[0]) / sd) ** 2


@jit
def learn_true_grades(rng: np.random.Generator, adapt: bool, given: Given, state: State, scratch: Scratch) -> None:
    """Move each component's mean and spread of true grades, and how they are tied to their authors' reliability.

    They are accepted by the hyperprior times equations (1) and (4), given the true grades.
    """
    _count_true_grades(given, state, scratch)
    _learn_tied(rng, adapt, given.learning, state.hyper, state.hyper_width, scratch)
    refresh_true_grades(given.learning, given.beliefs, state.hyper, scratch.masses)


@jit
def _count_true_grades(given: Given, state: State, scratch: Scratch) -> None:
    """How many true grades of each component lie in each cell; of those tied to authors, sums that suffice.

    With these, equations (1) and (4) are weighed without a pass over the true grades for each move.
    """
    reports, points, clamps, group = given.reports, given.tables.true_grade_points, given.clamps, given.beliefs.group
    sums = scratch.author_sums
    scratch.grid_counts[:] = 0.0
    sums[:] = 0.0
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.author_start[submission], reports.author_start[submission + 1]
        mean = 0.0
        for position in range(begin, end):
            author = np.int64(reports.authors[position])
            mean += reliability_of(author, clamps, given.tables.reliability_points, state.reliability) / (end - begin)
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            component = reports.cell_component[cell]
            if begin == end:
                scratch.grid_counts[component, state.true_grade[cell]] += 1.0
            else:
                add_tied(sums[component], points[state.true_grade[cell]], mean)
    for grader in range(len(group)):
        if group[grader] == AUTHORS and not clamps.reliability[grader]:
            reliability = given.tables.reliability_points[state.reliability[grader]]
            add_tied(sums[len(sums) - 1], 0.0, reliability)


@jit
def add_tied(sums: F64, value: float, reliability: float) -> None:
    """Add a true grade and its author's reliability to the sums that suffice for how they are tied, equation (4)."""
    sums[0] += 1.0
    sums[1] += value
    sums[2] += value * value
    sums[3] += reliability
    sums[4] += reliability * reliability
    sums[5] += value * reliability


@jit
def reliability_of(grader: int | np.int64, clamps: BinClamps, points: F64, reliability: I32) -> float:
    """A grader's reliability, as a number."""
    if clamps.reliability[grader]:
        return float(clamps.reliability_value[grader])
    return float(points[reliability[grader]])


@jit
def _log_grades(component: int, theta: F64, edges: F64, counts: F64, masses: F64) -> float:
    """Log probability of a component's true grades that are not tied to authors: equation (1), by cells."""
    normal_masses(edges, mu_s(theta, component), sigma_s(theta, component), masses)
    total = 0.0
    for i in range(len(counts)):
        if counts[i] > 0.0:
            total += counts[i] * math.log(masses[i])
    return total


@jit
def log_inverse_gamma(log_sd: float, shape: float, rate: float) -> float:
    """Log density, up to a constant, of the logarithm of a spread whose σ⁻² is Gamma(shape, rate)."""
    return -2.0 * shape * log_sd - rate * math.exp(-2.0 * log_sd)


@jit
def _learn_tied(
    rng: np.random.Generator, adapt: bool, learning: Learning, theta: F64, width: F64, scratch: Scratch
) -> None:
    """Move means and spreads of true grades that are tied to their authors' reliability, and how they are tied.

    They are accepted by the hyperprior times equations (1) and (4). A move of one component leaves what the others'
    untied grades say as it is, so only its own cells are weighed.
    """
    edges, masses, n_components = learning.true_grade_edges, scratch.masses, len(scratch.grid_counts)
    tied = log_tied(theta, scratch.author_sums)
    for component in range(n_components):
        counts = scratch.grid_counts[component]
        plain = _log_grades(component, theta, edges, counts, masses)
        for index in (N_CLASSWIDE + component, N_CLASSWIDE + n_components + component):
            old, before = propose(rng, theta, width, index)
            proposed = _log_grades(component, theta, edges, counts, masses)
            proposed_tied = log_tied(theta, scratch.author_sums)
            gain = proposed - plain + proposed_tied - tied + log_hyperprior(theta) - before
            if settle(rng, theta, width, index, old, gain, adapt):
                plain, tied = proposed, proposed_tied
    for index in (SIGMA_TAU, LAMBDA_TAU):
        old, before = propose(rng, theta, width, index)
        proposed_tied = log_tied(theta, scratch.author_sums)
        gain = proposed_tied - tied + log_hyperprior(theta) - before
        if settle(rng, theta, width, index, old, gain, adapt):
            tied = proposed_tied


@jit
def log_tied(theta: F64, sums: F64) -> float:
    """Log density of authors' reliabilities (the last row of the sums) and of the true grades of their work.

    This is equation (4), with the constant of the cut at 0.
    """
    n_components = len(sums) - 1
    origin, sd = author_reliability_prior(theta, n_components)
    count, linear, square = sums[n_components, 0], sums[n_components, 3], sums[n_components, 4]
    total = -0.5 * (square - 2.0 * origin * linear + count * origin * origin) / sd**2
    total -= count * (math.log(sd) + math.log(max(0.5 * math.erfc(-origin / sd * ROOT_HALF), SMALLEST)))
    for component in range(n_components):
        precision, slope = tie(component, theta)
        base = mu_s(theta, component) - slope * origin
        n, s, ss, p, pp, sp = sums[component]
        squares = ss - 2.0 * base * s - 2.0 * slope * sp + n * base * base + 2.0 * base * slope * p + slope**2 * pp
        total += 0.5 * n * math.log(precision) - 0.5 * precision * squares
    return float(total)
