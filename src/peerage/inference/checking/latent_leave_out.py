"""Predicting reviews in one draw of the sampler that draws reports before rounding: kernels.

Merits, efforts, halos and reports before rounding are drawn anew given everything else. A review is predicted from the
others' reports before rounding, given which true grades are normal: these and its own halo are summed out
(docs/model.md, leave-one-out). All of a grader's reviews are predicted at once, by what the sampler does it with.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.checking.leave_one_out_kernels import (
    Bools,
    Parts,
    Prediction,
    Scale,
    expected_report,
    log_mixture,
)
from peerage.inference.latent.grade_updates import draw_merits
from peerage.inference.latent.latent_arrays import Cells, Given, Places, State, Work
from peerage.inference.latent.latent_habits import AFTER_JUMP, CAREFUL, CARELESS, fill_careless, prior_of_effort
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.latent.review_predictions import (
    draw_reports,
    hold_fixed,
    load_cells,
    predict,
    put_back,
    take_out,
)
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.effort_density import chance_of_effort
from peerage.inference.numerics.jit import jit

_SPACING, _REACH = 1.4, 3.9
"""How far apart nodes of a halo are, in standard deviations that a review leaves to it, and how far they reach.

The error of a sum at evenly spaced nodes in place of a normal integral is then some 1e-4.
"""

_LEAST = 1e-290
_KNOWN = 1e12
"""The precision of true grades that are given: beyond all others."""

_SUM = AFTER_JUMP
_TOTAL, _STEP = CARELESS, CARELESS + 1
"""Columns of ``Work.logs`` when halos are summed out: a review's sum, that of its nodes' weights, and their spacing."""


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
    places, beliefs, cells = given.places, given.beliefs, work.cells
    state.reliability[:] = reliability
    state.bias[:] = bias
    if given.learning.on:
        refresh(given.learning, given.levels, beliefs, state.hyper)
    if given.learning.has_merit:
        draw_merits(rng, places, beliefs, state)
    _take_as_known(state.true_grade, cells)
    for grader in range(len(state.bias)):
        _draw_reviews(grader, rng, given, parts.seen, state, work)
    load_cells(places, beliefs, state, cells)
    if given.clamps.any_grade:
        hold_fixed(given.clamps.grade, state.true_grade, cells)
    for grader in range(len(state.bias)):
        if parts.wanted[places.grader_reviews[grader] : places.grader_reviews[grader + 1]].any():
            _predict_reviews(grader, rng, given, state, work, scale, parts, out)


@jit
def _take_as_known(true_grade: F64, cells: Cells) -> None:
    for cell in range(len(true_grade)):
        cells.precision[cell] = _KNOWN
        cells.weighted[cell] = _KNOWN * true_grade[cell]


@jit
def _draw_reviews(grader: int, rng: np.random.Generator, given: Given, seen: Bools, state: State, work: Work) -> None:
    """Draw a grader's efforts given the true grades, halos being summed out, then reports before rounding and halos.

    Reports are drawn given halos at nodes, which makes them what they are up to the error of the sum; halos follow.
    """
    places, levels, logs, predicted = given.places, given.levels, work.logs, work.predicted
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    odds = given.beliefs.shares[1] if given.graders.has_halo[grader] else 0.0
    _sum_out_halos(grader, rng, odds, given, state, work)
    code, favourite = state.habit[grader], given.habits.favourite
    fill_careless(grader, code, CARELESS, places, levels, favourite, given.beliefs.low_effort, logs)
    for review in range(first, last):
        careful, careless = logs[review - first, _SUM], logs[review - first, CARELESS]
        chance = chance_of_effort(state.effort[grader], careful, careless)
        state.effortful[review] = seen[review] and rng.random() < chance
        state.halo[review] = work.halo[review - first]
    if odds > 0.0:
        predict(grader, CAREFUL, places, levels, given.beliefs.rounding, state, work.cells, predicted, logs)
    draw_reports(grader, rng, places, levels, given.beliefs.rounding, state, predicted)
    if odds > 0.0:
        _draw_halos(grader, rng, odds, places, state, predicted)


@jit
def _draw_halos(
    grader: int, rng: np.random.Generator, odds: float, places: Places, state: State, predicted: F64
) -> None:
    """Draw the halos of effortful reviews given the reports before rounding, which were drawn as ``predicted``."""
    row = 0
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        count = places.review_reports[review + 1] - places.review_reports[review]
        if state.effortful[review]:
            rest = count * state.halo[review]
            for place in range(count):
                rest += state.latent[places.review_reports[review] + place] - predicted[0, row + place]
            weight = 1.0 / odds + count
            noise = rng.standard_normal() / math.sqrt(state.reliability[grader] * weight)
            state.halo[review] = rest / weight + noise
        row += count


@jit
def _predict_reviews(
    grader: int,
    rng: np.random.Generator,
    given: Given,
    state: State,
    work: Work,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict a grader's reviews from those of all others."""
    places, levels, logs, cells = given.places, given.levels, work.logs, work.cells
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    odds = given.beliefs.shares[1] if given.graders.has_halo[grader] else 0.0
    halos = state.halo[first:last].copy()
    take_out(grader, rng, 0.0, places, state, cells)
    _sum_out_halos(grader, rng, odds, given, state, work)
    code, favourite = state.habit[grader], given.habits.favourite
    fill_careless(grader, code, CARELESS, places, levels, favourite, given.beliefs.low_effort, logs)
    alpha, beta = prior_of_effort(code, given.beliefs.effort)
    effortful, row = state.effortful[first:last].sum(), 0
    for review in range(first, last):
        count = places.review_reports[review + 1] - places.review_reports[review]
        if parts.wanted[review]:
            effort = state.effort[grader]
            if not given.clamps.effort[grader]:
                seen = parts.n_seen[grader] - parts.seen[review]
                effort = (alpha + effortful - state.effortful[review]) / (alpha + beta + seen)
            out.log_mass[review] = log_mixture(effort, logs[review - first, _SUM], logs[review - first, CARELESS])
            out.log_density[review] = out.log_mass[review]
            for place in range(count):
                report = places.review_reports[review] + place
                centre, root = work.predicted[0, row + place], work.predicted[1, row + place]
                variance = 1.0 / (root * root) + odds / state.reliability[grader]
                component = np.int64(places.cell_component[places.report_cell[report]])
                out.mean[report] = expected_report(component, effort, centre, variance, np.int64(code), scale)
        row += count
    state.halo[first:last] = halos
    put_back(grader, places, state, cells)


