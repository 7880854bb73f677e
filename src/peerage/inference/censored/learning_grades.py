"""How the hyperparameters of true grades move in the censored model: means, spreads, and the level of all of them."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.numerics.arrays import F32, F64, I32, I64, Beliefs, Clamps, Given, Learning, Scratch, State
from peerage.inference.numerics.grid_masses import AUTHORS, ROOT_HALF, SMALLEST, bias_masses, normal_masses, store
from peerage.inference.numerics.hyperparameters import (
    LAMBDA_TAU,
    MEAN_BIAS,
    MEAN_CENTRE,
    N_CLASSWIDE,
    PER_COMPONENT_SPREAD,
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
_SHIFTS = 2


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
    """The priors of true grades and, with correlation, how they depend on their authors' reliability."""
    for component in range(len(beliefs.true_grade)):
        normal_masses(learning.true_grade_edges, mu_s(theta, component), sigma_s(theta, component), masses)
        store(masses, beliefs.true_grade[component], beliefs.log_true_grade[component])
        cut_to_support(beliefs.true_grade[component], beliefs.support[component])
    if learning.correlated:
        _refresh_correlation(learning, beliefs, theta)


@jit
def author_reliability_prior(theta: F64, n_components: int) -> tuple[float, float]:
    """Mean and standard deviation, before truncation, of a reported reliability that is tied to own grades."""
    scale = math.exp(theta[LAMBDA_TAU])
    mean = variance = 0.0
    for component in range(n_components):
        mean += mu_s(theta, component) / n_components
        variance += sigma_s(theta, component) ** 2 / n_components
    return mean / scale, math.sqrt(variance + math.exp(2.0 * theta[SIGMA_TAU])) / scale


@jit
def tie(component: int, theta: F64) -> tuple[float, float]:
    """Precision of a true grade given its author's reported reliability, and its slope in the latter."""
    pull = math.exp(-2.0 * theta[SIGMA_TAU])
    precision = sigma_s(theta, component) ** -2.0 + pull
    return precision, pull / precision * math.exp(theta[LAMBDA_TAU])


@jit
def _refresh_correlation(learning: Learning, beliefs: Beliefs, theta: F64) -> None:
    n_components = len(beliefs.author_mean)
    for component in range(n_components):
        beliefs.author_mean[component] = mu_s(theta, component)
        beliefs.author_precision[component], beliefs.author_slope[component] = tie(component, theta)
    origin, sd = author_reliability_prior(theta, n_components)
    beliefs.author_origin[0] = origin
    for i in range(len(learning.log_reliability_points)):
        log_point = learning.log_reliability_points[i]
        beliefs.log_reliability[AUTHORS, i] = log_point - 0.5 * ((math.exp(log_point) - origin) / sd) ** 2


@jit
def learn_true_grades(rng: np.random.Generator, adapt: bool, given: Given, state: State, scratch: Scratch) -> None:
    """Move each component's mean and spread of true grades, and with correlation its two hyperparameters."""
    learning, theta = given.learning, state.hyper
    _count_true_grades(given, state, scratch)
    if learning.correlated:
        _learn_tied(rng, adapt, learning, theta, state.hyper_width, scratch)
    else:
        points, edges = given.tables.true_grade_points, learning.true_grade_edges
        for component in range(len(scratch.grid_counts)):
            counts = scratch.grid_counts[component]
            _learn_mean(component, rng, theta, points, edges, counts, scratch.masses)
            _learn_spread(component, rng, theta, points, edges, counts, scratch.masses)
        if learning.can_shift:
            for _ in range(_SHIFTS):
                _shift(rng, learning, given.beliefs.group, theta, state.bias, state.true_grade, scratch)
    refresh_true_grades(learning, given.beliefs, theta, scratch.masses)


@jit
def _count_true_grades(given: Given, state: State, scratch: Scratch) -> None:
    """How many true grades of each component lie in each cell; of those tied to authors, sums that suffice."""
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
    """Add a true grade and its author's reliability to the sums that suffice for how they are tied."""
    sums[0] += 1.0
    sums[1] += value
    sums[2] += value * value
    sums[3] += reliability
    sums[4] += reliability * reliability
    sums[5] += value * reliability


@jit
def reliability_of(grader: int | np.int64, clamps: Clamps, points: F64, reliability: I32) -> float:
    """A grader's reliability, as a number."""
    if clamps.reliability[grader]:
        return float(clamps.reliability_value[grader])
    return float(points[reliability[grader]])


@jit
def _log_grades(component: int, theta: F64, edges: F64, counts: F64, masses: F64) -> float:
    """Log probability of a component's true grades that are not tied to authors."""
    normal_masses(edges, mu_s(theta, component), sigma_s(theta, component), masses)
    total = 0.0
    for i in range(len(counts)):
        if counts[i] > 0.0:
            total += counts[i] * math.log(masses[i])
    return total


