"""Sweeps over some submissions with their graders held, for each of many draws of these: kernels.

What is drawn anew are efforts, reports before rounding, true grades, merits and halos. Graders who are new to the class
come from the priors of the draw. Equations are those of docs/model.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.inference.latent.given_reports.grade_updates import (
    add_influence,
    add_level_masses,
    draw_grades,
    draw_merits,
    draw_one_by_one,
    turn_noises,
)
from peerage.inference.latent.given_reports.latent_halos import draw_halos
from peerage.inference.latent.grader_by_grader.efforts_and_reports_before_rounding import draw_efforts_made
from peerage.inference.latent.grader_by_grader.latent_habits import CAREFUL, CARELESS, fill_careless
from peerage.inference.latent.grader_by_grader.review_predictions import (
    draw_reports,
    hold_fixed,
    load_cells,
    predict,
    put_back,
    take_out,
)
from peerage.inference.latent.latent_arrays import Given, State, Work
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.arrays import F64, I64, Flags, Sums
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import copy_into

SETTLING, KEPT = 6, 6
"""Sweeps for each draw of the graders: those that are discarded, and those that count."""


@by_reference
class Drawn(NamedTuple):
    """Draws of the graders (draw, grader), of hyperparameters and of drifts; who is new, whose reviews are unseen."""

    reliability: F64
    bias: F64
    effort: F64
    habit: I64
    slope: F64
    hyper: F64
    drift: F64
    is_new: Flags
    unseen: Flags


@jit
def sweep_locally(
    rng: np.random.Generator,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
    drawn: Drawn,
    true_grade: F64,
) -> None:
    """For each draw of the graders, sweep over the submissions; the last true grades go to ``true_grade``.

    Given the graders, these are draws from equation (5). Each draw goes on from where the one before ended, so that few
    sweeps have to be discarded.
    """
    for draw in range(len(drawn.effort)):
        hold_graders(draw, rng, has_effort, has_bias, given, state, drawn)
        for index in range(SETTLING + KEPT):
            sweep_once(rng, index >= SETTLING, has_effort, drawn.unseen, given, state, sums, work)
        copy_into(true_grade[draw], state.true_grade)


@jit
def hold_graders(
    draw: int,
    rng: np.random.Generator,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    drawn: Drawn,
) -> None:
    """Let the graders and the class be what they are in a draw; newcomers are drawn from equation (1).

    A review that is unseen counts as made without effort: so it says nothing of its cells.
    """
    if given.learning.on:
        copy_into(state.hyper, drawn.hyper[draw])
        refresh(given, state.hyper)
    copy_into(state.drift, drawn.drift[draw])
    for grader in range(len(state.bias)):
        state.reliability[grader] = drawn.reliability[draw, grader]
        state.bias[grader], state.effort[grader] = drawn.bias[draw, grader], drawn.effort[draw, grader]
        state.habit[grader], state.slope[grader] = drawn.habit[draw, grader], drawn.slope[draw, grader]
        if drawn.is_new[grader]:
            _draw_newcomer(grader, rng, has_effort, has_bias, given, state)
        if drawn.unseen[grader]:
            state.effortful[given.places.grader_reviews[grader] : given.places.grader_reviews[grader + 1]] = False


@jit
def _draw_newcomer(
    grader: int, rng: np.random.Generator, has_effort: bool, has_bias: bool, given: Given, state: State
) -> None:
    """Draw a grader of whom nothing is known from the priors, but for what is fixed: equations (1) and (L1).

    Such a grader has no habit.
    """
    group, clamps, beliefs = given.graders.group[grader], given.clamps, given.beliefs
    state.habit[grader] = 0
    if not clamps.reliability[grader]:
        state.reliability[grader] = rng.standard_gamma(beliefs.reliability[group, 0]) / beliefs.reliability[group, 1]
    if has_bias and not clamps.bias[grader]:
        state.bias[grader] = beliefs.bias[group, 0] + beliefs.bias[group, 1] * rng.standard_normal()
    if has_effort and not clamps.effort[grader]:
        state.effort[grader] = rng.beta(beliefs.effort[0], beliefs.effort[1])
    state.slope[grader] = 1.0
    if given.graders.has_slope[grader]:
        state.slope[grader] += beliefs.slope_sd[0] * rng.standard_normal()


@jit
def sweep_once(
    rng: np.random.Generator,
    keep: bool,
    has_effort: bool,
    unseen: Flags,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
) -> None:
    """One sweep; if ``keep``, add to the sums.

    Equations (D1), (D2), (6) and (D3), grader by grader, and then equations (D5), (D6) and (D12): the order of the
    sampler's own sweep, which makes what is summed out valid.
    """
    places, levels, beliefs, cells, logs = given.places, given.levels, given.beliefs, work.cells, work.logs
    load_cells(places, beliefs, state, cells)
    turn_noises(rng, state.true_grade, cells)
    if given.clamps.any_grade:
        hold_fixed(given.clamps.grade, state.true_grade, cells)
    for grader in range(len(state.bias)):
        if unseen[grader]:
            continue
        take_out(grader, rng, given.graders.has_halo[grader], places, beliefs.errors, state, cells)
        predict(grader, CAREFUL, places, levels, beliefs.rounding, beliefs.errors, state, cells, work.predicted, logs)
        if has_effort and state.effort[grader] < 1.0:
            table = beliefs.low_effort
            fill_careless(grader, state.habit[grader], CARELESS, places, levels, given.habits.favourite, table, logs)
            draw_efforts_made(grader, rng, keep, places, state, sums, logs)
        elif keep:
            for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
                sums.effortful[review] += 1.0
        draw_reports(grader, rng, places, levels, beliefs.rounding, state, work.predicted)
        put_back(grader, places, beliefs.errors, state, cells)
    if keep:
        add_level_masses(places.cell_component, levels, cells, sums.level_mass)
    if given.clamps.any_grade or not (given.learning.has_merit or given.learning.has_halo):
        draw_one_by_one(rng, places, given.clamps, beliefs, state, cells)
    else:
        draw_grades(places, beliefs, state, cells.noise, work.matrix, work.vector)
    if given.learning.has_merit:
        draw_merits(rng, places, beliefs, state)
    if given.learning.has_halo:
        draw_halos(rng, places, given.graders.has_halo, beliefs.errors, state, work.parts)
    if keep:
        add_influence(places, beliefs.errors, state, sums.influence)
