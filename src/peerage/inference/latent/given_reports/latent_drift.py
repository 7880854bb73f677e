"""Biases that drift from assignment to assignment, and how far they step.

A grader's bias b and the steps e_1, e_2, … from one assignment to the next are independent beforehand, and normal given
the reports before rounding. What the bias is in each assignment follows from them. These are equations (W1) to (W4) of
docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.given_reports.grade_updates import factorise, solve_back
from peerage.inference.latent.latent_arrays import Beliefs, Errors, Given, Graders, Places, State, Work
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import DRIFT, REPEATS, log_hyperprior, propose, settle
from peerage.inference.numerics.jit import jit

_WEIGHT, _TOTAL = 0, 1
"""What suffices of a grader's reports in an assignment: the sums W and Y, as in equation (D8)."""


@jit
def update_drift(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Move the size of steps with all biases summed out, equation (W4), then draw these, equation (W3)."""
    n_weeks, graders, beliefs = given.learning.n_weeks, given.graders, given.beliefs
    load_walk_sums(given.places, beliefs.errors, state, work.walk_sums)
    learn_drift(rng, adapt, n_weeks, graders, beliefs, state, work)
    draw_walks(rng, n_weeks, graders, beliefs, state, work)


@jit
def load_walk_sums(places: Places, errors: Errors, state: State, sums: F64) -> None:
    """What suffices of all reports before rounding by graders who drift, halos summed out: equation (W2).

    One pass over a review gives the sums of which its products, equation (D7), are made.
    """
    sums[:] = 0.0
    for review in range(len(places.review_grader)):
        entry = places.review_drift[review]
        if entry == 0 or not state.effortful[review]:
            continue
        grader, weight, total = places.review_grader[review], 0.0, 0.0
        narrowed = 1.0 - state.slope[grader]
        whole, shared, shared_total = 1.0, 0.0, 0.0
        for report in range(places.review_reports[review], places.review_reports[review + 1]):
            cell, own, loading = places.report_cell[report], errors.own[report], errors.loading[report]
            seen = state.true_grade[cell] - narrowed * (state.true_grade[cell] - places.cell_centre[cell])
            weight += own
            total += own * (state.latent[report] - seen)
            both = own * loading
            whole += both * loading
            shared += both
            shared_total += both * (state.latent[report] - seen)
        sums[_WEIGHT, entry] += weight - shared * shared / whole
        sums[_TOTAL, entry] += total - shared * shared_total / whole


@jit
def learn_drift(
    rng: np.random.Generator, adapt: bool, n_weeks: int, graders: Graders, beliefs: Beliefs, state: State, work: Work
) -> None:
    """Move the size of steps, biases and steps being summed out: equation (W4).

    Reports have been summed up, so that weighing a size takes a pass over graders only.
    """
    theta, width = state.hyper, state.hyper_width
    current = log_walks(n_weeks, graders, beliefs, state, work)
    for _ in range(REPEATS):
        old, before = propose(rng, theta, width, DRIFT)
        beliefs.step_sd[0] = math.exp(theta[DRIFT])
        proposed = log_walks(n_weeks, graders, beliefs, state, work)
        if settle(rng, theta, width, DRIFT, old, proposed - current + log_hyperprior(theta) - before, adapt):
            current = proposed
    beliefs.step_sd[0] = math.exp(theta[DRIFT])


@jit
def log_walks(n_weeks: int, graders: Graders, beliefs: Beliefs, state: State, work: Work) -> float:
    """Log probability of the reports of all who drift, biases and steps summed out: equation (W4)."""
    matrix, vector, log_step, total = work.matrix, work.vector, math.log(beliefs.step_sd[0]), 0.0
    for grader in range(len(graders.walk)):
        if graders.walk[grader] > 0:
            _load_walk(grader, n_weeks, graders, beliefs, state.reliability, work.walk_sums, matrix, vector)
            factorise(n_weeks, matrix, vector)
            total -= (n_weeks - 1) * log_step
            for j in range(n_weeks):
                total += 0.5 * vector[j] * vector[j] - math.log(matrix[j, j])
    return total


@jit
def draw_walks(
    rng: np.random.Generator, n_weeks: int, graders: Graders, beliefs: Beliefs, state: State, work: Work
) -> None:
    """Draw the biases and drifts of all who drift from their normal conditional distribution: equation (W3)."""
    matrix, vector = work.matrix, work.vector
    for grader in range(len(graders.walk)):
        first = graders.walk[grader]
        if first > 0:
            _load_walk(grader, n_weeks, graders, beliefs, state.reliability, work.walk_sums, matrix, vector)
            factorise(n_weeks, matrix, vector)
            for j in range(n_weeks):
                vector[j] += rng.standard_normal()
            solve_back(n_weeks, matrix, vector)
            state.bias[grader], drift = vector[0], 0.0
            for step in range(1, n_weeks):
                drift -= vector[step] * (n_weeks - step) / n_weeks
            state.drift[first] = drift
            for step in range(1, n_weeks):
                drift += vector[step]
                state.drift[first + step] = drift


@jit
def _load_walk(
    grader: int,
    n_weeks: int,
    graders: Graders,
    beliefs: Beliefs,
    reliability: F64,
    sums: F64,
    matrix: F64,
    vector: F64,
) -> None:
    """Precision matrix (its lower half) and weighted mean of a bias and the steps: equation (W3).

    In an assignment, step j counts 1 if it was made before, less the part of all assignments that come after it. Sums
    from the last assignment back give every entry, without a sum over assignments for each pair of steps.
    """
    first, group, told, total = graders.walk[grader], graders.group[grader], 0.0, 0.0
    for j in range(n_weeks - 1, -1, -1):  # what all assignments from the j-th on say
        told += sums[_WEIGHT, first + j]
        total += sums[_TOTAL, first + j]
        matrix[j, j], vector[j] = told, total
    precision = reliability[grader]
    for j in range(n_weeks - 1, 0, -1):
        later, part = matrix[j, j], (n_weeks - j) / n_weeks
        for k in range(j):
            other = (n_weeks - k) / n_weeks if k > 0 else 0.0
            matrix[j, k] = precision * (later * (1.0 - other) - part * (matrix[k, k] - other * told))
        matrix[j, j] = beliefs.step_sd[0] ** -2.0 + precision * (later * (1.0 - 2.0 * part) + part * part * told)
        vector[j] = precision * (vector[j] - part * total)
    weight = beliefs.bias[group, 1] ** -2.0
    matrix[0, 0] = weight + precision * told
    vector[0] = weight * beliefs.bias[group, 0] + precision * total
