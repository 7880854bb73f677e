"""Graders with a habit: what they report without effort is one grade of their own.

A grader's habit and effort probability are drawn together, with the efforts summed out: given the one, the other can
hardly move. Grades that a grader never gave explain the reports equally badly, so all of them but the top grade are
weighed at once. These are equations (H1) to (H5) of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.latent_arrays import EffortCells, Habits, Levels, Places, Work
from peerage.inference.numerics.arrays import F64, I32, Flags
from peerage.inference.numerics.effort_density import fill_histogram, fill_prior, log_effort_density
from peerage.inference.numerics.hyperparameters import HABIT
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import drawn_by_mass, sum_of

MISSED = 0.01
"""The share of reports without effort that do not keep to the habit, but are as anybody's."""

_LOG_MISSED = math.log(MISSED)

HABIT_EFFORT = (0.2, 9.8)
"""The Beta prior of the effort of somebody who has a habit."""

HABIT_PRIOR = (1.0, 9.0)
"""The Beta hyperprior of the share of students who have one."""

TOP = 0.5
"""The part of all habits that are the top grade; the rest is spread evenly over all grades."""

CAREFUL, AFTER_JUMP, CARELESS = 0, 1, 2
"""Columns of ``Work.logs``: the first without effort is CARELESS, and one for each candidate follows it."""

WITHOUT, WITH_HABIT = 0, 1
"""Rows of what is known of efforts beforehand: those of graders without a habit, and with one."""

_NONE_KEPT = -1
"""What stands for a habit that no report of a grader keeps to."""


@jit(makes_arrays=True)
def fill_careless(
    grader: int, code: int, column: int, places: Places, levels: Levels, favourite: np.ndarray, table: F64, logs: F64
) -> None:
    """The log probability of each of a grader's reviews without effort under a habit, equation (H1); 0 is none."""
    begun, size, entries = places.grader_reviews[grader], table.shape[1], table.ravel()
    for review in range(begun, places.grader_reviews[grader + 1]):
        total = 0.0
        for report in range(places.review_reports[review], places.review_reports[review + 1]):
            if code == 0:  # nearly always: without a division, which takes longer than all else
                total += entries[levels.careless[report]]
            else:
                row, level = divmod(levels.careless[report], size)
                if code > 0 and favourite[code, row % favourite.shape[1]] == level:
                    total += math.log(MISSED * math.exp(table[row, level]) + 1.0 - MISSED)
                else:
                    total += _LOG_MISSED + table[row, level]
        logs[review - begun, column] = total


@jit
def prior_of_effort(code: int | np.int32, prior: F64) -> tuple[float, float]:
    """The two parameters of the Beta prior of an effort: of equation (H2) under a habit, else of equation (1)."""
    if code > 0:
        return HABIT_EFFORT
    return float(prior[0]), float(prior[1])


@jit
def refresh_efforts(prior: F64, efforts: EffortCells) -> None:
    """Lay out the Beta priors of efforts, equations (1) and (H2), on cells: once for all graders of a sweep."""
    for row, code in ((WITHOUT, 0), (WITH_HABIT, 1)):
        efforts.log_prior[row] = fill_prior(prior_of_effort(code, prior), efforts.prior[row])


@jit
def _candidate_code(candidate: int, used: I32) -> int:
    """The habit that a candidate stands for: none, one of those that are used, or any that is not (the last)."""
    if candidate == 0:
        return 0
    return int(used[candidate - 1]) if candidate <= len(used) else _NONE_KEPT


@jit
def fill_candidates(grader: int, habits: Habits, places: Places, levels: Levels, table: F64, logs: F64) -> None:
    """The log probabilities of a grader's reviews without effort, equation (H1), for every candidate."""
    used = habits.used[habits.start[grader] : habits.start[grader + 1]]
    for candidate in range(len(used) + 2):
        code = _candidate_code(candidate, used)
        fill_careless(grader, code, CARELESS + candidate, places, levels, habits.favourite, table, logs)


@jit
def weigh_habits(count: int, careful: int, used: I32, n_codes: int, log_odds: float, work: Work) -> float:
    """Weights of the candidates, in ``work.habit_masses``; the log of their sum.

    These are the sums of equation (H3) over the cells of efforts, and Z of equation (H5).
    """
    masses, n_unused, log_share = work.habit_masses, n_codes - len(used), -math.log1p(math.exp(-log_odds))
    top, total = -np.inf, 0.0
    for candidate in range(len(used) + 2):
        masses[candidate] = -np.inf
        if candidate == len(used) + 1 and n_unused == 0:
            continue
        code = _candidate_code(candidate, used)
        log_prior = log_share - log_odds
        if code != 0:
            multiple = n_unused if code == _NONE_KEPT else 1
            log_prior = log_share + math.log(multiple * (1.0 - TOP) / n_codes + (TOP if code == n_codes else 0.0))
        left = _load_shares(count, careful, CARELESS + candidate, work.logs, work.shares)
        masses[candidate] = log_prior + left + _log_effort_sum(count, code, work.shares, work.efforts)
        top = max(top, masses[candidate])
    for candidate in range(len(used) + 2):
        masses[candidate] = math.exp(masses[candidate] - top)
        total += masses[candidate]
    return top + math.log(total)


