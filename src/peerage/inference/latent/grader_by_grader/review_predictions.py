"""A grader's reviews predicted from all others, true grades summed out, and reports before rounding.

Given merit, halos and the other reports before rounding, a true grade is normal, so the probability of a report has a
closed form: equations (D1) to (D3) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.grader_by_grader.latent_habits import AFTER_JUMP, CAREFUL
from peerage.inference.latent.grader_by_grader.latent_heaping import draw_rounded, round_masses, rounded_mass
from peerage.inference.latent.latent_arrays import Beliefs, Cells, Errors, Levels, Places, State
from peerage.inference.latent.latent_priors import cell_prior
from peerage.inference.numerics.arrays import F64, Flags
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import OUT_OF_REACH, bin_mass, bin_masses, draw_in_bin

INPUTS = 8
"""The first of the rows of ``Work.predicted`` that predictions are made from."""

_SMALL, _TINY = 1e-150, 1e-290
"""Products of probabilities are turned into logarithms when they are smaller than this; no probability is smaller."""


@jit
def load_cells(places: Places, beliefs: Beliefs, state: State, cells: Cells) -> None:
    """Precision and weighted mean of every true grade given merits, halos and reports before rounding: equation (D1).

    Graders are visited in the order in which their reports lie in memory.
    """
    share, means, sds = beliefs.merit[0], beliefs.grade_mean, beliefs.grade_sd
    for submission in range(len(places.submission_cells) - 1):
        for cell in range(places.submission_cells[submission], places.submission_cells[submission + 1]):
            prior, mean = cell_prior(places.cell_component[cell], state.merit[submission], share, means, sds)
            cells.precision[cell], cells.weighted[cell] = prior, prior * mean
    for grader in range(len(state.bias)):
        _add(grader, 1.0, places, beliefs.errors, state, cells)


@jit
def _add(grader: int, sign: float, places: Places, errors: Errors, state: State, cells: Cells) -> None:
    """Add what a grader's effortful reviews say to the cells, or take it out: terms of the sums of equation (D1)."""
    slope = state.slope[grader]
    weight, narrowed = sign * state.reliability[grader] * slope, 1.0 - slope
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        if state.effortful[review]:
            bias, halo = state.bias[grader] + state.drift[places.review_drift[review]], state.halo[review]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                cell, told = places.report_cell[report], weight * errors.own[report]
                expected = bias + errors.loading[report] * halo + narrowed * places.cell_centre[cell]
                cells.precision[cell] += told * slope
                cells.weighted[cell] += told * (state.latent[report] - expected)


@jit
def hold_fixed(fixed: Flags, true_grade: F64, cells: Cells) -> None:
    """Let true grades that are fixed to a bin be given and not summed out.

    In place of equation (D1) they have a precision beyond all others, so that no kernel has to ask which are fixed.
    """
    for cell in range(len(fixed)):
        if fixed[cell]:
            cells.precision[cell] = 1e12
            cells.weighted[cell] = 1e12 * true_grade[cell]


@jit
def take_out(
    grader: int, rng: np.random.Generator, has_halo: bool, places: Places, errors: Errors, state: State, cells: Cells
) -> None:
    """Take what a grader's reviews say out of the cells, equation (D1).

    Reviews made without effort get a halo from its prior, equation (S6), which is all that is known of it.
    """
    _add(grader, -1.0, places, errors, state, cells)
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        if has_halo and not state.effortful[review]:
            state.halo[review] = rng.standard_normal() / math.sqrt(state.reliability[grader])


@jit
def predict(
    grader: int,
    column: int,
    places: Places,
    levels: Levels,
    rounding: F64,
    errors: Errors,
    state: State,
    cells: Cells,
    predicted: F64,
    logs: F64,
) -> None:
    """The log probability of each of a grader's reviews if made with effort, given the other reviews: equation (D2).

    Where grades are heaped it is equation (G1). What it takes is gathered first, for a loop that does nothing but weigh
    takes vectors of reports. Few masses are out of its reach, and are found one by one. Logarithms are taken of
    products: each takes longer than many factors.
    """
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    begin, row, slope = places.review_reports[first], 0, state.slope[grader]
    narrowed = 1.0 - slope
    for review in range(first, last):
        bias, halo = state.bias[grader] + state.drift[places.review_drift[review]], state.halo[review]
        for report in range(places.review_reports[review], places.review_reports[review + 1]):
            cell = places.report_cell[report]
            predicted[INPUTS, row], predicted[INPUTS + 1, row] = cells.precision[cell], cells.weighted[cell]
            predicted[INPUTS + 2, row] = bias + errors.loading[report] * halo + narrowed * places.cell_centre[cell]
            predicted[INPUTS + 3, row] = errors.own[report]
            row += 1
    low, high, found = levels.low[begin : begin + row], levels.high[begin : begin + row], predicted[4 * column :]
    bin_masses(low, high, slope, 1.0 / state.reliability[grader], predicted[INPUTS:], found)
    if levels.coarse.on:
        round_masses(begin, levels, rounding, found[0], found[1], found[3, :row])
    row = 0
    for review in range(first, last):
        total, product = 0.0, 1.0
        for _ in range(places.review_reports[review + 1] - places.review_reports[review]):
            if found[3, row] < OUT_OF_REACH:
                mean, root = found[0, row], found[1, row]
                found[2, row], found[3, row] = bin_mass((low[row] - mean) * root, (high[row] - mean) * root)
                if levels.coarse.on:
                    code = levels.code[begin + row]
                    found[3, row] = rounded_mass(code, found[3, row], mean, root, levels.coarse, rounding)
            mass = found[3, row]
            row += 1
            if mass < _SMALL:
                total += math.log(max(mass, _TINY))
            else:
                product *= mass
                if product < _SMALL:
                    total += math.log(product)
                    product = 1.0
        logs[review - first, column] = total + math.log(product)


@jit
def take_over(grader: int, places: Places, logs: F64, predicted: F64) -> None:
    """Put what was predicted after a jump in the place of what was before."""
    for place in range(places.grader_reviews[grader + 1] - places.grader_reviews[grader]):
        logs[place, CAREFUL] = logs[place, AFTER_JUMP]
    begin = places.review_reports[places.grader_reviews[grader]]
    for row in range(4):
        for report in range(places.review_reports[places.grader_reviews[grader + 1]] - begin):
            predicted[row, report] = predicted[4 + row, report]


@jit
def draw_reports(
    grader: int,
    rng: np.random.Generator,
    places: Places,
    levels: Levels,
    rounding: F64,
    state: State,
    predicted: F64,
) -> None:
    """Draw the reports of effortful reviews before rounding, each within its bin, or one of its bins.

    These are equations (D3) and (G3), with the means, roots and tails that :func:`predict` has left.
    """
    begun, coarse, weights = places.review_reports[places.grader_reviews[grader]], levels.coarse, rounding
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        if state.effortful[review]:
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                place, low, high = report - begun, levels.low[report], levels.high[report]
                mean, root = predicted[0, place], predicted[1, place]
                if coarse.on:
                    state.latent[report] = draw_rounded(
                        rng, levels.code[report], low, high, mean, root, coarse, weights
                    )
                else:
                    low, high = (low - mean) * root, (high - mean) * root
                    value = draw_in_bin(rng, low, high, predicted[2, place], predicted[3, place])
                    state.latent[report] = mean + value / root


@jit
def put_back(grader: int, places: Places, errors: Errors, state: State, cells: Cells) -> None:
    """Put what a grader's effortful reviews say into the cells, equation (D1)."""
    _add(grader, 1.0, places, errors, state, cells)
