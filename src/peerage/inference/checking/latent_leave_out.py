"""Predicting reviews in one draw of the sampler that draws reports before rounding: kernels.

Merits, efforts, halos and reports before rounding are drawn anew given everything else. A review is predicted from the
others' reports before rounding, given which true grades are normal: these and its own halo are summed out
(docs/model.md, leave-one-out).
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.checking.leave_one_out_kernels import Parts, Prediction, Scale, expected_report, log_mixture
from peerage.inference.latent.grade_updates import draw_merits
from peerage.inference.latent.latent_arrays import Cells, Given, Levels, Places, State, Work
from peerage.inference.latent.latent_habits import MISSED, prior_of_effort
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.latent.normal_tails import bin_mass, draw_in_bin
from peerage.inference.latent.review_predictions import hold_fixed, load_cells
from peerage.inference.numerics.arrays import F64, I64
from peerage.inference.numerics.effort_density import chance_of_effort
from peerage.inference.numerics.jit import jit

_SPACING, _REACH = 1.3, 5.0
"""How far apart nodes of a halo are, in standard deviations that a review leaves to it, and how far they reach.

The error of a sum at evenly spaced nodes in place of a normal integral is then some 1e-5.
"""

_LEAST = 1e-290


@jit
def leave_out_latent(
    rng: np.random.Generator,
    given: Given,
    state: State,
    work: Work,
    reliability: F64,
    bias: F64,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict reviews in one draw, whose slopes stand in the state; ``reliability`` are the residual precisions."""
    places, levels, beliefs, cells = given.places, given.levels, given.beliefs, work.cells
    state.reliability[:] = reliability
    state.bias[:] = bias
    if given.learning.on:
        refresh(given.learning, levels, beliefs, state.hyper)
    if given.learning.has_merit:
        draw_merits(rng, places, beliefs, state)
    for review in range(len(places.review_grader)):
        state.effortful[review] = False
        if parts.seen[review]:
            odds = beliefs.shares[1] if given.graders.has_halo[places.review_grader[review]] else 0.0
            careless = _log_careless(review, places, levels, given.habits.favourite, beliefs.low_effort, state)
            _draw_review(rng, review, odds, careless, places, levels, state)
    load_cells(places, beliefs, state, cells)
    if given.clamps.any_grade:
        hold_fixed(given.clamps.grade, state.true_grade, cells)
    _count_efforts(places, state, work.effortful)
    for review in range(len(places.review_grader)):
        if parts.wanted[review]:
            _predict(review, given, state, work, scale, parts, out)


@jit
def _log_careless(review: int, places: Places, levels: Levels, favourite: I64, table: F64, state: State) -> float:
    """Log probability of a review without effort, equation H1."""
    code, total = state.habit[places.review_grader[review]], 0.0
    for report in range(places.review_reports[review], places.review_reports[review + 1]):
        component, level = divmod(levels.code[report], table.shape[1])
        mass = math.exp(table[component, level])
        if code > 0:
            mass = MISSED * mass + (1.0 - MISSED if favourite[code, component] == level else 0.0)
        total += math.log(mass)
    return total


@jit
def seen(slope: float, centre: float, true_grade: float) -> float:
    """What a grader without bias and error would report before rounding, equation L1."""
    return centre + slope * (true_grade - centre)


@jit
def _nodes(count: int, odds: float, reliability: float) -> tuple[float, int]:
    """How far apart the values are at which a review's halo is summed, and how many lie on either side of 0."""
    if odds == 0.0:
        return 0.0, 0
    spacing = _SPACING / math.sqrt(reliability * (count + 1.0 / odds))
    return spacing, int(_REACH * math.sqrt(odds / reliability) / spacing)


@jit
def _draw_review(
    rng: np.random.Generator, review: int, odds: float, careless: float, places: Places, levels: Levels, state: State
) -> None:
    """Draw a review's effort given the true grades, its halo being summed out, then its halo and its reports.

    The halo starts at a node and is then drawn given the reports before rounding.
    """
    grader, begin, end = places.review_grader[review], places.review_reports[review], places.review_reports[review + 1]
    precision, bias, slope = state.reliability[grader], state.bias[grader], state.slope[grader]
    root = math.sqrt(precision)
    spacing, reach = _nodes(end - begin, odds, precision)
    total, masses, chosen = 0.0, 0.0, 0.0
    for node in range(-reach, reach + 1):
        weight = math.exp(-0.5 * precision / odds * (node * spacing) ** 2) if odds > 0.0 else 1.0
        total += weight
        for report in range(begin, end):
            cell = places.report_cell[report]
            centre = seen(slope, places.cell_centre[cell], state.true_grade[cell]) + bias + node * spacing
            weight *= bin_mass((levels.low[report] - centre) * root, (levels.high[report] - centre) * root)[1]
        masses += weight
        if rng.random() * masses < weight:
            chosen = node * spacing
    careful = math.log(max(masses / total, _LEAST))
    state.halo[review] = chosen
    state.effortful[review] = rng.random() < chance_of_effort(state.effort[grader], careful, careless)
    if state.effortful[review]:
        _draw_reports(rng, review, places, levels, state)
        if odds > 0.0:
            rest = 0.0
            for report in range(begin, end):
                cell = places.report_cell[report]
                rest += state.latent[report] - seen(slope, places.cell_centre[cell], state.true_grade[cell]) - bias
            weight = 1.0 / odds + (end - begin)
            state.halo[review] = rest / weight + rng.standard_normal() / math.sqrt(precision * weight)
            _draw_reports(rng, review, places, levels, state)


