"""Updates given the true grades of what belongs to graders and reviews (docs/model.md, equations S10 to S12).

A halo is a bias for one review. The odds of their share are drawn with all halos summed out, then these over the whole
of their grid; then the odds once more, given the halos and reliabilities; then reliabilities and biases; and at last
each bias once more with its sum with each halo held in place, lest many halos hold a bias in place.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.learning_graders import learn_bias, learn_reliability
from peerage.inference.numerics.arrays import F32, F64
from peerage.inference.numerics.hyperparameters import HALO, RELIABILITY, RELIABILITY_TA, log_hyperprior
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import (
    TINY,
    add,
    draw_from_logs,
    draw_from_product,
    exponentiate,
    flush,
    multiply,
    total_of,
)
from peerage.inference.shared.shared_arrays import Given, Sharing, State, Work
from peerage.inference.shared.shared_priors import halo_row, odds_index
from peerage.inference.shared.shared_products import dot

_PENDING = 16
"""Sums of logarithms are taken in 32 bits for this many reports, and then added up in 64."""

_CANDIDATES = 4
"""Among how many odds one is chosen with the halos summed out."""

_ENOUGH = np.float32(1e-15)
"""Likelihoods whose largest value is smaller are computed from logarithms."""

_WINDOW = 32
"""Among how many neighbouring biases one is chosen that moves against the halos."""


@jit
def draw_halos(rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw the halo of each effortful review given the true grades (equation S10)."""
    reports, tables, sharing = given.reports, given.tables, given.sharing
    weights, size, odds = work.part, sharing.halo.shape[1], odds_index(state.hyper, sharing)
    for grader in range(len(state.bias)):
        if not sharing.has_halo[grader]:
            continue
        prior = sharing.halo[halo_row(state.reliability[grader], odds, sharing)]
        base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            if not state.effortful[review]:
                continue
            total = weigh_halo(review, prior, base, given, state, work)
            if total < TINY:
                row = halo_row(state.reliability[grader], odds, sharing)
                load_halo_logs(review, sharing.log_halo[row], base, given, state, work.logs)
                state.halo[review] = draw_from_logs(rng, work.logs, size)
                continue
            target, chosen = rng.random() * total, 0
            while chosen < size - 1 and target >= weights[chosen]:
                target -= weights[chosen]
                chosen += 1
            state.halo[review] = chosen


@jit
def weigh_halo(review: int, prior: F32, base: int, given: Given, state: State, work: Work) -> float:
    """Weights of each halo of a review, in ``work.part``: prior times likelihood given the true grades; their sum."""
    reports, tables, weights, size = given.reports, given.tables, work.part, len(prior)
    for i in range(size):
        weights[i] = prior[i]
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        start = tables.report_row[report] + base + state.true_grade[reports.report_cell[report]]
        multiply(weights, tables.mass, start, 0, size)
    return total_of(weights, 0, size)


@jit
def load_halo_logs(review: int, log_prior: F32, base: int, given: Given, state: State, logs: F64) -> None:
    """The logarithms of the same weights, where 32 bits do not hold the products."""
    reports, tables, size = given.reports, given.tables, len(log_prior)
    for i in range(size):
        logs[i] = log_prior[i]
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        start = tables.report_row[report] + base + state.true_grade[reports.report_cell[report]]
        for i in range(size):
            logs[i] += tables.log_mass[start + i]


