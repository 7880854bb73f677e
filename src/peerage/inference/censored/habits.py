"""Graders with a habit: what they report without effort is one grade of their own (docs/model.md, equations H1 to H5).

A grader's habit and effort probability are drawn together, with the efforts summed out: given the one, the other can
hardly move. Grades that a grader never gave explain the reports equally badly, so all of them but the top grade are
weighed at once.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.cell_products import Int
from peerage.inference.censored.effort_density import log_effort_density
from peerage.inference.numerics.arrays import F32, F64, I32, AnyGiven, AnyState, AnyWork
from peerage.inference.numerics.hyperparameters import HABIT
from peerage.inference.numerics.jit import jit

MISSED = 0.01
"""The share of reports without effort that do not keep to the habit, but are as anybody's."""

HABIT_EFFORT = (0.2, 9.8)
"""The Beta prior of the effort of somebody who has a habit."""

HABIT_PRIOR = (1.0, 9.0)
"""The Beta hyperprior of the share of students who have one."""

HOW_OFTEN = 0.25
"""In which part of all sweeps a grader's habit is drawn: it rarely changes, and weighing all of them takes time."""

TOP = 0.5
"""The part of all habits that are the top grade; the rest is spread evenly over all grades."""

SHARE = 4
"""The last column of ``work.review_logs``: the probability of effort if both are equally probable beforehand."""


@jit
def with_habit(log_mass: float, level: int, favourite: int) -> float:
    """Log probability of a report without effort by somebody whose habit is a grade, equation (H1)."""
    kept = 1.0 - MISSED if level == favourite else 0.0
    return math.log(MISSED * math.exp(log_mass) + kept)


@jit
def effort_prior_of(grader: int | np.int64, habit: I32, prior: F64) -> tuple[float, float]:
    """The two parameters of the Beta prior of a grader's effort, equation (H2)."""
    return _effort_prior(np.int64(habit[grader]), prior)


@jit
def _effort_prior(code: int | np.int64, prior: F64) -> tuple[float, float]:
    if code > 0:
        return HABIT_EFFORT
    return float(prior[0]), float(prior[1])


@jit
def fill_low_effort(grader: int, given: AnyGiven, habit: I32, by_level: F64, out: F64) -> None:
    """The log probability of each of a grader's reports if no effort was made."""
    reports, learning = given.reports, given.learning
    code = habit[grader]
    begin = reports.review_reports[reports.grader_reviews[grader]]
    end = reports.review_reports[reports.grader_reviews[grader + 1]]
    for report in range(begin, end):
        component, level = learning.report_component[report], learning.report_level[report]
        out[report] = by_level[component, level]
        if code > 0:
            out[report] = with_habit(out[report], level, learning.favourite[code, component])


@jit
def draw_habit(
    grader: int, careful: int, careless: int, rng: np.random.Generator, given: AnyGiven, state: AnyState, work: AnyWork
) -> None:
    """Draw a grader's habit and effort probability, efforts summed out: (H3), which is (7) with habits.

    ``careful`` and ``careless`` are the columns of ``work.review_logs`` with the log probabilities of the grader's
    reviews. A habit is proposed by a histogram of the effort's density under each, then a cell of the chosen one, then
    a place in it; whether they are accepted is decided by the density itself.
    """
    _set_aside(grader, careless, -1.0, given, state, work)
    gain = -_excess(grader, careful, careless, given, state, work)
    _weigh_habits(grader, careful, careless, given, state, work)
    code, effort, excess = _proposed(grader, careful, careless, rng, given, work)
    if math.log(rng.random()) < gain + excess:
        state.habit[grader], state.effort[grader] = code, effort
    _set_aside(grader, careless, 1.0, given, state, work)
    fill_low_effort(grader, given, state.habit, work.scratch.low_effort, given.beliefs.log_low_effort)


@jit
def jump(
    grader: int,
    after: int,
    log_ratio: float,
    rng: np.random.Generator,
    given: AnyGiven,
    state: AnyState,
    work: AnyWork,
) -> bool:
    """Move a grader's reliability and bias, which have been weighed, together with habit and effort, equation (H5).

    Who gives one grade nearly always has a habit, or a large bias: neither can be reached from the other in small
    steps. ``after`` is the column with the log probabilities without effort after the move, ``log_ratio`` that of
    the priors and the proposal.
    """
    _set_aside(grader, 2, -1.0, given, state, work)
    gain = log_ratio - _weigh_habits(grader, 0, 2, given, state, work)
    gain -= _excess(grader, 0, 2, given, state, work)
    if after != 2:
        _set_aside(grader, after, -1.0, given, state, work)
    gain += _weigh_habits(grader, 1, after, given, state, work)
    code, effort, excess = _proposed(grader, 1, after, rng, given, work)
    moved = math.log(rng.random()) < gain + excess
    if moved:
        state.habit[grader], state.effort[grader] = code, effort
    _set_aside(grader, after if moved else 2, 1.0, given, state, work)
    fill_low_effort(grader, given, state.habit, work.scratch.low_effort, given.beliefs.log_low_effort)
    return moved


