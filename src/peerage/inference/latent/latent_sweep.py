"""The sweeps of the sampler that draws reports before rounding, compiled. Equations are those of docs/model.md.

Given its report before rounding, everything that a review tells is normal. One sweep updates

1. grader by grader, habits, effort probabilities, efforts and reports before rounding, true grades summed out;
2. the hyperparameters of true grades and the share of merit, grades and merits summed out; then all true grades, with
   merits and halos summed out and noises made before step 1, and the merits;
3. slopes; where biases drift, biases and drifts together; then biases, reliabilities and what errors are made of, the
   hyperparameters of each before it, halos summed out; then the halos;
4. the level of all grades, the hyperparameters of low effort, those of effort, and the shares of coarser grades.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.given_reports.grade_updates import (
    add_influence,
    add_level_masses,
    draw_grades,
    draw_merits,
    draw_one_by_one,
    turn_noises,
)
from peerage.inference.latent.given_reports.latent_drift import update_drift
from peerage.inference.latent.given_reports.latent_halos import draw_halos, learn_errors
from peerage.inference.latent.given_reports.latent_slopes import draw_slopes, learn_slopes, load_slope_sums
from peerage.inference.latent.given_reports.learning_latent_graders import (
    draw_biases,
    draw_reliabilities,
    learn_biases,
    learn_reliabilities,
    load_grader_sums,
)
from peerage.inference.latent.given_reports.learning_latent_grades import (
    draw_merits_of_reported,
    learn_true_grades,
    shift_level,
)
from peerage.inference.latent.grader_by_grader.efforts_and_reports_before_rounding import update_reviews
from peerage.inference.latent.grader_by_grader.latent_habits import learn_habits
from peerage.inference.latent.grader_by_grader.latent_heaping import learn_rounding
from peerage.inference.latent.grader_by_grader.learning_latent_efforts import (
    count_low_effort,
    draw_efforts,
    learn_low_effort,
)
from peerage.inference.latent.grader_by_grader.review_predictions import hold_fixed, load_cells
from peerage.inference.latent.latent_arrays import Given, State, Stored, Work
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.arrays import F64, DrawRows, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import sum_of


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
    draws: DrawRows,
    work: Work,
) -> None:
    """Run ``sweeps`` sweeps in place; if ``keep``, add to the sums and write the draws from row ``first`` on.

    They leave the joint density, equation (5), as it is. The order matters: what an update sums out is drawn anew
    before anything conditions on it.
    """
    places, levels, beliefs, cells = given.places, given.levels, given.beliefs, work.cells
    if given.learning.on:
        refresh(given, state.hyper)
    for index in range(sweeps):
        load_cells(places, beliefs, state, cells)
        turn_noises(rng, state.true_grade, cells)
        if given.clamps.any_grade:
            hold_fixed(given.clamps.grade, state.true_grade, cells)
        update_reviews(rng, keep, has_effort, has_bias, given, state, sums, work)
        if keep:
            add_level_masses(places.cell_component, levels, cells, sums.level_mass)
        _update_grades(rng, not keep, given, state, work)
        _update_graders(rng, not keep, has_bias, given, state, work)
        if has_effort:
            _update_efforts(rng, not keep, given, state, work)
        if levels.coarse.on:
            learn_rounding(rng, places, levels, beliefs, state, work.level_counts)
        if keep:
            add_influence(places, beliefs.errors, state, sums.influence)
            _write(first + index, given.stored, state, draws)


@jit
def _update_grades(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """True grades and merits, equations (D1), (D5) and (D6), after the hyperparameters of both, equation (D13)."""
    places, beliefs, learning = given.places, given.beliefs, given.learning
    if learning.on:
        learn_true_grades(rng, adapt, learning, places, beliefs, state, work.cells)
    if given.clamps.any_grade or not (learning.has_merit or learning.has_halo):
        if learning.on:
            if learning.has_merit:  # they were summed out, and grades are drawn given them
                draw_merits_of_reported(rng, places, beliefs, state, work.cells)
            load_cells(places, beliefs, state, work.cells)  # their priors have moved
        draw_one_by_one(rng, places, given.clamps, beliefs, state, work.cells)
    else:
        draw_grades(places, beliefs, state, work.cells.noise, work.matrix, work.vector)
    if learning.has_merit:
        draw_merits(rng, places, beliefs, state)


@jit
def _update_graders(
    rng: np.random.Generator, adapt: bool, has_bias: bool, given: Given, state: State, work: Work
) -> None:
    """Slopes, biases, reliabilities and halos, each after its hyperparameters, and the level of the grades.

    Equations (L3) and (L4), (W2) to (W4), (D8) to (D12), (D14) and (D15).
    """
    places, graders, beliefs, clamps, sums = given.places, given.graders, given.beliefs, given.clamps, work.grader_sums
    learned, group = given.learning.on, given.graders.group
    if given.learning.has_slopes:
        load_slope_sums(places, graders.has_slope, beliefs.errors, state, work.slope_sums)
        learn_slopes(rng, adapt, graders.has_slope, beliefs, state, work.slope_sums)
        sd, slope_sums = beliefs.slope_sd[0], work.slope_sums
        draw_slopes(rng, graders.has_slope, sd, state.reliability, slope_sums, state.slope)
    if given.learning.n_weeks > 1:
        update_drift(rng, adapt, given, state, work)
    load_grader_sums(places, beliefs.errors, state, sums)
    if has_bias:
        if learned:
            learn_biases(rng, adapt, given.learning, graders, clamps, beliefs, state, sums)
        draw_biases(rng, clamps.bias, group, beliefs.bias, state.reliability, sums, state.bias)
    if learned:
        learn_reliabilities(rng, adapt, clamps.reliability, group, beliefs, state, sums)
    draw_reliabilities(rng, clamps.reliability, group, beliefs.reliability, state.bias, sums, state.reliability)
    if given.learning.has_halo:
        learn_errors(rng, adapt, given, state, work.products, work.parts)
        draw_halos(rng, places, graders.has_halo, beliefs.errors, state, work.parts)
    if learned and has_bias and given.learning.can_shift:
        shift_level(rng, given.learning, graders, beliefs, state)


@jit
def _update_efforts(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Effort probabilities, after the hyperparameters of reports without effort, of habits and of effort.

    Equations (2), (H4), (15) and (13).
    """
    places, levels, beliefs, table = given.places, given.levels, given.beliefs, given.beliefs.low_effort
    if given.learning.on:
        count_low_effort(rng, places, levels, given.habits.favourite, table, state, work.level_counts)
        learn_low_effort(rng, adapt, given.learning, levels, beliefs, state, work.level_counts)
        learn_habits(rng, given.habits.may_have, state.habit, state.hyper)
    draw_efforts(rng, adapt, given.learning.on, places, given.clamps.effort, beliefs.effort, state, work.exceeding)


@jit
def _cell_of(value: float, grid: F64) -> int:
    """The cell of an even grid in which a value lies; the first or the last one where it lies beyond."""
    return int(min(max((value - grid[0]) / grid[1], 0.0), grid[2]))


@jit
def _write(row: int, stored: Stored, state: State, draws: DrawRows) -> None:
    """Write the state into a row of the draws, as cells of grids."""
    for cell in range(len(state.true_grade)):
        draws.true_grade[row, cell] = _cell_of(state.true_grade[cell], stored.grade)
    for grader in range(len(state.bias)):
        draws.reliability[row, grader] = _cell_of(math.log(state.reliability[grader]), stored.log_reliability)
        draws.bias[row, grader] = _cell_of(state.bias[grader], stored.bias)
        draws.effort[row, grader] = state.effort[grader]
        draws.habit[row, grader] = state.habit[grader]
        draws.slope[row, grader] = state.slope[grader]
    for entry in range(len(state.drift)):
        draws.drift[row, entry] = state.drift[entry]
    draws.effortful_count[row] = int(sum_of(state.effortful))
    for index in range(draws.hyper.shape[1]):
        draws.hyper[row, index] = state.hyper[index]
