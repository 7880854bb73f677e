"""True grades and merits, submission by submission, given the reports before rounding.

These are equations (D1), (D5), (D6) and (D16) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Beliefs, Cells, Clamps, Errors, Levels, Places, State
from peerage.inference.latent.latent_priors import cell_prior
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import below, bin_mass, draw_in_bin

_FAR = 7.0
"""Standard deviations beyond which a normal distribution has no mass worth adding."""

_TURNED = 0.4
"""How much of a true grade's noise is turned round: means gain by that, and the ends of intervals lose nothing."""

_FRESH = math.sqrt(1.0 - _TURNED * _TURNED)


@jit
def turn_noises(rng: np.random.Generator, true_grade: F64, cells: Cells) -> None:
    """Make the noises with which true grades will be drawn from where they are now: equation (D16).

    This comes before anything is drawn with the true grades summed out.
    """
    for cell in range(len(true_grade)):
        root = math.sqrt(cells.precision[cell])
        noise = true_grade[cell] * root - cells.weighted[cell] / root
        cells.noise[cell] = _FRESH * rng.standard_normal() - _TURNED * noise


@jit
def draw_grades(places: Places, beliefs: Beliefs, state: State, noises: F64, matrix: F64, vector: F64) -> None:
    """Draw every submission's true grades together, merit and halos summed out: equation (D5).

    One matrix serves all submissions: it stays in the cache.
    """
    for submission in range(len(places.submission_cells) - 1):
        first, last = places.submission_cells[submission], places.submission_cells[submission + 1]
        load_grades(submission, places, beliefs, state, matrix, vector)
        factorise(last - first, matrix, vector)
        for cell in range(first, last):
            vector[cell - first] += noises[cell]
        solve_back(last - first, matrix, vector)
        for cell in range(first, last):
            state.true_grade[cell] = vector[cell - first]


@jit
def load_grades(submission: int, places: Places, beliefs: Beliefs, state: State, matrix: F64, vector: F64) -> None:
    """Precision matrix (its lower half) and weighted mean of a submission's true grades given the reports.

    This is equation (D5). A review takes two passes, for what its components share, K and kᵀ(g − b), enters each of
    them.
    """
    first, last = places.submission_cells[submission], places.submission_cells[submission + 1]
    errors = beliefs.errors
    _load_prior(first, last, places.cell_component, beliefs, matrix, vector)
    for position in range(places.submission_start[submission], places.submission_start[submission + 1]):
        review = places.submission_reviews[position]
        if not state.effortful[review]:
            continue
        # A review with its halo summed out has the precision matrix p(Γ − kkᵀ/K).
        grader = places.review_grader[review]
        begin, end = places.review_reports[review], places.review_reports[review + 1]
        bias = state.bias[grader] + state.drift[places.review_drift[review]]
        slope, total, whole = state.slope[grader], 0.0, 1.0
        precision, narrowed = state.reliability[grader], 1.0 - slope
        for report in range(begin, end):
            rest = state.latent[report] - bias - narrowed * places.cell_centre[places.report_cell[report]]
            total += errors.shared[report] * rest
            whole += errors.shared[report] * errors.loading[report]
        told, part = precision * slope * slope, precision * slope * slope / whole
        for report in range(begin, end):
            cell, own, shared = places.report_cell[report], errors.own[report], errors.shared[report]
            i, rest = cell - first, state.latent[report] - bias - narrowed * places.cell_centre[cell]
            matrix[i, i] += told * own
            vector[i] += slope * precision * (own * rest - shared * total / whole)
            if shared > 0.0:
                for other in range(begin, report + 1):
                    matrix[i, places.report_cell[other] - first] -= part * shared * errors.shared[other]


@jit
def _load_prior(first: int, last: int, cell_component: np.ndarray, beliefs: Beliefs, matrix: F64, vector: F64) -> None:
    """Precision matrix (its lower half) and weighted mean of a submission's true grades beforehand.

    This is the first term of equation (D5), an inverse in closed form.
    """
    share, size = beliefs.merit[0], last - first
    own, shared = 1.0 / (1.0 - share), share / (1.0 - share) / (1.0 + share * (size - 1.0))
    total = 0.0
    for i in range(size):
        component = cell_component[first + i]
        total += beliefs.grade_mean[component] / beliefs.grade_sd[component]
    for i in range(size):
        component = cell_component[first + i]
        sd = beliefs.grade_sd[component]
        for j in range(i):
            matrix[i, j] = -shared / (sd * beliefs.grade_sd[cell_component[first + j]])
        matrix[i, i] = (own - shared) / (sd * sd)
        vector[i] = (own * beliefs.grade_mean[component] / sd - shared * total) / sd


@jit
def factorise(size: int, matrix: F64, vector: F64) -> None:
    """Put the Cholesky factor L of a precision matrix into its lower half, and L⁻¹ times ``vector`` into that."""
    for j in range(size):
        for k in range(j):
            matrix[j, j] -= matrix[j, k] * matrix[j, k]
            vector[j] -= matrix[j, k] * vector[k]
        root = math.sqrt(matrix[j, j])
        matrix[j, j] = root
        vector[j] /= root
        for i in range(j + 1, size):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] /= root