@jit
def _learn_mean(
    component: int, rng: np.random.Generator, theta: F64, points: F64, edges: F64, counts: F64, masses: F64
) -> None:
    """Propose a mean as if true grades were not on a grid, which nearly fits, and accept it for the grid."""
    index = N_CLASSWIDE + component
    count = total = 0.0
    for i in range(len(counts)):
        count += counts[i]
        total += counts[i] * points[i]
    of_grades = sigma_s(theta, component) ** -2.0
    of_hyperprior = PER_COMPONENT_SPREAD[0] ** -2.0
    precision = count * of_grades + of_hyperprior
    centre = (total * of_grades + of_hyperprior * MEAN_CENTRE) / precision
    old, before = theta[index], _log_grades(component, theta, edges, counts, masses) + log_hyperprior(theta)
    theta[index] = centre + rng.standard_normal() / math.sqrt(precision)
    gain = _log_grades(component, theta, edges, counts, masses) + log_hyperprior(theta) - before
    gain += 0.5 * precision * ((theta[index] - centre) ** 2 - (old - centre) ** 2)
    if np.log(rng.random()) >= gain:
        theta[index] = old


@jit
def _learn_spread(
    component: int, rng: np.random.Generator, theta: F64, points: F64, edges: F64, counts: F64, masses: F64
) -> None:
    """Propose a spread as if true grades were not on a grid, which nearly fits, and accept it for the grid."""
    index = N_CLASSWIDE + (len(theta) - N_CLASSWIDE) // 3 + component
    count = squares = 0.0
    for i in range(len(counts)):
        count += counts[i]
        squares += counts[i] * (points[i] - mu_s(theta, component)) ** 2
    shape, rate = 0.5 * count + 1.0, 0.5 * squares + 0.5
    old, before = theta[index], _log_grades(component, theta, edges, counts, masses) + log_hyperprior(theta)
    theta[index] = 0.5 * math.log(rate / rng.standard_gamma(shape))
    gain = _log_grades(component, theta, edges, counts, masses) + log_hyperprior(theta) - before
    gain += log_inverse_gamma(old, shape, rate) - log_inverse_gamma(theta[index], shape, rate)
    if np.log(rng.random()) >= gain:
        theta[index] = old


@jit
def log_inverse_gamma(log_sd: float, shape: float, rate: float) -> float:
    """Log density, up to a constant, of the logarithm of a spread whose σ⁻² is Gamma(shape, rate)."""
    return -2.0 * shape * log_sd - rate * math.exp(-2.0 * log_sd)


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

    Where staff graded, the students' mean bias goes with their biases.
    """
    steps = 2 ** int(5.0 * rng.random())
    if rng.random() < 0.5:
        steps = -steps
    if not (
        _stays(bias, -steps, len(learning.bias_edges)) and _stays(true_grade, steps, len(learning.true_grade_edges))
    ):
        return
    before = log_hyperprior(theta) + _log_level(0, learning, group, theta, bias, scratch)
    move_level(steps, learning, theta)
    after = log_hyperprior(theta) + _log_level(steps, learning, group, theta, bias, scratch)
    if np.log(rng.random()) < after - before:
        for grader in range(len(bias)):
            bias[grader] -= steps
        for cell in range(len(true_grade)):
            true_grade[cell] += steps
        for component in range(len(scratch.grid_counts)):
            _rotate(scratch.grid_counts[component], steps)
    else:
        move_level(-steps, learning, theta)


@jit
def _stays(places: I32, steps: int, n_edges: int) -> bool:
    """Whether all places are still on their grid after some steps."""
    stays = True
    for place in places:
        stays = stays and 0 <= place + steps < n_edges - 1
    return stays


@jit
def move_level(steps: int, learning: Learning, theta: F64) -> None:
    """Move the means of true grades up by some cells and, where staff graded, the students' mean bias down."""
    distance = steps * learning.step
    for component in range((len(theta) - N_CLASSWIDE) // 3):
        theta[N_CLASSWIDE + component] += distance
    if learning.has_staff:
        theta[MEAN_BIAS] -= distance


@jit
def _log_level(steps: int, learning: Learning, group: I32, theta: F64, bias: I32, scratch: Scratch) -> float:
    """Log prior probability of all true grades, moved up, and biases, moved down by some cells."""
    total, masses = 0.0, scratch.masses
    for component in range(len(scratch.grid_counts)):
        counts = scratch.grid_counts[component]
        normal_masses(learning.true_grade_edges, mu_s(theta, component), sigma_s(theta, component), masses)
        for i in range(len(counts)):
            if counts[i] > 0.0:
                total += counts[i] * math.log(masses[i + steps])
    for wanted in range(AUTHORS + 1):
        bias_masses(wanted, learning, theta, masses)
        for grader in range(len(group)):
            if group[grader] == wanted:
                total += math.log(masses[bias[grader] - steps])
    return total


@jit
def _rotate(counts: F64, steps: int) -> None:
    """Move counts up by some cells; those that leave at one end, which are zero, come in at the other."""
    size = len(counts)
    moved = counts.copy()
    for i in range(size):
        counts[(i + steps) % size] = moved[i]


@jit
def _learn_tied(
    rng: np.random.Generator, adapt: bool, learning: Learning, theta: F64, width: F64, scratch: Scratch
) -> None:
    """Move means and spreads of true grades that are tied to their authors' reliability, and how they are tied."""
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
    """Log density (4) of authors' reliabilities (the last row of the sums) and of the true grades of their work."""
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
