"""The sweeps of the model in which components share merit and halo, compiled.

One sweep updates

1. each grader's reliability and bias, effort probability, efforts and halos, with all true grades summed out;
2. the hyperparameters of true grades and each submission's merit, with the true grades summed out, and these;
3. the level of all grades and the hyperparameters of low effort;
4. given the true grades, halos and their share, each grader's reliability, bias and effort probability, and the
   hyperparameters of these.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.censored_sweep import write
from peerage.inference.censored.grader_updates import draw_efforts
from peerage.inference.censored.habits import learn_habits
from peerage.inference.censored.learning_graders import learn_low_effort
from peerage.inference.censored.learning_grades import reliability_of
from peerage.inference.numerics.arrays import Draws, Sums
from peerage.inference.numerics.hyperparameters import HALO
from peerage.inference.numerics.jit import jit
from peerage.inference.shared.collapsed_reviews import update_graders
from peerage.inference.shared.halos import (
    draw_biases,
    draw_halos,
    draw_odds,
    draw_odds_without_halos,
    draw_reliabilities,
)
from peerage.inference.shared.learning_merit import learn_true_grades, shift_level
from peerage.inference.shared.merits_and_grades import draw_grades, load_likelihoods
from peerage.inference.shared.shared_arrays import Given, State, Work
from peerage.inference.shared.shared_priors import refresh


@jit
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
    draws: Draws,
    work: Work,
) -> None:
    """Run ``sweeps`` sweeps in place; if ``keep``, add to the sums and write the draws from row ``first`` on."""
    refresh(given, state.hyper, state.habit, work.scratch)
    for index in range(sweeps):
        update_graders(rng, keep, has_effort, has_bias, given, state, sums, work)
        load_likelihoods(given, state, work)
        learn_true_grades(rng, not keep, given, state, work)
        draw_grades(rng, keep, given, state, sums, work)
        shift_level(rng, given, state, work)
        if has_effort:
            learn_low_effort(rng, not keep, given, state, work.scratch)
        if given.sharing.is_on:
            draw_odds_without_halos(rng, given, state, work)
            draw_halos(rng, given, state, work)
            draw_odds(rng, given, state, work)
        draw_reliabilities(rng, not keep, given, state, work)
        if has_bias:
            draw_biases(rng, not keep, given, state, work)
        if has_effort:
            draw_efforts(rng, not keep, given, state, work)
            learn_habits(rng, given, state)
        if keep:
            _add_influence(given, state, sums)
            write(first + index, state, draws)


@jit
def _add_influence(given: Given, state: State, sums: Sums) -> None:
    """Add what each effortful review tells of a component, its other components' errors being shared in part.

    The mean of n reports has an error of variance (κ + 1/n)/p; per report, that is a precision of p/(1 + nκ).
    """
    reports = given.reports
    for grader in range(len(reports.grader_reviews) - 1):
        reliability = reliability_of(grader, given.clamps, given.tables.reliability_points, state.reliability)
        odds = math.exp(state.hyper[HALO]) if given.sharing.has_halo[grader] else 0.0
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            if state.effortful[review]:
                count = reports.review_reports[review + 1] - reports.review_reports[review]
                sums.influence[review] += reliability / (1.0 + count * odds)
