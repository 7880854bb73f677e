"""Graders' slopes, by which they stretch or narrow the scale around the usual report.

These are equations (L1) to (L4) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Beliefs, Cells, Errors, Places, State
from peerage.inference.numerics.arrays import F64, Flags
from peerage.inference.numerics.hyperparameters import REPEATS, SCALE, log_hyperprior, propose, settle
from peerage.inference.numerics.jit import jit

_SQUARES, _PRODUCTS = 0, 1
"""What suffices of a grader's reports: the sums of equation (L3) over effortful reviews.

x are the true grades less the centre of the scale, y the reports before rounding less that and the bias.
"""

_STEP = 2.4
"""The length of a step, in standard deviations that the reports leave to a slope of about 1."""


@jit
def move_slope(
    grader: int, rng: np.random.Generator, sd: float, places: Places, errors: Errors, state: State, cells: Cells
) -> None:
    """Move a slope by a random step, given the reports before rounding, with the true grades summed out: equation (L2).

    The first pass finds the length of the step, from what does not depend on the slope: so the way back is as probable.
    """
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    variance, precision = 1.0 / state.reliability[grader], sd**-2.0
    for review in range(first, last):
        if state.effortful[review]:
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                cell = places.report_cell[report]
                inverse = 1.0 / cells.precision[cell]
                told = inverse + variance / errors.own[report]
                precision += (cells.weighted[cell] * inverse - places.cell_centre[cell]) ** 2 / told
    now = state.slope[grader]
    proposed = now + _STEP * rng.standard_normal() / math.sqrt(precision)
    gain, ratio = 0.5 * (((now - 1.0) / sd) ** 2 - ((proposed - 1.0) / sd) ** 2), 1.0
    for review in range(first, last):
        if state.effortful[review]:
            bias, halo = state.bias[grader] + state.drift[places.review_drift[review]], state.halo[review]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                cell = places.report_cell[report]
                inverse, centre = 1.0 / cells.precision[cell], places.cell_centre[cell]
                x = cells.weighted[cell] * inverse - centre
                y = state.latent[report] - bias - errors.loading[report] * halo - centre
                left = variance / errors.own[report]
                before, after = now * now * inverse + left, proposed * proposed * inverse + left
                gain += 0.5 * ((y - now * x) ** 2 / before - (y - proposed * x) ** 2 / after)
                ratio *= before / after
                if not 1e-100 < ratio < 1e100:
                    gain += 0.5 * math.log(ratio)
                    ratio = 1.0
    if math.log(rng.random()) < gain + 0.5 * math.log(ratio):
        state.slope[grader] = proposed


@jit
def load_slope_sums(places: Places, has_slope: Flags, errors: Errors, state: State, sums: F64) -> None:
    """What suffices of all graders' reports to tell their slopes, given the true grades, halos summed out.

    These are the sums of equation (L3); one pass over a review gives what its products, equation (D7), are made of.
    """
    sums[:] = 0.0
    for review in range(len(places.review_grader)):
        grader = places.review_grader[review]
        if not (state.effortful[review] and has_slope[grader]):
            continue
        begin, end = places.review_reports[review], places.review_reports[review + 1]
        bias = state.bias[grader] + state.drift[places.review_drift[review]]
        total_x, total_y, squares, products, whole = 0.0, 0.0, 0.0, 0.0, 1.0
        for report in range(begin, end):
            cell, own, loading = places.report_cell[report], errors.own[report], errors.loading[report]
            x = state.true_grade[cell] - places.cell_centre[cell]
            y = state.latent[report] - places.cell_centre[cell] - bias
            both = own * loading
            total_x += both * x
            total_y += both * y
            squares += own * x * x
            products += own * x * y
            whole += both * loading
        sums[grader, _SQUARES] += squares - total_x * total_x / whole
        sums[grader, _PRODUCTS] += products - total_x * total_y / whole


@jit
def learn_slopes(
    rng: np.random.Generator, adapt: bool, has_slope: Flags, beliefs: Beliefs, state: State, sums: F64
) -> None:
    """Move the spread of slopes, which are summed out: equation (L4)."""
    theta, width = state.hyper, state.hyper_width
    current = _log_slopes(math.exp(theta[SCALE]), has_slope, state.reliability, sums)
    for _ in range(REPEATS):
        old, before = propose(rng, theta, width, SCALE)
        proposed = _log_slopes(math.exp(theta[SCALE]), has_slope, state.reliability, sums)
        if settle(rng, theta, width, SCALE, old, proposed - current + log_hyperprior(theta) - before, adapt):
            current = proposed
    beliefs.slope_sd[0] = math.exp(theta[SCALE])


@jit
def _log_slopes(sd: float, has_slope: Flags, reliability: F64, sums: F64) -> float:
    """Log probability of graders' reports, slopes summed out: equation (L4)."""
    total = 0.0
    for grader in range(len(has_slope)):
        weight = reliability[grader] * sums[grader, _SQUARES]
        if has_slope[grader] and weight > 0.0:
            variance = sd * sd + 1.0 / weight
            gap = sums[grader, _PRODUCTS] / sums[grader, _SQUARES] - 1.0
            total -= 0.5 * (math.log(variance) + gap * gap / variance)
    return total


@jit
def draw_slopes(rng: np.random.Generator, has_slope: Flags, sd: float, reliability: F64, sums: F64, slope: F64) -> None:
    """Draw all slopes from their normal conditional distributions: equation (L3)."""
    for grader in range(len(slope)):
        if has_slope[grader]:
            precision = sd**-2.0 + reliability[grader] * sums[grader, _SQUARES]
            centre = (sd**-2.0 + reliability[grader] * sums[grader, _PRODUCTS]) / precision
            slope[grader] = centre + rng.standard_normal() / math.sqrt(precision)