@jit
def draw_odds_without_halos(rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw the odds of halo's share among a few, with the halos summed out given the true grades (equation S11).

    Where little is shared, halos that were drawn to suit the old odds hold these in place. How far apart the candidates
    are, and the place of the present one among them, are drawn first, so that the way back is as probable. The halos
    have to be drawn before anything conditions on them.
    """
    reports, tables, sharing, theta = given.reports, given.tables, given.sharing, state.hyper
    logs, odds, size = work.logs, odds_index(state.hyper, sharing), sharing.halo.shape[1]
    spacing = 2 ** int(5.0 * rng.random())
    first = odds - spacing * int(_CANDIDATES * rng.random())
    totals = np.zeros(_CANDIDATES)
    for grader in range(len(state.bias)):
        if not sharing.has_halo[grader]:
            continue
        row = halo_row(state.reliability[grader], first, sharing)
        base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            if state.effortful[review]:
                _load_halo_likelihood(review, size, base, given, state, work)
                for place in range(_CANDIDATES):
                    if 0 <= first + place * spacing < len(sharing.log_odds):
                        masses = sharing.halo[row - place * spacing]
                        totals[place] += math.log(max(dot(masses, work.part, 0, size), 1e-37))
    students, tas, shift = theta[RELIABILITY], theta[RELIABILITY_TA], math.log1p(math.exp(theta[HALO]))
    for place in range(_CANDIDATES):
        logs[place] = -np.inf
        m = first + place * spacing
        if 0 <= m < len(sharing.log_odds):
            _set_odds(m, students + shift, tas + shift, sharing, theta)
            logs[place] = totals[place] + sharing.log_share[m] + log_hyperprior(theta)
    chosen = first + spacing * draw_from_logs(rng, logs, _CANDIDATES)
    _set_odds(chosen, students + shift, tas + shift, sharing, theta)


@jit
def _set_odds(odds: int, students: float, tas: float, sharing: Sharing, theta: F64) -> None:
    """Set the odds of halo's share, and the mean reliabilities for the logs of the means of residual ones."""
    theta[HALO] = sharing.log_odds[odds]
    shift = math.log1p(math.exp(theta[HALO]))
    theta[RELIABILITY], theta[RELIABILITY_TA] = students - shift, tas - shift


@jit
def _load_halo_likelihood(review: int, size: int, base: int, given: Given, state: State, work: Work) -> None:
    """The likelihood of each halo of a review given the true grades, up to a factor, in ``work.part``."""
    reports, tables = given.reports, given.tables
    for i in range(size):
        work.part[i] = 1.0
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        start = tables.report_row[report] + base + state.true_grade[reports.report_cell[report]]
        multiply(work.part, tables.mass, start, 0, size)
    if work.part[:size].max() < _ENOUGH:
        flat = np.zeros(size, np.float32)
        load_halo_logs(review, flat, base, given, state, work.logs)
        exponentiate(work.logs, work.part, size)


@jit
def draw_odds(rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw the odds of halo's share given halos and residual reliabilities (equation S11).

    The mean of the latter is held in place, so that the mean reliability moves with the share.
    """
    reports, sharing, theta, logs = given.reports, given.sharing, state.hyper, work.logs
    n_odds, shift = len(sharing.log_odds), math.log1p(math.exp(theta[HALO]))
    students, tas = theta[RELIABILITY] + shift, theta[RELIABILITY_TA] + shift
    for m in range(n_odds):
        _set_odds(m, students, tas, sharing, theta)
        logs[m] = sharing.log_share[m] + log_hyperprior(theta)
    for grader in range(len(state.bias)):
        if sharing.has_halo[grader]:
            last = halo_row(state.reliability[grader], 0, sharing)
            for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
                if state.effortful[review]:
                    row = sharing.log_halo_by_row[state.halo[review]]
                    for m in range(n_odds):
                        logs[m] += row[last - m]
    _set_odds(draw_from_logs(rng, logs, n_odds), students, tas, sharing, theta)


@jit
def draw_reliabilities(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all residual reliabilities, after the hyperparameters of their prior."""
    clamped, size = given.clamps.reliability, len(given.tables.reliability_points)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _load_reliability_logs(grader, given, state, work)
            exponentiate(work.logs, work.scratch.likelihood[grader], size)
    learn_reliability(rng, adapt, given, state, work.scratch)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            group = given.beliefs.group[grader]
            prior = given.beliefs.reliability[group]
            chosen = draw_from_product(rng, prior, work.scratch.likelihood[grader], work.part)
            if chosen < 0:
                _load_reliability_logs(grader, given, state, work)
                for i in range(size):
                    work.logs[i] += given.beliefs.log_reliability[group, i]
                chosen = draw_from_logs(rng, work.logs, size)
            state.reliability[grader] = chosen


@jit
def _load_reliability_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports, and log prior of their halos, for each reliability."""
    reports, tables, sharing = given.reports, given.tables, given.sharing
    size, first = len(tables.reliability_points), halo_row(0, odds_index(state.hyper, sharing), sharing)
    logs, part, by_reliability = work.logs, work.part, tables.log_mass_by_reliability
    for i in range(size):
        logs[i] = 0.0
        part[i] = 0.0
    pending = 0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            continue
        offset = tables.from_bias[state.bias[grader]] + state.halo[review]
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            start = tables.report_column[report] + (offset + state.true_grade[reports.report_cell[report]]) * size
            add(part, by_reliability, start, size)
            pending += 1
        if sharing.has_halo[grader]:
            add(part, sharing.log_halo_by_row[state.halo[review]], first, size)
            pending += 1
        if pending >= _PENDING:
            flush(part, logs, size)
            pending = 0
    flush(part, logs, size)


@jit
def draw_biases(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all biases given the halos, after the hyperparameters of their prior; then move them against the halos."""
    clamped, size = given.clamps.bias, given.beliefs.bias.shape[1]
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _load_bias_logs(grader, given, state, work)
            exponentiate(work.logs, work.scratch.likelihood[grader], size)
    learn_bias(rng, adapt, given, state, work.scratch)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            group = given.beliefs.group[grader]
            chosen = draw_from_product(rng, given.beliefs.bias[group], work.scratch.likelihood[grader], work.part)
            if chosen < 0:
                _load_bias_logs(grader, given, state, work)
                for i in range(size):
                    work.logs[i] += given.beliefs.log_bias[group, i]
                chosen = draw_from_logs(rng, work.logs, size)
            state.bias[grader] = chosen
            if given.sharing.has_halo[grader]:
                _move_against_halos(grader, rng, given, state, work.logs)


@jit
def _load_bias_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports for each bias."""
    reports, tables = given.reports, given.tables
    size = given.beliefs.bias.shape[1]
    logs, part, by_bias = work.logs, work.part, tables.log_mass_by_bias
    for i in range(size):
        logs[i] = 0.0
        part[i] = 0.0
    offset = state.reliability[grader] * tables.row_length[grader]
    pending = 0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            continue
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            start = tables.report_row[report] + offset + state.halo[review]
            start += tables.from_true_grade[state.true_grade[reports.report_cell[report]]]
            add(part, by_bias, start, size)
            pending += 1
            if pending == _PENDING:
                flush(part, logs, size)
                pending = 0
    flush(part, logs, size)


@jit
def _move_against_halos(grader: int, rng: np.random.Generator, given: Given, state: State, logs: F64) -> None:
    """Move a bias one way and the grader's halos the other, so that no report changes (equation S12).

    The new bias is drawn among neighbours; how many of these lie below is drawn first, so that the way back is as
    probable.
    """
    reports, sharing, group = given.reports, given.sharing, given.beliefs.group[grader]
    begin, end = reports.grader_reviews[grader], reports.grader_reviews[grader + 1]
    prior = sharing.log_halo[halo_row(state.reliability[grader], odds_index(state.hyper, sharing), sharing)]
    lowest = int((_WINDOW + 1) * rng.random()) - _WINDOW
    for place in range(_WINDOW + 1):
        steps = lowest + place
        bias = state.bias[grader] + steps
        logs[place] = -np.inf
        if not 0 <= bias < given.beliefs.bias.shape[1]:
            continue
        total = given.beliefs.log_bias[group, bias]
        for review in range(begin, end):
            if state.effortful[review]:
                moved = state.halo[review] - steps
                total += prior[moved] if 0 <= moved < len(prior) else -np.inf
        logs[place] = total
    steps = lowest + draw_from_logs(rng, logs, _WINDOW + 1)
    state.bias[grader] += steps
    for review in range(begin, end):
        if state.effortful[review]:
            state.halo[review] -= steps