@jit
def propose_jump(grader: int, rng: np.random.Generator, given: AnyGiven, state: AnyState) -> tuple[Int, Int, float]:
    """A reliability drawn from its prior, and a bias from its prior or from anywhere; the log ratio for ``jump``."""
    beliefs, group, clamps = given.beliefs, given.beliefs.group[grader], given.clamps
    reliability, bias, ratio = int(state.reliability[grader]), int(state.bias[grader]), 0.0
    if not clamps.reliability[grader]:
        reliability = _drawn_from(rng, beliefs.reliability[group])
    if not clamps.bias[grader]:
        masses, size = beliefs.bias[group], beliefs.bias.shape[1]
        bias = _drawn_from(rng, masses) if rng.random() < 0.5 else int(rng.random() * size)
        ratio += _log_over_proposal(masses, bias) - _log_over_proposal(masses, int(state.bias[grader]))
    return reliability, bias, ratio


@jit
def _log_over_proposal(masses: F32, place: int) -> float:
    """Log of a prior mass divided by how probable a jump to there is."""
    mass = max(float(masses[place]), 1e-37)
    return math.log(mass) - math.log(0.5 * mass + 0.5 / len(masses))


@jit
def _drawn_from(rng: np.random.Generator, masses: F32) -> int:
    target, chosen = rng.random() * masses.sum(), 0
    while chosen < len(masses) - 1 and target >= masses[chosen]:
        target -= masses[chosen]
        chosen += 1
    return chosen


@jit
def _set_aside(grader: int, careless: int, sign: float, given: AnyGiven, state: AnyState, work: AnyWork) -> None:
    """Take the reports' own factors under the present habit out of a column of ``work.review_logs``, or put them in."""
    begun, code = given.reports.grader_reviews[grader], np.int64(state.habit[grader])
    for place in range(given.reports.grader_reviews[grader + 1] - begun):
        own = _review_log(begun + place, code, given, work.scratch.low_effort)
        work.review_logs[place, careless] += sign * own


@jit
def _weigh_habits(grader: int, careful: int, careless: int, given: AnyGiven, state: AnyState, work: AnyWork) -> float:
    """Weights of the habits that a grader may have, in ``work.habit_masses``; the log of their sum."""
    learning, masses = given.learning, work.habit_masses
    used = learning.habit_codes[learning.habit_start[grader] : learning.habit_start[grader + 1]]
    n_codes, n_unused = len(learning.favourite) - 1, len(learning.favourite) - 1 - len(used)
    log_share, top, total = -math.log1p(math.exp(-state.hyper[HABIT])), -np.inf, 0.0
    for candidate in range(len(used) + 2):
        masses[candidate] = -np.inf
        if candidate == len(used) + 1 and n_unused == 0:
            continue
        code = _code_of(candidate, used, n_codes)
        log_prior = log_share - state.hyper[HABIT]
        if code > 0:
            multiple = n_unused if candidate == len(used) + 1 else 1
            log_prior = log_share + math.log(multiple * (1.0 - TOP) / n_codes + (TOP if code == n_codes else 0.0))
        masses[candidate] = log_prior + _log_evidence(grader, code, careful, careless, given, work)
        top = max(top, masses[candidate])
    for candidate in range(len(used) + 2):
        masses[candidate] = math.exp(masses[candidate] - top)
        total += masses[candidate]
    return top + math.log(total)


@jit
def _proposed(
    grader: int, careful: int, careless: int, rng: np.random.Generator, given: AnyGiven, work: AnyWork
) -> tuple[int, float, float]:
    """A habit drawn by its weight, an effort from its histogram, and how far the density there is above it, in logs."""
    learning, logs, masses = given.learning, work.review_logs, work.effort_masses
    used = learning.habit_codes[learning.habit_start[grader] : learning.habit_start[grader + 1]]
    n_codes, n_cells = len(learning.favourite) - 1, len(masses)
    chosen, target = 0, rng.random() * work.habit_masses[: len(used) + 2].sum()
    while chosen < len(used) + 1 and target >= work.habit_masses[chosen]:
        target -= work.habit_masses[chosen]
        chosen += 1
    code = _any_unused(rng, used, n_codes) if chosen == len(used) + 1 else _code_of(chosen, used, n_codes)
    _load_shares(grader, code, careful, careless, given, work)
    count = given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]
    prior, shares = _effort_prior(code, given.beliefs.effort), logs[:count, SHARE]
    top, total = -np.inf, 0.0
    for cell in range(n_cells):
        masses[cell] = log_effort_density((cell + 0.5) / n_cells, shares, prior)
        top = max(top, masses[cell])
    for cell in range(n_cells):
        masses[cell] = math.exp(masses[cell] - top)
        total += masses[cell]
    cell, target = 0, rng.random() * total
    while cell < n_cells - 1 and target >= masses[cell]:
        target -= masses[cell]
        cell += 1
    effort = (cell + max(rng.random(), 1e-12)) / n_cells
    middle = log_effort_density((cell + 0.5) / n_cells, shares, prior)
    return code, effort, log_effort_density(effort, shares, prior) - middle


