"""One sweep of the many-facet Rasch model: each parameter moves by a Metropolis step, given all others.

A report of level k by rater r has the probability ∝ exp(1.7 α_r [k (θ − β_i − β_r) − D_k]), D_k the sum of the first k
steps. A step of the last kind is minus the sum of the others, and so are components' difficulties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.item_reports import Indexes
from peerage.methods.method_contract import Floats

LOGISTIC = 1.7
"""What makes the logistic curve close to the normal one."""


class Facets(NamedTuple):
    """(reports,) levels and whose parameters each report depends on; ``times`` is how many severities a rater has."""

    level: Indexes
    work: Indexes
    component: Indexes
    rater: Indexes
    severity: Indexes
    group: Indexes
    times: int


class Rows(NamedTuple):
    """Where the reports of each owner of a kind begin, and the reports in that order."""

    start: Indexes
    rows: Indexes


class FacetRows(NamedTuple):
    """The reports of each submission, component, severity, rater and group of raters."""

    by_work: Rows
    by_component: Rows
    by_severity: Rows
    by_rater: Rows
    by_group: Rows


class RaschState(NamedTuple):
    """All parameters, changed in place: ability θ, difficulty β_i, severity β_r, slope α_r, and steps by group."""

    ability: Floats
    difficulty: Floats
    severity: Floats
    slope: Floats
    steps: Floats


@jit
def log_mass(level: int, sharp: float, gap: float, steps: Floats) -> float:
    """The log probability of a level, where ``gap`` is θ − β_i − β_r and ``sharp`` is 1.7 α_r."""
    total, mine, top = 0.0, 0.0, 0.0
    below = 0.0
    for k in range(1, len(steps) + 1):
        below += steps[k - 1]
        exponent = sharp * (k * gap - below)
        top = max(top, exponent)
        if k == level:
            mine = exponent
    total, below = np.exp(-top), 0.0
    for k in range(1, len(steps) + 1):
        below += steps[k - 1]
        total += np.exp(sharp * (k * gap - below) - top)
    return float(mine - top - np.log(total))


@jit
def likelihood(facets: Facets, state: RaschState, rows: Rows, owner: int) -> float:
    """The log likelihood of one owner's reports."""
    total = 0.0
    for place in range(rows.start[owner], rows.start[owner + 1]):
        row = rows.rows[place]
        gap = state.ability[facets.work[row]] - state.difficulty[facets.component[row]]
        gap -= state.severity[facets.severity[row]]
        sharp = LOGISTIC * state.slope[facets.rater[row]]
        total += log_mass(facets.level[row], sharp, gap, state.steps[facets.group[row]])
    return total


@jit
def _accepted(gain: float, scale: Floats, place: int, adapting: bool, rng: np.random.Generator) -> bool:
    """Whether a step is taken; while adapting, its size moves to where 44 % are."""
    taken = np.log(rng.random()) < gain
    if adapting:
        scale[place] *= 1.1 if taken else 1.1**-0.786
    return bool(taken)


@jit
def _walk(severity: Floats, place: int, times: int, drift_precision: float) -> float:
    """The log prior of a severity: N(0, 1), or around the same rater's at the times before and after."""
    time = place % times
    if time == 0:
        total = -0.5 * severity[place] ** 2
    else:
        total = -0.5 * drift_precision * (severity[place] - severity[place - 1]) ** 2
    if time + 1 < times:
        total -= 0.5 * drift_precision * (severity[place + 1] - severity[place]) ** 2
    return float(total)


@jit(makes_arrays=True)
def sweep(
    facets: Facets,
    rows: FacetRows,
    state: RaschState,
    scales: RaschState,
    discriminating: bool,
    drift_precision: float,
    adapting: bool,
    rng: np.random.Generator,
) -> None:
    """Move every parameter once, by the probability above and the priors of :class:`ManyFacetRasch`.

    One parameter moves at a time, because only its owner's reports have to be weighed anew.
    """
    for work in range(len(state.ability)):
        before = state.ability[work]
        was = likelihood(facets, state, rows.by_work, work) - 0.5 * before**2
        state.ability[work] += scales.ability[work] * rng.standard_normal()
        now = likelihood(facets, state, rows.by_work, work) - 0.5 * state.ability[work] ** 2
        if not _accepted(now - was, scales.ability, work, adapting, rng):
            state.ability[work] = before
    for place in range(len(state.severity)):
        before = state.severity[place]
        was = likelihood(facets, state, rows.by_severity, place)
        was += _walk(state.severity, place, facets.times, drift_precision)
        state.severity[place] += scales.severity[place] * rng.standard_normal()
        now = likelihood(facets, state, rows.by_severity, place)
        now += _walk(state.severity, place, facets.times, drift_precision)
        if not _accepted(now - was, scales.severity, place, adapting, rng):
            state.severity[place] = before
    if discriminating:
        for rater in range(len(state.slope)):
            # α ~ LogNormal(0, 0.5) is N(0, 0.5²) in log α, in which the step is made.
            before = state.slope[rater]
            was = likelihood(facets, state, rows.by_rater, rater) - 2 * np.log(before) ** 2
            state.slope[rater] *= np.exp(scales.slope[rater] * rng.standard_normal())
            now = likelihood(facets, state, rows.by_rater, rater) - 2 * np.log(state.slope[rater]) ** 2
            if not _accepted(now - was, scales.slope, rater, adapting, rng):
                state.slope[rater] = before
    difficulty = state.difficulty.reshape(1, -1)
    _move_balanced(facets, state, rows.by_component, difficulty, scales.difficulty, True, adapting, rng)
    _move_balanced(facets, state, rows.by_group, state.steps, scales.steps.ravel(), False, adapting, rng)


@jit
def _move_balanced(
    facets: Facets,
    state: RaschState,
    by_owner: Rows,
    values: Floats,
    scale: Floats,
    owned_by_column: bool,
    adapting: bool,
    rng: np.random.Generator,
) -> None:
    """Move values that add up to 0 in each row; the last takes back what another gets.

    So only the reports that depend on these two are weighed by the probability above: those of two components for
    difficulties, which are owned by column, and those of one group for its steps.
    """
    last = values.shape[1] - 1
    for row in range(values.shape[0]):
        for column in range(last):
            one, other = values[row, column], values[row, last]
            was = -0.5 * (one**2 + other**2)
            was += likelihood(facets, state, by_owner, column if owned_by_column else row)
            was += likelihood(facets, state, by_owner, last) if owned_by_column else 0.0
            place = row * values.shape[1] + column
            shift = scale[place] * rng.standard_normal()
            values[row, column] += shift
            values[row, last] -= shift
            now = -0.5 * (values[row, column] ** 2 + values[row, last] ** 2)
            now += likelihood(facets, state, by_owner, column if owned_by_column else row)
            now += likelihood(facets, state, by_owner, last) if owned_by_column else 0.0
            if not _accepted(now - was, scale, place, adapting, rng):
                values[row, column], values[row, last] = one, other


@jit(makes_arrays=True)
def expected_levels(grid: Floats, severity: Floats, slope: Floats, steps: Floats, group: Indexes) -> Floats:
    """(raters, points) the mean level that each rater gives to work of which θ − β_i is at a point."""
    found = np.zeros((len(severity), len(grid)))
    for rater in range(len(severity)):
        for point in range(len(grid)):
            for k in range(1, steps.shape[1] + 1):
                gap = grid[point] - severity[rater]
                found[rater, point] += k * np.exp(log_mass(k, LOGISTIC * slope[rater], gap, steps[group[rater]]))
    return found
