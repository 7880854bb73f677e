"""Efforts and reports before rounding, grader by grader, with the true grades summed out.

These are equations (D1) to (D4) of docs/model.md.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.latent.given_reports.latent_slopes import move_slope
from peerage.inference.latent.grader_by_grader.grader_moves import (
    draw_bias,
    move_reliability,
    reflect,
    take_into_centre,
)
from peerage.inference.latent.grader_by_grader.habit_moves import draw_habit
from peerage.inference.latent.grader_by_grader.latent_habits import (
    CAREFUL,
    CARELESS,
    WITH_HABIT,
    WITHOUT,
    fill_careless,
    prior_of_effort,
    refresh_efforts,
)
from peerage.inference.latent.grader_by_grader.review_predictions import draw_reports, predict, put_back, take_out
from peerage.inference.latent.latent_arrays import Given, Places, State, Work
from peerage.inference.numerics.arrays import F64, Sums
from peerage.inference.numerics.effort_density import chance_of_effort, draw_effort
from peerage.inference.numerics.jit import jit

_RARELY = 0.05
"""In which part of all sweeps a habit is drawn, but for graders who give one grade often: theirs always is."""


@jit
def update_reviews(
    rng: np.random.Generator,
    keep: bool,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
) -> None:
    """Draw efforts, habits and reports before rounding of every grader in turn, and move reliability and bias.

    In this order: equations (D4), (H3) or (H5), (6), (D3) and (L2). What sums out the grader's reports before rounding
    comes before these are drawn. While a grader is visited, equation (D1) is without the grader's own reviews.
    """
    places, levels, cells, group = given.places, given.levels, work.cells, given.graders.group
    favourite, table = given.habits.favourite, given.beliefs.low_effort
    rounding, errors = given.beliefs.rounding, given.beliefs.errors
    if has_effort:
        refresh_efforts(given.beliefs.effort, work.efforts)
    for grader in range(len(state.bias)):
        take_out(grader, rng, given.graders.has_halo[grader], places, errors, state, cells)
        predict(grader, CAREFUL, places, levels, rounding, errors, state, cells, work.predicted, work.logs)
        if has_effort:
            fill_careless(grader, state.habit[grader], CARELESS, places, levels, favourite, table, work.logs)
        if not keep:
            take_into_centre(grader, state)
        reflect(grader, rng, has_effort, has_bias, given, state, work)
        if has_effort and not (given.clamps.effort[grader] and state.effort[grader] >= 1.0):
            if given.habits.may_have[grader] and (given.habits.may_jump[grader] or rng.random() < _RARELY):
                draw_habit(grader, rng, given, state, work)
            else:
                _draw_effort(grader, rng, given, state, work)
            draw_efforts_made(grader, rng, keep, places, state, sums, work.logs)
        elif keep:
            for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
                sums.effortful[review] += 1.0
        draw_reports(grader, rng, places, levels, rounding, state, work.predicted)
        if has_bias and not given.clamps.bias[grader]:
            draw_bias(grader, rng, given.beliefs.bias, group, places, errors, state, cells)
        if not given.clamps.reliability[grader]:
            move_reliability(grader, rng, given.beliefs.reliability, group, places, errors, state, cells)
        if given.graders.has_slope[grader]:
            move_slope(grader, rng, given.beliefs.slope_sd[0], places, errors, state, cells)
        put_back(grader, places, errors, state, cells)


@jit
def _draw_effort(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's effort probability, unless it is fixed: equation (H3) for the habit that the grader has."""
    places, logs = given.places, work.logs
    if not given.clamps.effort[grader]:
        count = places.grader_reviews[grader + 1] - places.grader_reviews[grader]
        for place in range(count):
            work.shares[place] = chance_of_effort(0.5, logs[place, CAREFUL], logs[place, CARELESS])
        code, efforts = state.habit[grader], work.efforts
        prior, before = prior_of_effort(code, given.beliefs.effort), efforts.prior[WITH_HABIT if code > 0 else WITHOUT]
        shares = work.shares[:count]
        state.effort[grader] = draw_effort(rng, state.effort[grader], shares, prior, before, efforts.masses)


@jit
def draw_efforts_made(
    grader: int, rng: np.random.Generator, keep: bool, places: Places, state: State, sums: Sums, logs: F64
) -> None:
    """Draw the effort of each of a grader's reviews, by the odds of equation (6) with A of equation (D2)."""
    begun = places.grader_reviews[grader]
    for review in range(begun, places.grader_reviews[grader + 1]):
        careful, careless = logs[review - begun, CAREFUL], logs[review - begun, CARELESS]
        probability = chance_of_effort(state.effort[grader], careful, careless)
        state.effortful[review] = rng.random() < probability
        if keep:
            sums.effortful[review] += probability