@jit
def _excess(grader: int, careful: int, careless: int, given: AnyGiven, state: AnyState, work: AnyWork) -> float:
    """How far the density of the present effort is above the histogram from which it might be drawn, in logs."""
    code, effort, n_cells = np.int64(state.habit[grader]), state.effort[grader], len(work.effort_masses)
    _load_shares(grader, code, careful, careless, given, work)
    count = given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]
    prior, shares = _effort_prior(code, given.beliefs.effort), work.review_logs[:count, SHARE]
    middle = (min(int(effort * n_cells), n_cells - 1) + 0.5) / n_cells
    return log_effort_density(effort, shares, prior) - log_effort_density(middle, shares, prior)


@jit
def _code_of(candidate: int, used: I32, n_codes: int) -> int:
    """The habit that a candidate stands for: none, one of those that are used, or any that is not (the last)."""
    if candidate == 0:
        return 0
    if candidate <= len(used):
        return int(used[candidate - 1])
    return _first_unused(used, n_codes)


@jit
def _is_unused(code: int | np.int32, used: I32) -> bool:
    found = False
    for entry in used:
        found = found or entry == code
    return not found


@jit
def _first_unused(used: I32, n_codes: int) -> int:
    code = 1
    while code < n_codes and not _is_unused(code, used):
        code += 1
    return code


@jit
def _any_unused(rng: np.random.Generator, used: I32, n_codes: int) -> int:
    code = 1 + int(rng.random() * n_codes)
    while not _is_unused(code, used):
        code = 1 + int(rng.random() * n_codes)
    return code


@jit
def _review_log(review: int | np.int64, code: int | np.int64, given: AnyGiven, by_level: F64) -> float:
    """Log probability of a review without effort under a habit, or without one."""
    learning, total = given.learning, 0.0
    for report in range(given.reports.review_reports[review], given.reports.review_reports[review + 1]):
        component, level = learning.report_component[report], learning.report_level[report]
        log_mass = by_level[component, level]
        total += with_habit(log_mass, level, learning.favourite[code, component]) if code > 0 else log_mass
    return total


@jit
def _load_shares(
    grader: int, code: int | np.int64, careful: int, careless: int, given: AnyGiven, work: AnyWork
) -> float:
    """Each review's share of effort under a habit, in a column of ``work.review_logs``; the log of what they leave."""
    logs, begun, left = work.review_logs, given.reports.grader_reviews[grader], 0.0
    for place in range(given.reports.grader_reviews[grader + 1] - begun):
        without = logs[place, careless] + _review_log(begun + place, np.int64(code), given, work.scratch.low_effort)
        gap = without - logs[place, careful]
        logs[place, SHARE] = 1.0 / (1.0 + math.exp(min(gap, 700.0)))
        left += max(without, logs[place, careful]) + math.log1p(math.exp(-abs(gap)))
    return left


@jit
def _log_evidence(grader: int, code: int, careful: int, careless: int, given: AnyGiven, work: AnyWork) -> float:
    """Log probability of a grader's reviews under a habit, efforts and their probability summed out."""
    left = _load_shares(grader, code, careful, careless, given, work)
    count = given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]
    alpha, beta = _effort_prior(code, given.beliefs.effort)
    shares, masses, top, total = work.review_logs[:count, SHARE], work.effort_masses, -np.inf, 0.0
    for cell in range(len(masses)):
        masses[cell] = log_effort_density((cell + 0.5) / len(masses), shares, (alpha, beta))
        top = max(top, masses[cell])
    for cell in range(len(masses)):
        total += math.exp(masses[cell] - top)
    norm = math.lgamma(alpha + beta) - math.lgamma(alpha) - math.lgamma(beta)
    return left + norm + top + math.log(total)


@jit
def learn_habits(rng: np.random.Generator, given: AnyGiven, state: AnyState) -> None:
    """Draw the share of students who have a habit, equation (H4)."""
    may_have, count, with_one = given.learning.may_have_habit, 0, 0
    for grader in range(len(may_have)):
        if may_have[grader]:
            count += 1
            with_one += state.habit[grader] > 0
    if count == 0:
        return
    share = rng.beta(HABIT_PRIOR[0] + with_one, HABIT_PRIOR[1] + count - with_one)
    state.hyper[HABIT] = math.log(max(share, 1e-12) / max(1.0 - share, 1e-12))
