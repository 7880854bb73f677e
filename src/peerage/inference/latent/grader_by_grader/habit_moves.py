"""A grader's habit and effort probability, and jumps between a habit and a large bias.

These are equations (H3) and (H5) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.grader_by_grader.latent_habits import (
    AFTER_JUMP,
    CAREFUL,
    CARELESS,
    excess_now,
    fill_candidates,
    fill_careless,
    propose_habit,
    weigh_habits,
)
from peerage.inference.latent.grader_by_grader.review_predictions import predict, take_over
from peerage.inference.latent.latent_arrays import Given, State, Work
from peerage.inference.numerics.hyperparameters import HABIT
from peerage.inference.numerics.jit import jit

_WIDEST = 5.0
"""How far from 0 a jump may set a bias."""


@jit
def draw_habit(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's habit and effort, equation (H3), or jump with reliability and bias as well, equation (H5)."""
    places, levels, habits, table = given.places, given.levels, given.habits, given.beliefs.low_effort
    fill_candidates(grader, habits, places, levels, table, work.logs)
    count = places.grader_reviews[grader + 1] - places.grader_reviews[grader]
    used, n_codes = habits.used[habits.start[grader] : habits.start[grader + 1]], len(habits.favourite) - 1
    log_odds, prior = state.hyper[HABIT], given.beliefs.effort
    before = weigh_habits(count, CAREFUL, used, n_codes, log_odds, work)
    if habits.may_jump[grader] and rng.random() < 0.5:
        _jump(grader, before, rng, given, state, work)
    else:
        code, effort, excess = propose_habit(count, CAREFUL, used, n_codes, rng, prior, work)
        now = excess_now(count, CAREFUL, state.habit[grader], state.effort[grader], used, prior, work)
        if math.log(rng.random()) < excess - now:
            state.habit[grader], state.effort[grader] = code, effort
    fill_careless(grader, state.habit[grader], CARELESS, places, levels, habits.favourite, table, work.logs)


@jit
def _jump(grader: int, before: float, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Propose a reliability and halos from their priors, any bias, and then a habit and an effort by their weight.

    It is accepted by equation (H5). Who gives one grade nearly always has a habit, or a large bias: neither can be
    reached from the other in small steps. What is proposed stands in the state while it is weighed.
    """
    places, habits, prior, log_odds = given.places, given.habits, given.beliefs.effort, state.hyper[HABIT]
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    used, n_codes = habits.used[habits.start[grader] : habits.start[grader + 1]], len(habits.favourite) - 1
    group, old_bias, old_reliability = given.graders.group[grader], state.bias[grader], state.reliability[grader]
    now = excess_now(last - first, CAREFUL, state.habit[grader], state.effort[grader], used, prior, work)
    mean, sd = given.beliefs.bias[group, 0], given.beliefs.bias[group, 1]
    if not given.clamps.bias[grader]:
        anywhere = rng.random() < 0.5
        state.bias[grader] = _WIDEST * (2.0 * rng.random() - 1.0) if anywhere else mean + sd * rng.standard_normal()
    if not given.clamps.reliability[grader]:
        shape, rate = given.beliefs.reliability[group, 0], given.beliefs.reliability[group, 1]
        state.reliability[grader] = max(rng.standard_gamma(shape) / rate, 1e-6)
    for review in range(first, last):
        work.halo[review - first] = state.halo[review]
        if given.graders.has_halo[grader]:
            state.halo[review] = rng.standard_normal() / math.sqrt(state.reliability[grader])
    levels, rounding, errors = given.levels, given.beliefs.rounding, given.beliefs.errors
    predict(grader, AFTER_JUMP, places, levels, rounding, errors, state, work.cells, work.predicted, work.logs)
    gain = weigh_habits(last - first, AFTER_JUMP, used, n_codes, log_odds, work) - before - now
    code, effort, excess = propose_habit(last - first, AFTER_JUMP, used, n_codes, rng, prior, work)
    gain += excess + _log_over_proposal(state.bias[grader], mean, sd) - _log_over_proposal(old_bias, mean, sd)
    if math.log(rng.random()) < gain:
        state.habit[grader], state.effort[grader] = code, effort
        take_over(grader, places, work.logs, work.predicted)
    else:
        state.bias[grader], state.reliability[grader] = old_bias, old_reliability
        for review in range(first, last):
            state.halo[review] = work.halo[review - first]


@jit
def _log_over_proposal(bias: float, mean: float, sd: float) -> float:
    """Log of a bias's prior density divided by that of a jump to there: π/g of equation (H5)."""
    density = math.exp(-0.5 * ((bias - mean) / sd) ** 2) / (sd * math.sqrt(2.0 * math.pi))
    even = 0.5 / (2.0 * _WIDEST) if abs(bias) < _WIDEST else 0.0
    return math.log(max(density, 1e-300)) - math.log(max(0.5 * density + even, 1e-300))
