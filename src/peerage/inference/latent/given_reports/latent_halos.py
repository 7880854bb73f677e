"""Halos, and what the errors of each component are made of: equations (D12) and (D14) of docs/model.md."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import Errors, Given, Places, State
from peerage.inference.latent.latent_priors import error_parts, refresh_errors, refresh_reliabilities, share_of
from peerage.inference.numerics.arrays import F64, Flags
from peerage.inference.numerics.hyperparameters import (
    ERROR,
    ERROR_SPREAD,
    HALO,
    HALO_HERE,
    HALO_SPREAD,
    MACHINES,
    RELIABILITY,
    RELIABILITY_TA,
    log_hyperprior,
    place_of,
    settle,
)
from peerage.inference.numerics.jit import jit

HALO_PRIOR = (1.2, 2.0)
"""The Beta hyperprior of the usual share of halo."""

_MOVES = 4
"""How often a sweep moves all shares of halo together, which costs next to nothing."""

_SMALLEST_SHARE = 1e-4

_OWN, _SHARED, _ODDS, _LOG_OWN, _DISTANCE = 0, 1, 2, 3, 4
"""Rows of scratch memory, by component: the precision γ of its own errors beside the reliability, γξ, γξ² and log γ for
a loading ξ, and the distances of the review at hand."""


@jit
def learn_errors(rng: np.random.Generator, adapt: bool, given: Given, state: State, products: F64, parts: F64) -> None:
    """Move shares of halo and sizes of errors given true grades, biases and reliabilities: equation (D14).

    Halos are summed out. What suffices is loaded once, so that no move takes a pass over the reviews.
    """
    theta, width, patterns, n_components = state.hyper, state.hyper_width, given.places.patterns, parts.shape[1]
    _load_products(given.places, given.graders.has_halo, state, products, parts)
    current = _log_errors(1.0, theta, patterns, products, parts)
    for component in range(n_components):
        place = place_of(theta, HALO_HERE, component)
        old = theta[place]
        theta[place] += width[place] * rng.standard_normal()
        proposed = _log_errors(1.0, theta, patterns, products, parts)
        if settle(rng, theta, width, place, old, proposed - current, adapt):
            current = proposed
    for component in range(n_components):
        place = place_of(theta, ERROR, component)
        amount = width[place] * rng.standard_normal()
        _raise_error(theta, component, n_components, amount)
        proposed = _log_errors(1.0, theta, patterns, products, parts)
        if settle(rng, theta, width, place, theta[place], proposed - current, adapt):
            current = proposed
        else:
            _raise_error(theta, component, n_components, -amount)
    _move_usual_share(rng, theta, width, n_components)
    for _ in range(_MOVES):
        _move_all_shares(rng, adapt, given, state, products, parts)
    refresh_errors(given.places, given.graders.has_halo, given.beliefs.errors, theta)
    refresh_reliabilities(given.beliefs, theta)


@jit
def _raise_error(theta: F64, component: int, n_components: int, amount: float) -> None:
    """Make a component's errors larger and all others' smaller: their logarithms add up to what they did.

    Equation (S5) holds their sum at 0.
    """
    for other in range(n_components):
        part = 1.0 if other == component else -1.0 / (n_components - 1)
        theta[place_of(theta, ERROR, other)] += part * amount


@jit
def _move_usual_share(rng: np.random.Generator, theta: F64, width: F64, n_components: int) -> None:
    """Move the share around which those of components lie, given these: equation (S5)."""
    for _ in range(_MOVES):
        old, before = theta[HALO], _log_share_prior(theta, n_components)
        theta[HALO] += 2.4 * HALO_SPREAD / math.sqrt(n_components) * rng.standard_normal()
        settle(rng, theta, width, HALO, old, _log_share_prior(theta, n_components) - before, False)


@jit
def _move_all_shares(
    rng: np.random.Generator, adapt: bool, given: Given, state: State, products: F64, parts: F64
) -> None:
    """Move all shares of halo, and reliabilities so that the mean of log precisions of components' own errors stays.

    It is accepted by equation (D14) and the hyperprior. The means of reliabilities move along, so that the prior of
    none changes but for machines', whose mean is known.
    """
    theta, width, patterns, n_components = state.hyper, state.hyper_width, given.places.patterns, parts.shape[1]
    current = _log_errors(1.0, theta, patterns, products, parts) + log_hyperprior(theta)
    amount, log_ratio = width[HALO] * rng.standard_normal(), 0.0
    for component in range(n_components):
        place = place_of(theta, HALO_HERE, component)
        log_ratio += math.log1p(math.exp(theta[place])) / n_components
        theta[place] += amount
        log_ratio -= math.log1p(math.exp(theta[place])) / n_components
    old, mean, mean_ta, ratio = theta[HALO], theta[RELIABILITY], theta[RELIABILITY_TA], math.exp(log_ratio)
    theta[HALO] += amount
    theta[RELIABILITY] += log_ratio
    theta[RELIABILITY_TA] += log_ratio
    gain = _log_errors(ratio, theta, patterns, products, parts) + log_hyperprior(theta) - current
    prior, clamped = given.beliefs.reliability[MACHINES], given.clamps.reliability
    for grader in range(len(clamped)):
        if given.graders.group[grader] == MACHINES and not clamped[grader]:
            gain += prior[0] * log_ratio - prior[1] * (ratio - 1.0) * state.reliability[grader]
    if settle(rng, theta, width, HALO, old, gain, adapt):
        for grader in range(len(clamped)):
            if not clamped[grader]:
                state.reliability[grader] *= ratio
        for place in range(products.shape[0]):
            for row in range(n_components):
                for column in range(n_components):
                    products[place, row, column] *= ratio
    else:
        theta[RELIABILITY], theta[RELIABILITY_TA] = mean, mean_ta
        for component in range(n_components):
            theta[place_of(theta, HALO_HERE, component)] -= amount


@jit
def _load_products(places: Places, has_halo: Flags, state: State, products: F64, parts: F64) -> None:
    """What suffices of all reports before rounding for equation (D14), by which components a review has.

    These are sums of pdd' over reviews for each pair of components, d being a report's distance from what its grader
    would give without an error; and in the row below these, the number of reviews.
    """
    products[:] = 0.0
    distance, n_components = parts[_DISTANCE], parts.shape[1]
    for review in range(len(state.effortful)):
        grader = places.review_grader[review]
        if state.effortful[review] and has_halo[grader]:
            mine, reliability = products[places.review_pattern[review]], state.reliability[grader]
            begin, end = places.review_reports[review], places.review_reports[review + 1]
            _load_distances(review, places, state, distance)
            mine[n_components, 0] += 1.0
            for report in range(begin, end):
                row, told = places.cell_component[places.report_cell[report]], reliability * distance[report - begin]
                for other in range(begin, report + 1):
                    column = places.cell_component[places.report_cell[other]]
                    mine[row, column] += told * distance[other - begin]


@jit
def _load_distances(review: int, places: Places, state: State, distance: F64) -> None:
    """How far a review's reports are from what its grader would give without an error.

    These are d − b of equations (D12) and (D14).
    """
    grader, begin = places.review_grader[review], places.review_reports[review]
    bias, narrowed = state.bias[grader] + state.drift[places.review_drift[review]], 1.0 - state.slope[grader]
    for report in range(begin, places.review_reports[review + 1]):
        cell = places.report_cell[report]
        seen = state.true_grade[cell] - narrowed * (state.true_grade[cell] - places.cell_centre[cell])
        distance[report - begin] = state.latent[report] - seen - bias


@jit
def _log_share_prior(theta: F64, n_components: int) -> float:
    """Log density of the logits of shares of halo, the usual one's and those of components: equation (S5)."""
    share = share_of(theta[HALO])
    total = HALO_PRIOR[0] * math.log(share) + HALO_PRIOR[1] * math.log(1.0 - share)
    for component in range(n_components):
        away = (theta[place_of(theta, HALO_HERE, component)] - theta[HALO]) / HALO_SPREAD
        total -= 0.5 * away * away
    return total if _SMALLEST_SHARE < share < 1.0 - _SMALLEST_SHARE else -np.inf