@jit
def solve_back(size: int, matrix: F64, vector: F64) -> None:
    """Put L⁻ᵀ times ``vector`` into it, for a Cholesky factor L in the lower half of a matrix."""
    for j in range(size - 1, -1, -1):
        for i in range(j + 1, size):
            vector[j] -= matrix[i, j] * vector[i]
        vector[j] /= matrix[j, j]


@jit
def draw_merits(rng: np.random.Generator, places: Places, beliefs: Beliefs, state: State) -> None:
    """Draw all submissions' merits given their true grades: equation (D6)."""
    share = beliefs.merit[0]
    for submission in range(len(state.merit)):
        first, last, total = places.submission_cells[submission], places.submission_cells[submission + 1], 0.0
        for cell in range(first, last):
            component = places.cell_component[cell]
            total += (state.true_grade[cell] - beliefs.grade_mean[component]) / beliefs.grade_sd[component]
        precision = 1.0 + (last - first) * share / (1.0 - share)
        mean = total * math.sqrt(share) / (1.0 - share) / precision
        state.merit[submission] = mean + rng.standard_normal() / math.sqrt(precision)


@jit
def draw_one_by_one(
    rng: np.random.Generator, places: Places, clamps: Clamps, beliefs: Beliefs, state: State, cells: Cells
) -> None:
    """Draw true grades one after the other given merits and halos: where some are fixed to a bin, or nothing is shared.

    This is equation (D1). ``cells`` hold all that is said of them but for those that are fixed, whose part is found
    here.
    """
    share, means, sds = beliefs.merit[0], beliefs.grade_mean, beliefs.grade_sd
    for submission in range(len(places.submission_cells) - 1):
        for cell in range(places.submission_cells[submission], places.submission_cells[submission + 1]):
            if not clamps.grade[cell]:
                sd = 1.0 / math.sqrt(cells.precision[cell])
                state.true_grade[cell] = cells.weighted[cell] * sd * sd + sd * cells.noise[cell]
                continue
            precision, mean = cell_prior(places.cell_component[cell], state.merit[submission], share, means, sds)
            weighted = precision * mean
            for position in range(places.submission_start[submission], places.submission_start[submission + 1]):
                review = places.submission_reviews[position]
                grader = places.review_grader[review]
                for report in range(places.review_reports[review], places.review_reports[review + 1]):
                    if state.effortful[review] and places.report_cell[report] == cell:
                        slope = state.slope[grader]
                        weight = state.reliability[grader] * slope * beliefs.errors.own[report]
                        offset = state.bias[grader] + beliefs.errors.loading[report] * state.halo[review]
                        offset += state.drift[places.review_drift[review]]
                        precision += weight * slope
                        rest = state.latent[report] - offset - (1.0 - slope) * places.cell_centre[cell]
                        weighted += weight * rest
            mean, sd = weighted / precision, 1.0 / math.sqrt(precision)
            low, high = (clamps.grade_low[cell] - mean) / sd, (clamps.grade_high[cell] - mean) / sd
            beyond, mass = bin_mass(low, high)
            state.true_grade[cell] = mean + sd * draw_in_bin(rng, low, high, beyond, mass)


@jit
def add_level_masses(cell_component: np.ndarray, levels: Levels, cells: Cells, level_mass: F64) -> None:
    """Add the probability of each level of every true grade, normal as in equation (D1).

    Cuts are visited in order, and levels that are far away are skipped: of a long scale, nearly all are.
    """
    for cell in range(len(cells.precision)):
        component = cell_component[cell]
        level, last = levels.cut_start[component], levels.cut_start[component + 1]
        mean, root, passed = cells.weighted[cell] / cells.precision[cell], math.sqrt(cells.precision[cell]), 0.0
        begun = level
        while level < last and (levels.cuts[level] - mean) * root < -_FAR:
            level += 1
        while level < last and passed < 1.0:
            z = (levels.cuts[level] - mean) * root
            reached = below(z) if z < _FAR else 1.0
            level_mass[cell, level - begun] += reached - passed
            passed = reached
            level += 1
        if passed < 1.0:
            level_mass[cell, last - begun] += 1.0 - passed


@jit
def add_influence(places: Places, errors: Errors, state: State, influence: F64) -> None:
    """Add what each effortful review tells of a component, on average: equation (S7)."""
    for review in range(len(state.effortful)):
        if state.effortful[review]:
            begin, end = places.review_reports[review], places.review_reports[review + 1]
            told, shared, whole = 0.0, 0.0, 1.0
            for report in range(begin, end):
                told += errors.own[report]
                shared += errors.shared[report]
                whole += errors.shared[report] * errors.loading[report]
            reliability = state.reliability[places.review_grader[review]]
            influence[review] += reliability * (told - shared * shared / whole) / (end - begin)
