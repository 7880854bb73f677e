"""Predicting reviews in one draw of the sampler that draws reports before rounding: kernels.

Merits, efforts, halos and reports before rounding are drawn anew given everything else. A review is predicted from the
others' reports before rounding, given which true grades are normal: these and its own halo are summed out in equation
(18) of docs/model.md. All of a grader's reviews are predicted at once, by what the sampler does it with.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.given_reports.grade_updates import draw_merits
from peerage.inference.latent.grader_by_grader.latent_habits import (
    AFTER_JUMP,
    CAREFUL,
    CARELESS,
    MISSED,
    fill_careless,
    prior_of_effort,
)
from peerage.inference.latent.grader_by_grader.latent_heaping import round_masses, rounded_mass
from peerage.inference.latent.grader_by_grader.review_predictions import (
    draw_reports,
    hold_fixed,
    load_cells,
    predict,
    put_back,
    take_out,
)
from peerage.inference.latent.latent_arrays import Cells, Errors, Given, Levels, Places, State, Work
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.effort_density import chance_of_effort, log_mixed
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.leave_one_out_kernels import Bools, Parts, Prediction, Scale
from peerage.inference.numerics.normal_tails import OUT_OF_REACH, bin_mass, known_masses, sums_below
from peerage.inference.numerics.vectors import copy_into, sum_of
from peerage.rubric import MODEL_MAXIMUM

_SPACING, _REACH = 2.0, 3.3
"""How far apart nodes of a halo are, in standard deviations that a review leaves to it, and how far they reach.