@jit
def _sum_out_halos(grader: int, rng: np.random.Generator, odds: float, given: Given, state: State, work: Work) -> None:
    """The log probability of each of a grader's reviews if made with effort, halos summed out: equation D2 at nodes.

    It goes to a column of ``Work.logs``; ``Work.halo`` takes a node for each review, drawn by its part in the sum.
    Nodes come from without to within: what is in ``Work.predicted`` afterwards is without a halo.
    """
    places, logs, reliability = given.places, work.logs, state.reliability[grader]
    first, count = places.grader_reviews[grader], places.grader_reviews[grader + 1] - places.grader_reviews[grader]
    furthest, masses, rounding = 0, work.shares, given.beliefs.rounding
    for place in range(count):
        masses[place] = logs[place, _TOTAL] = logs[place, _STEP] = 0.0
        if odds > 0.0:
            n_reports = places.review_reports[first + place + 1] - places.review_reports[first + place]
            logs[place, _STEP] = _SPACING / math.sqrt(reliability * (n_reports + 1.0 / odds))
            furthest = max(furthest, int(_REACH * math.sqrt(odds / reliability) / logs[place, _STEP]))
    for step in range(2 * furthest, -1, -1):
        node = (step + 1) // 2 * (1 if step % 2 else -1)
        for place in range(count):
            state.halo[first + place] = node * logs[place, _STEP]
        predict(grader, CAREFUL, places, given.levels, rounding, state, work.cells, work.predicted, logs)
        for place in range(count):
            halo = state.halo[first + place]
            weight = math.exp(-0.5 * reliability / odds * halo * halo) if node else 1.0
            logs[place, _TOTAL] += weight
            weight *= math.exp(logs[place, CAREFUL])
            masses[place] += weight
            if rng.random() * masses[place] < weight or step == 2 * furthest:
                work.halo[place] = halo
    for place in range(count):
        logs[place, _SUM] = math.log(max(masses[place] / logs[place, _TOTAL], _LEAST))
