"""Graders with a habit: what they report without effort is one grade of their own (docs/model.md, equations H1 to H4).

A grader's habit and effort probability are drawn together, with the efforts summed out: given the one, the other can
hardly move. Grades that a grader never gave explain the reports equally badly, so all of them but the top grade are
weighed at once.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.numerics.arrays import F64, I32, AnyGiven, AnyState, AnyWork
from peerage.inference.numerics.hyperparameters import HABIT
from peerage.inference.numerics.jit import jit

MISSED = 0.01
"""The share of reports without effort that do not keep to the habit, but are as anybody's."""

HABIT_EFFORT = (0.3, 5.7)
"""The Beta prior of the effort of somebody who has a habit."""

HABIT_PRIOR = (1.0, 9.0)
"""The Beta hyperprior of the share of students who have one."""

HOW_OFTEN = 0.25
"""In which part of all sweeps a grader's habit is drawn: it rarely changes, and weighing all of them takes time."""

TOP = 0.5
"""The part of all habits that are the top grade; the rest is spread evenly over all grades."""

SHARE, TRIED = 4, 5
"""Columns of ``work.review_logs``: the probability of effort if both are equally probable beforehand, and the log
probability of a review without effort under the habit that is tried."""


@jit
def with_habit(log_mass: float, level: int, favourite: int) -> float:
    """Log probability of a report without effort by somebody whose habit is a grade, equation (H1)."""
    kept = 1.0 - MISSED if level == favourite else 0.0
    return math.log(MISSED * math.exp(log_mass) + kept)


@jit
def effort_prior_of(grader: int | np.int64, habit: I32, prior: F64) -> tuple[float, float]:
    """The two parameters of the Beta prior of a grader's effort, equation (H2)."""
    if habit[grader] > 0:
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
    learning, logs, by_level = given.learning, work.review_logs, work.scratch.low_effort
    begun = given.reports.grader_reviews[grader]
    count = given.reports.grader_reviews[grader + 1] - begun
    used = learning.habit_codes[learning.habit_start[grader] : learning.habit_start[grader + 1]]
    n_codes, n_unused = len(learning.favourite) - 1, len(learning.favourite) - 1 - len(used)
    for place in range(count):
        # From here on the column has what is left without the reports' own factors.
        logs[place, careless] -= _review_log(begun + place, np.int64(state.habit[grader]), given, by_level)
    log_share = -math.log1p(math.exp(-state.hyper[HABIT]))
    masses, top, total = work.habit_masses, -np.inf, 0.0
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
    chosen, target = 0, rng.random() * total
    while chosen < len(used) + 1 and target >= masses[chosen]:
        target -= masses[chosen]
        chosen += 1
    code = _code_of(chosen, used, n_codes)
    _propose_effort(grader, code, careful, careless, rng, given, state, work)
    if state.habit[grader] > 0 and chosen == len(used) + 1 and _is_unused(state.habit[grader], used):
        state.habit[grader] = _any_unused(rng, used, n_codes)
    for place in range(count):
        logs[place, careless] += _review_log(begun + place, np.int64(state.habit[grader]), given, by_level)
    fill_low_effort(grader, given, state.habit, by_level, given.beliefs.log_low_effort)


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
        logs[place, TRIED] = without
        logs[place, SHARE] = 1.0 / (1.0 + math.exp(min(gap, 700.0)))
        left += max(without, logs[place, careful]) + math.log1p(math.exp(-abs(gap)))
    return left


@jit
def _log_density(effort: float, count: int, alpha: float, beta: float, logs: F64) -> float:
    """Log density, up to a constant, of an effort probability given each review's share."""
    total = (alpha - 1.0) * math.log(effort) + (beta - 1.0) * math.log(1.0 - effort)
    product = 1.0
    for place in range(count):
        product *= 1.0 - effort + (2.0 * effort - 1.0) * logs[place, SHARE]
        if product < 1e-250:
            total, product = total + math.log(product), 1.0
    return total + math.log(product)


@jit
def _log_evidence(grader: int, code: int, careful: int, careless: int, given: AnyGiven, work: AnyWork) -> float:
    """Log probability of a grader's reviews under a habit, efforts and their probability summed out."""
    left = _load_shares(grader, code, careful, careless, given, work)
    count = given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]
    alpha, beta = _effort_prior(code, given.beliefs.effort)
    masses, top, total = work.effort_masses, -np.inf, 0.0
    for cell in range(len(masses)):
        masses[cell] = _log_density((cell + 0.5) / len(masses), count, alpha, beta, work.review_logs)
        top = max(top, masses[cell])
    for cell in range(len(masses)):
        total += math.exp(masses[cell] - top)
    norm = math.lgamma(alpha + beta) - math.lgamma(alpha) - math.lgamma(beta)
    return left + norm + top + math.log(total)


@jit
def _effort_prior(code: int | np.int64, prior: F64) -> tuple[float, float]:
    if code > 0:
        return HABIT_EFFORT
    return float(prior[0]), float(prior[1])


@jit
def _propose_effort(
    grader: int,
    code: int,
    careful: int,
    careless: int,
    rng: np.random.Generator,
    given: AnyGiven,
    state: AnyState,
    work: AnyWork,
) -> None:
    """Draw a cell of the histogram under the chosen habit, and a place in it; keep both habit and effort or neither."""
    logs, masses = work.review_logs, work.effort_masses
    count, n_cells = given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader], len(masses)
    present, effort = np.int64(state.habit[grader]), state.effort[grader]
    _load_shares(grader, present, careful, careless, given, work)
    alpha, beta = _effort_prior(present, given.beliefs.effort)
    middle = (min(int(effort * n_cells), n_cells - 1) + 0.5) / n_cells
    gain = _log_density(middle, count, alpha, beta, logs) - _log_density(effort, count, alpha, beta, logs)
    _load_shares(grader, code, careful, careless, given, work)
    alpha, beta = _effort_prior(code, given.beliefs.effort)
    top, total = -np.inf, 0.0
    for cell in range(n_cells):
        masses[cell] = _log_density((cell + 0.5) / n_cells, count, alpha, beta, logs)
        top = max(top, masses[cell])
    for cell in range(n_cells):
        masses[cell] = math.exp(masses[cell] - top)
        total += masses[cell]
    chosen, target = 0, rng.random() * total
    while chosen < n_cells - 1 and target >= masses[chosen]:
        target -= masses[chosen]
        chosen += 1
    proposed = (chosen + rng.random()) / n_cells
    if proposed <= 0.0:
        return
    gain += _log_density(proposed, count, alpha, beta, logs)
    gain -= _log_density((chosen + 0.5) / n_cells, count, alpha, beta, logs)
    if math.log(rng.random()) < gain:
        state.habit[grader], state.effort[grader] = code, proposed


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