@jit
def _log_errors(ratio: float, theta: F64, patterns: Flags, products: F64, parts: F64) -> float:
    """Log density of shares of halo and sizes of errors, once all reliabilities are multiplied by a ratio.

    This is equation (D14), as a sum over the sets of components that reviews have, of which there are few.
    """
    n_components = parts.shape[1]
    total = _log_share_prior(theta, n_components)
    for component in range(n_components):
        size = theta[place_of(theta, ERROR, component)] / ERROR_SPREAD
        total -= 0.5 * size * size
        own, loading = error_parts(theta, component)
        parts[_OWN, component], parts[_SHARED, component] = own, own * loading
        parts[_ODDS, component], parts[_LOG_OWN, component] = own * loading * loading, math.log(own)
        if not _SMALLEST_SHARE < own * loading * loading < 1.0 / _SMALLEST_SHARE:
            return -np.inf
    for place in range(len(patterns)):
        mine, squares, shared, whole, logs = products[place], 0.0, 0.0, 1.0, 0.0
        if mine[n_components, 0] == 0.0:
            continue
        for row in range(n_components):
            if patterns[place, row]:
                squares += parts[_OWN, row] * mine[row, row]
                whole += parts[_ODDS, row]
                logs += parts[_LOG_OWN, row] + math.log(ratio)
                shared += parts[_SHARED, row] * parts[_SHARED, row] * mine[row, row]
                for column in range(row):
                    if patterns[place, column]:
                        product = mine[row, column] + mine[column, row]
                        shared += 2.0 * parts[_SHARED, row] * parts[_SHARED, column] * product
        total += 0.5 * mine[n_components, 0] * (logs - math.log(whole)) - 0.5 * ratio * (squares - shared / whole)
    return total


@jit
def draw_halos(
    rng: np.random.Generator, places: Places, has_halo: Flags, errors: Errors, state: State, parts: F64
) -> None:
    """Draw the halos of all effortful reviews given the true grades: equation (D12)."""
    distance = parts[_DISTANCE]
    for review in range(len(state.halo)):
        grader = places.review_grader[review]
        if has_halo[grader] and state.effortful[review]:
            begin, total, whole = places.review_reports[review], 0.0, 1.0
            _load_distances(review, places, state, distance)
            for report in range(begin, places.review_reports[review + 1]):
                total += errors.shared[report] * distance[report - begin]
                whole += errors.shared[report] * errors.loading[report]
            noise = rng.standard_normal() / math.sqrt(state.reliability[grader] * whole)
            state.halo[review] = total / whole + noise