A sum at evenly spaced nodes in place of a normal integral is then off by some 1 %, but not in the mean over where the
first node lies, which is drawn: the mean of its logarithm is off by less than 1e-4.
"""

_LEAST = 1e-290
_KNOWN = 1e12
"""The precision of true grades that are given: beyond all others."""

_SUM = AFTER_JUMP
_FIRST, _STEP = CARELESS, CARELESS + 1
"""Columns of ``Work.logs`` when halos are summed out: a review's sum, at first that of its nodes' weights; where its
first node lies; and the spacing of its nodes."""

_WITH_HALO, _MASSES = 4, 5
_SUMS, _ROOTS = 4, 5
"""Rows of ``Work.predicted``: means with halos and the masses that they make; expected grades, and the roots that make
these."""


@jit(makes_arrays=True)
def leave_out(
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
    """Predict reviews in one draw, whose slopes stand in the state: equation (18).

    All reviews are drawn anew before any is predicted, for each is predicted from those of the other graders.
    """
    places, beliefs, cells = given.places, given.beliefs, work.cells
    copy_into(state.reliability, reliability)
    copy_into(state.bias, bias)
    if given.learning.on:
        refresh(given, state.hyper)
    if given.learning.has_merit:
        draw_merits(rng, places, beliefs, state)
    _take_as_known(state.true_grade, cells)
    for grader in range(len(state.bias)):
        _draw_reviews(grader, rng, given, parts.seen, state, work)
    load_cells(places, beliefs, state, cells)
    if given.clamps.any_grade:
        hold_fixed(given.clamps.grade, state.true_grade, cells)
    for grader in range(len(state.bias)):
        if sum_of(parts.wanted[places.grader_reviews[grader] : places.grader_reviews[grader + 1]]) > 0:
            _predict_reviews(grader, rng, given, state, work, scale, parts, out)


@jit
def _take_as_known(true_grade: F64, cells: Cells) -> None:
    """In place of equation (D1), take the true grades as given: by a precision beyond all others."""
    for cell in range(len(true_grade)):
        cells.precision[cell] = _KNOWN
        cells.weighted[cell] = _KNOWN * true_grade[cell]


@jit
def _draw_reviews(grader: int, rng: np.random.Generator, given: Given, seen: Bools, state: State, work: Work) -> None:
    """Draw a grader's efforts given the true grades, halos being summed out, then reports before rounding and halos.

    These are equations (6), (D3) and (D12). Reports are drawn given halos at nodes, which makes them what they are up
    to the error of the sum; halos follow.
    """
    places, levels, logs, predicted = given.places, given.levels, work.logs, work.predicted
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    has_halo, errors = given.graders.has_halo[grader], given.beliefs.errors
    _sum_out_halos(grader, rng, given, state, work)
    code, favourite = state.habit[grader], given.habits.favourite
    fill_careless(grader, code, CARELESS, places, levels, favourite, given.beliefs.low_effort, logs)
    for review in range(first, last):
        careful, careless = logs[review - first, _SUM], logs[review - first, CARELESS]
        chance = chance_of_effort(state.effort[grader], careful, careless)
        state.effortful[review] = seen[review] and rng.random() < chance
        state.halo[review] = work.halo[review - first]
    if has_halo:
        predict(grader, CAREFUL, places, levels, given.beliefs.rounding, errors, state, work.cells, predicted, logs)
    draw_reports(grader, rng, places, levels, given.beliefs.rounding, state, predicted)
    if has_halo:
        _draw_halos(grader, rng, places, errors, state, predicted)


@jit
def _draw_halos(
    grader: int, rng: np.random.Generator, places: Places, errors: Errors, state: State, predicted: F64
) -> None:
    """Draw the halos of effortful reviews given the reports before rounding, which were drawn as ``predicted``.

    This is equation (D12); true grades are given, so that the distances are at hand in what was predicted.
    """
    row = 0
    for review in range(places.grader_reviews[grader], places.grader_reviews[grader + 1]):
        count = places.review_reports[review + 1] - places.review_reports[review]
        if state.effortful[review]:
            rest, whole = 0.0, 1.0
            for place in range(count):
                report = places.review_reports[review] + place
                loading = errors.loading[report]
                distance = state.latent[report] - predicted[0, row + place] + loading * state.halo[review]
                rest += errors.shared[report] * distance
                whole += errors.shared[report] * loading
            noise = rng.standard_normal() / math.sqrt(state.reliability[grader] * whole)
            state.halo[review] = rest / whole + noise
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
    """Predict a grader's reviews from those of all others: equation (18), and the expected grades.

    While the grader is visited, equation (D1) is without the grader's own reviews.
    """
    places, levels, logs, cells = given.places, given.levels, work.logs, work.cells
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    errors, halos = given.beliefs.errors, work.kept_halo[: last - first]
    copy_into(halos, state.halo[first:last])
    take_out(grader, rng, False, places, errors, state, cells)
    _sum_out_halos(grader, rng, given, state, work)
    code, favourite = state.habit[grader], given.habits.favourite
    fill_careless(grader, code, CARELESS, places, levels, favourite, given.beliefs.low_effort, logs)
    alpha, beta = prior_of_effort(code, given.beliefs.effort)
    usual = MISSED if code > 0 else 1.0
    _expect(grader, places, errors.loading, state.reliability[grader], scale, work.predicted)
    effortful, begin = sum_of(state.effortful[first:last]), places.review_reports[first]
    for review in range(first, last):
        if parts.wanted[review]:
            effort = state.effort[grader]
            if not given.clamps.effort[grader]:
                seen = parts.n_seen[grader] - parts.seen[review]
                effort = (alpha + effortful - state.effortful[review]) / (alpha + beta + seen)
            out.log_mass[review] = log_mixed(effort, logs[review - first, _SUM], logs[review - first, CARELESS])
            out.log_density[review] = out.log_mass[review]
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                component, careful = scale.report_component[report], work.predicted[_SUMS, report - begin]
                careless = usual * scale.careless[component] + (1.0 - usual) * scale.favourite[code, component]
                out.mean[report] = effort * careful + (1.0 - effort) * careless
    copy_into(state.halo[first:last], halos)
    put_back(grader, places, errors, state, cells)


@jit
def _expect(grader: int, places: Places, loading: F64, reliability: float, scale: Scale, predicted: F64) -> None:
    """The expected grades of a grader's reports if made with effort, halos adding to the variance of each report.

    Mean and variance are those of equation (D2), the latter plus that of the halo, equation (S6). Sums over cuts are
    taken of all reports at once, in vectors.
    """
    begin = places.review_reports[places.grader_reviews[grader]]
    end = places.review_reports[places.grader_reviews[grader + 1]]
    for row in range(end - begin):
        root = predicted[1, row]
        shared = root * loading[begin + row]
        predicted[_ROOTS, row] = root / math.sqrt(1.0 + shared * shared / reliability)
    kinds, sums = scale.report_component[begin:end], predicted[_SUMS]
    sums_below(kinds, scale.cuts, scale.rises, predicted[0], predicted[_ROOTS], sums)
    for row in range(end - begin):
        sums[row] = MODEL_MAXIMUM - sums[row]


@jit
def _sum_out_halos(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """The log probability of each of a grader's reviews if made with effort, halos summed out.

    This is equation (D2) at nodes that are weighed by equation (S6). It goes to a column of ``Work.logs``;
    ``Work.halo`` takes a node for each review, drawn by its part in the sum. The first rows of ``Work.predicted`` are
    without a halo afterwards. Nodes are the outer loop, so that all of a grader's reports are weighed at once, in
    vectors.
    """
    places, logs, reliability = given.places, work.logs, state.reliability[grader]
    first, count = places.grader_reviews[grader], places.grader_reviews[grader + 1] - places.grader_reviews[grader]
    state.halo[first : first + count] = 0.0
    errors, rounding = given.beliefs.errors, given.beliefs.rounding
    predict(grader, CAREFUL, places, given.levels, rounding, errors, state, work.cells, work.predicted, logs)
    if not given.graders.has_halo[grader]:
        for place in range(count):
            logs[place, _SUM], work.halo[place] = logs[place, CAREFUL], 0.0
        return
    furthest, sd, sums = 0, 1.0 / math.sqrt(reliability), work.shares
    for place in range(count):
        whole = 1.0
        for report in range(places.review_reports[first + place], places.review_reports[first + place + 1]):
            whole += errors.shared[report] * errors.loading[report]
        logs[place, _STEP] = _SPACING * sd / math.sqrt(whole)
        furthest = max(furthest, math.ceil(_REACH * sd / logs[place, _STEP]))
        logs[place, _FIRST], logs[place, _SUM], sums[place] = rng.random(), 0.0, 0.0
    for node in range(-furthest, furthest):
        for place in range(count):
            state.halo[first + place] = (node + logs[place, _FIRST]) * logs[place, _STEP]
        levels, found = given.levels, logs[:, CAREFUL]
        _weigh_halos(grader, places, levels, rounding, errors.loading, state.halo, work.predicted, found)
        for place in range(count):
            away = state.halo[first + place] / sd
            weight = math.exp(-0.5 * away * away)
            logs[place, _SUM] += weight
            weight *= logs[place, CAREFUL]
            sums[place] += weight
            if rng.random() * sums[place] < weight or node == -furthest:
                work.halo[place] = state.halo[first + place]
    for place in range(count):
        logs[place, _SUM] = math.log(max(sums[place] / logs[place, _SUM], _LEAST))


@jit
def _weigh_halos(
    grader: int, places: Places, levels: Levels, rounding: F64, loading: F64, halo: F64, predicted: F64, found: F64
) -> None:
    """The probability of each of a grader's reviews with its halo, from what is predicted without one: equation (D2).

    A halo moves the means only, so that roots are found once for all nodes.
    """
    first, last = places.grader_reviews[grader], places.grader_reviews[grader + 1]
    begin, row = places.review_reports[first], 0
    for review in range(first, last):
        for report in range(places.review_reports[review], places.review_reports[review + 1]):
            predicted[_WITH_HALO, row] = predicted[0, row] + loading[report] * halo[review]
            row += 1
    low, high = levels.low[begin : begin + row], levels.high[begin : begin + row]
    means, roots, masses = predicted[_WITH_HALO], predicted[1], predicted[_MASSES, :row]
    known_masses(low, high, means, roots, masses)
    if levels.coarse.on:
        round_masses(begin, levels, rounding, means, roots, masses)
    row = 0
    for review in range(first, last):
        product = 1.0
        for _ in range(places.review_reports[review + 1] - places.review_reports[review]):
            mass, mean, root = masses[row], means[row], roots[row]
            if mass < OUT_OF_REACH:
                mass = bin_mass((low[row] - mean) * root, (high[row] - mean) * root)[1]
                if levels.coarse.on:
                    mass = rounded_mass(levels.code[begin + row], mass, mean, root, levels.coarse, rounding)
            product *= mass
            row += 1
        found[review - first] = product
