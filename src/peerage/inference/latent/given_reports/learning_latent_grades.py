"""How the hyperparameters of true grades move: means, spreads, the share of merit, and the level.

These are equations (D13) and (D15) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Beliefs, Cells, Graders, Learning, Places, State
from peerage.inference.latent.latent_priors import cell_prior, refresh_biases, refresh_grades, refresh_merit, share_of
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import (
    LIKE_STUDENTS,
    MEAN_BIAS,
    MEAN_BIAS_SPREAD,
    MEAN_CENTRE,
    MEAN_SPREAD,
    MERIT,
    N_CLASSWIDE,
    log_hyperprior,
    mean_of_means,
    propose,
    settle,
)
from peerage.inference.numerics.jit import jit

MERIT_PRIOR = (1.5, 1.5)
"""The Beta hyperprior of the share of merit."""


@jit
def learn_true_grades(
    rng: np.random.Generator,
    adapt: bool,
    learning: Learning,
    places: Places,
    beliefs: Beliefs,
    state: State,
    cells: Cells,
) -> None:
    """Move each component's mean and spread of true grades and the share of merit; grades and merits summed out.

    They are accepted by the hyperprior times equation (D13).
    """
    theta, width, n_components = state.hyper, state.hyper_width, len(beliefs.grade_mean)
    _load_reported(places, beliefs, state.merit, cells)
    current = _log_reported(places, beliefs, cells) + _log_merit_prior(theta)
    moves = 2 * n_components + (2 if learning.has_merit else 0)
    for move in range(moves):
        index = N_CLASSWIDE + move if move < 2 * n_components else MERIT
        old, before = propose(rng, theta, width, index)
        refresh_grades(beliefs, theta)
        refresh_merit(beliefs, theta)
        proposed = _log_reported(places, beliefs, cells) + _log_merit_prior(theta)
        if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
            current = proposed
    refresh_grades(beliefs, theta)
    refresh_merit(beliefs, theta)


@jit
def _log_merit_prior(theta: F64) -> float:
    """Log density of the logit of merit's share: equation (S5)."""
    share = share_of(theta[MERIT])
    return MERIT_PRIOR[0] * math.log(share) + MERIT_PRIOR[1] * math.log(1.0 - share)


@jit
def _load_reported(places: Places, beliefs: Beliefs, merit: F64, cells: Cells) -> None:
    """What the reviews alone say of each true grade: its mean, and the variance of that (0 if nothing is said).

    These are y and 1/t of equation (D13). The sums of equation (D1) are at hand, and the prior is taken out of them,
    which spares a pass over the reports.
    """
    share, means, sds = beliefs.merit[0], beliefs.grade_mean, beliefs.grade_sd
    for submission in range(len(places.submission_cells) - 1):
        for cell in range(places.submission_cells[submission], places.submission_cells[submission + 1]):
            prior, mean = cell_prior(places.cell_component[cell], merit[submission], share, means, sds)
            rest = cells.precision[cell] - prior
            cells.variance[cell] = 0.0
            if rest > 1e-6 * prior:
                cells.reported[cell] = (cells.weighted[cell] - prior * mean) / rest
                cells.variance[cell] = 1.0 / rest


@jit
def _log_reported(places: Places, beliefs: Beliefs, cells: Cells) -> float:
    """Log probability of what the reviews say of all true grades, given halos: equation (D13).

    For each submission this is normal, with a diagonal covariance matrix and the rank-one part that merit adds, which
    takes one pass over its cells. Determinants are multiplied, since a logarithm takes longer than many factors.
    """
    share, total, product = beliefs.merit[0], 0.0, 1.0
    for submission in range(len(places.submission_cells) - 1):
        loading, linear = 0.0, 0.0
        for cell in range(places.submission_cells[submission], places.submission_cells[submission + 1]):
            if cells.variance[cell] > 0.0:
                component = places.cell_component[cell]
                sd = beliefs.grade_sd[component]
                variance = sd * sd * (1.0 - share) + cells.variance[cell]
                gap = cells.reported[cell] - beliefs.grade_mean[component]
                total -= 0.5 * gap * gap / variance
                product *= variance
                loading += sd * sd / variance
                linear += sd * gap / variance
        whole = 1.0 + share * loading
        total += 0.5 * share * linear * linear / whole
        product *= whole
        if not 1e-100 < product < 1e100:
            total -= 0.5 * math.log(product)
            product = 1.0
    return total - 0.5 * math.log(product)


@jit
def draw_merits_of_reported(
    rng: np.random.Generator, places: Places, beliefs: Beliefs, state: State, cells: Cells
) -> None:
    """Draw all submissions' merits given what reviews say, true grades summed out: by the sums of equation (D13)."""
    share = beliefs.merit[0]
    for submission in range(len(state.merit)):
        loading, linear = 0.0, 0.0
        for cell in range(places.submission_cells[submission], places.submission_cells[submission + 1]):
            if cells.variance[cell] > 0.0:
                component = places.cell_component[cell]
                sd = beliefs.grade_sd[component]
                variance = sd * sd * (1.0 - share) + cells.variance[cell]
                loading += sd * sd / variance
                linear += sd * (cells.reported[cell] - beliefs.grade_mean[component]) / variance
        precision = 1.0 + share * loading
        state.merit[submission] = math.sqrt(share) * linear / precision + rng.standard_normal() / math.sqrt(precision)


@jit
def shift_level(rng: np.random.Generator, learning: Learning, graders: Graders, beliefs: Beliefs, state: State) -> None:
    """Move all true grades and their means one way and all biases the other: no report notices.

    What the priors say of the amount is normal, equation (D15). A bias moves in proportion to its grader's slope. Where
    students have a mean bias of their own, it moves with them.
    """
    theta, n_components = state.hyper, len(beliefs.grade_mean)
    precision = MEAN_SPREAD**-2.0
    total = precision * (MEAN_CENTRE - mean_of_means(theta))
    if learning.has_staff:
        precision += MEAN_BIAS_SPREAD**-2.0
        total += MEAN_BIAS_SPREAD**-2.0 * theta[MEAN_BIAS]
    for grader in range(len(state.bias)):
        group, moved = graders.group[grader], state.slope[grader]
        if learning.has_staff and learning.bias_spread[group] == LIKE_STUDENTS:
            moved -= 1.0  # the prior moves along
        weight = moved * beliefs.bias[group, 1] ** -2.0
        precision += weight * moved
        total += weight * (state.bias[grader] - beliefs.bias[group, 0])
    amount = total / precision + rng.standard_normal() / math.sqrt(precision)
    for component in range(n_components):
        theta[N_CLASSWIDE + component] += amount
    for cell in range(len(state.true_grade)):
        state.true_grade[cell] += amount
    for grader in range(len(state.bias)):
        state.bias[grader] -= amount * state.slope[grader]
    if learning.has_staff:
        theta[MEAN_BIAS] -= amount
    refresh_grades(beliefs, theta)
    refresh_biases(learning, beliefs, theta)