@jit
def _draw_reports(rng: np.random.Generator, review: int, places: Places, levels: Levels, state: State) -> None:
    """Draw a review's reports before rounding given true grades and halo."""
    grader = places.review_grader[review]
    root, offset = math.sqrt(state.reliability[grader]), state.bias[grader] + state.halo[review]
    for report in range(places.review_reports[review], places.review_reports[review + 1]):
        cell = places.report_cell[report]
        centre = seen(state.slope[grader], places.cell_centre[cell], state.true_grade[cell]) + offset
        low, high = (levels.low[report] - centre) * root, (levels.high[report] - centre) * root
        beyond, mass = bin_mass(low, high)
        state.latent[report] = centre + draw_in_bin(rng, low, high, beyond, mass) / root


@jit
def _count_efforts(places: Places, state: State, effortful: I64) -> None:
    effortful[:] = 0
    for review in range(len(places.review_grader)):
        effortful[places.review_grader[review]] += state.effortful[review]


@jit
def _predict(review: int, given: Given, state: State, work: Work, scale: Scale, parts: Parts, out: Prediction) -> None:
    """Predict a review from the others."""
    places, levels, cells = given.places, given.levels, work.cells
    grader, begin, end = places.review_grader[review], places.review_reports[review], places.review_reports[review + 1]
    effort = state.effort[grader]
    if not given.clamps.effort[grader]:
        alpha, beta = prior_of_effort(state.habit[grader], given.beliefs.effort)
        others = work.effortful[grader] - state.effortful[review]
        effort = (alpha + others) / (alpha + beta + parts.n_seen[grader] - parts.seen[review])
    odds = given.beliefs.shares[1] if given.graders.has_halo[grader] else 0.0
    careless = _log_careless(review, places, levels, given.habits.favourite, given.beliefs.low_effort, state)
    careful = _log_careful(review, odds, places, levels, state, cells, work.predicted)
    out.log_mass[review] = log_mixture(effort, careful, careless)
    out.log_density[review] = out.log_mass[review]
    for report in range(begin, end):
        cell = places.report_cell[report]
        precision, weighted = _without(review, report, cell, places, state, cells)
        variance = state.slope[grader] ** 2.0 / precision + (1.0 + odds) / state.reliability[grader]
        centre = seen(state.slope[grader], places.cell_centre[cell], weighted / precision) + state.bias[grader]
        component, habit = np.int64(places.cell_component[cell]), np.int64(state.habit[grader])
        out.mean[report] = expected_report(component, effort, centre, variance, habit, scale)


@jit
def _without(review: int, report: int, cell: int, places: Places, state: State, cells: Cells) -> tuple[float, float]:
    """Precision and weighted mean of a true grade from the other reviews."""
    precision, weighted = cells.precision[cell], cells.weighted[cell]
    if state.effortful[review]:
        grader = places.review_grader[review]
        slope = state.slope[grader]
        offset = state.bias[grader] + state.halo[review] + (1.0 - slope) * places.cell_centre[cell]
        precision -= state.reliability[grader] * slope * slope
        weighted -= state.reliability[grader] * slope * (state.latent[report] - offset)
    return precision, weighted


@jit
def _log_careful(
    review: int, odds: float, places: Places, levels: Levels, state: State, cells: Cells, ends: F64
) -> float:
    """Log probability of a review made with effort, true grades and its halo summed out: equation D2 at nodes.

    ``ends`` takes the ends of each report's bin, in standard deviations, without the halo.
    """
    grader, begin, end = places.review_grader[review], places.review_reports[review], places.review_reports[review + 1]
    reliability, slope = state.reliability[grader], state.slope[grader]
    for report in range(begin, end):
        cell = places.report_cell[report]
        precision, weighted = _without(review, report, cell, places, state, cells)
        mean = seen(slope, places.cell_centre[cell], weighted / precision) + state.bias[grader]
        root = 1.0 / math.sqrt(slope * slope / precision + 1.0 / reliability)
        ends[0, report - begin], ends[1, report - begin] = levels.low[report] - mean, levels.high[report] - mean
        ends[2, report - begin] = root
    spacing, reach = _nodes(end - begin, odds, reliability)
    total, masses = 0.0, 0.0
    for node in range(-reach, reach + 1):
        halo = node * spacing
        weight = math.exp(-0.5 * reliability / odds * halo**2) if odds > 0.0 else 1.0
        total += weight
        for place in range(end - begin):
            root = ends[2, place]
            weight *= bin_mass((ends[0, place] - halo) * root, (ends[1, place] - halo) * root)[1]
        masses += weight
    return math.log(max(masses / total, _LEAST))
