"""The hyperparameters of effort and of reports without effort, given which reviews were made with effort.

Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.grader_by_grader.latent_habits import MISSED, prior_of_effort
from peerage.inference.latent.latent_arrays import Beliefs, Learning, Levels, Places, State
from peerage.inference.latent.latent_priors import fill_low_effort
from peerage.inference.numerics.arrays import F64, I64, Flags
from peerage.inference.numerics.hyperparameters import (
    N_CLASSWIDE,
    REPEATS,
    TAU_L,
    add_to_exceeding,
    effort_prior,
    learn_effort,
    log_centre,
    log_hyperprior,
    propose,
    settle,
)
from peerage.inference.numerics.jit import jit


@jit
def learn_low_effort(
    rng: np.random.Generator,
    adapt: bool,
    learning: Learning,
    levels: Levels,
    beliefs: Beliefs,
    state: State,
    counts: F64,
) -> None:
    """Move the precision of low-effort reports and each component's centre, given how often levels occur.

    They are accepted by the hyperprior times equation (2) for these reports: by level, which takes no pass over
    reports. A centre concerns its own component, and only that is weighed.
    """
    theta, width, n_components = state.hyper, state.hyper_width, len(counts) // 2
    for position in range(REPEATS * (n_components + 1)):
        component = position % (n_components + 1) - 1
        first, last = (0, n_components) if component < 0 else (component, component + 1)
        index = TAU_L if component < 0 else N_CLASSWIDE + 2 * n_components + component
        current = _log_counts(first, last, learning.mean_report, levels, theta, counts, beliefs)
        old, before = propose(rng, theta, width, index)
        proposed = _log_counts(first, last, learning.mean_report, levels, theta, counts, beliefs)
        if theta[TAU_L] > learning.largest_tau_l:
            proposed = -np.inf
        settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt)
    for component in range(n_components):
        fill_low_effort(component, levels, beliefs.rounding, theta, beliefs.low_effort)


@jit
def _log_counts(
    first: int, last: int, mean_report: F64, levels: Levels, theta: F64, counts: F64, beliefs: Beliefs
) -> float:
    """Log probability of some components' low-effort reports, equations (2), (F1) and (G1), and of their centre."""
    total, table = 0.0, beliefs.low_effort
    for component in range(first, last):
        fill_low_effort(component, levels, beliefs.rounding, theta, table)
        total += log_centre(theta, component, mean_report[component])
        for row in (component, component + len(counts) // 2):
            for level in range(levels.cut_start[component + 1] - levels.cut_start[component] + 1):
                if counts[row, level] > 0.0:
                    total += counts[row, level] * table[row, level]
    return total


@jit
def count_low_effort(
    rng: np.random.Generator, places: Places, levels: Levels, favourite: I64, table: F64, state: State, counts: F64
) -> None:
    """How often each level of each component was reported without effort, and below as "this or less".

    A report that keeps to its grader's habit tells of the others by chance only: whether it does is drawn, by the two
    terms of equation (H1).
    """
    counts[:] = 0.0
    for review in range(len(state.effortful)):
        if not state.effortful[review]:
            code = state.habit[places.review_grader[review]]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                row, level = divmod(levels.careless[report], table.shape[1])
                if code > 0 and level == favourite[code, row % favourite.shape[1]]:
                    chance = MISSED * math.exp(table[row, level])
                    if rng.random() >= chance / (chance + 1.0 - MISSED):
                        continue
                counts[row, level] += 1.0


@jit
def draw_efforts(
    rng: np.random.Generator,
    adapt: bool,
    learned: bool,
    places: Places,
    clamped: Flags,
    prior: F64,
    state: State,
    exceeding: I64,
) -> None:
    """Draw all effort probabilities, equation (13), after the hyperparameters of their prior if these are learned.

    The latter move by equation (15), of which graders with a habit are no part: theirs is equation (H2). ``exceeding``
    counts, for k = 0, 1, …, the graders with more than k effortful, low-effort and any reviews.
    """
    exceeding[:] = 0
    for grader in range(len(clamped)):
        first, last, count = places.grader_reviews[grader], places.grader_reviews[grader + 1], 0
        for review in range(first, last):
            count += state.effortful[review]
        if not clamped[grader] and state.habit[grader] == 0:
            add_to_exceeding(count, last - first, exceeding)
    if learned:
        learn_effort(rng, adapt, state.hyper, state.hyper_width, exceeding)
        prior[0], prior[1] = effort_prior(state.hyper)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            first, last, count = places.grader_reviews[grader], places.grader_reviews[grader + 1], 0
            for review in range(first, last):
                count += state.effortful[review]
            alpha, beta = prior_of_effort(state.habit[grader], prior)
            state.effort[grader] = rng.beta(alpha + count, beta + last - first - count)