@jit
def _load_shares(count: int, careful: int, careless: int, logs: F64, shares: F64) -> float:
    """Each review's probability of effort if both are equally probable beforehand; the log of what they leave.

    With it the brackets of equation (H3) are linear in the effort, and take no exponentials however many efforts are
    tried.
    """
    left = 0.0
    for place in range(count):
        gap = logs[place, careless] - logs[place, careful]
        shares[place] = 1.0 / (1.0 + math.exp(min(gap, 700.0)))
        left += max(logs[place, careless], logs[place, careful]) + math.log1p(math.exp(-abs(gap)))
    return left


@jit
def _log_effort_sum(count: int, code: int, shares: F64, efforts: EffortCells) -> float:
    """Log of the sum of the effort's density over cells, which stand in ``efforts.masses`` up to a factor.

    The density is equation (H3) for one habit.
    """
    row = WITHOUT if code == 0 else WITH_HABIT
    divided = fill_histogram(shares[:count], efforts.prior[row], efforts.masses)
    return float(efforts.log_prior[row] + divided + math.log(sum_of(efforts.masses)))


@jit
def propose_habit(
    count: int, careful: int, used: I32, n_codes: int, rng: np.random.Generator, prior: F64, work: Work
) -> tuple[int, float, float]:
    """A habit drawn by its weight, an effort from its histogram, and how far the density there is above it, in logs.

    The latter is f/h of equation (H5).
    """
    chosen = drawn_by_mass(rng, work.habit_masses[: len(used) + 2])
    code = _candidate_code(chosen, used)
    _load_shares(count, careful, CARELESS + chosen, work.logs, work.shares)
    _log_effort_sum(count, code, work.shares, work.efforts)
    cell = drawn_by_mass(rng, work.efforts.masses)
    effort = (cell + max(rng.random(), 1e-12)) / len(work.efforts.masses)
    if code == _NONE_KEPT:
        code = _any_unused(rng, used, n_codes)
    return code, effort, _above_histogram(count, code, effort, prior, work.shares, len(work.efforts.masses))


@jit
def excess_now(
    count: int, careful: int, code: int | np.int32, effort: float, used: I32, prior: F64, work: Work
) -> float:
    """How far the density of the present habit and effort is above the histogram from which they might be drawn.

    This is f/h of equation (H5), in logs.
    """
    column = CARELESS + len(used) + 1
    if code == 0:
        column = CARELESS
    for place in range(len(used)):
        if used[place] == code:
            column = CARELESS + 1 + place
    _load_shares(count, careful, column, work.logs, work.shares)
    return _above_histogram(count, code, effort, prior, work.shares, len(work.efforts.masses))


@jit
def _above_histogram(count: int, code: int | np.int32, effort: float, prior: F64, shares: F64, n_cells: int) -> float:
    """How far the density of equation (H3) at an effort is above that at the middle of the effort's cell, in logs."""
    both = prior_of_effort(code, prior)
    middle = (min(int(effort * n_cells), n_cells - 1) + 0.5) / n_cells
    return log_effort_density(effort, shares[:count], both) - log_effort_density(middle, shares[:count], both)


@jit
def _any_unused(rng: np.random.Generator, used: I32, n_codes: int) -> int:
    """One of the habits that are not used, at random."""
    while True:
        code, found = 1 + int(rng.random() * n_codes), False
        for entry in used:
            found = found or entry == code
        if not found:
            return code


@jit
def learn_habits(rng: np.random.Generator, may_have: Flags, habit: I32, theta: F64) -> None:
    """Draw the share of students who have a habit, equation (H4)."""
    count, with_one = 0, 0
    for grader in range(len(may_have)):
        if may_have[grader]:
            count += 1
            with_one += habit[grader] > 0
    if count > 0:
        share = rng.beta(HABIT_PRIOR[0] + with_one, HABIT_PRIOR[1] + count - with_one)
        theta[HABIT] = math.log(max(share, 1e-12) / max(1.0 - share, 1e-12))
