"""Reports that are rounded more coarsely than their scale: their probability, draws, and the shares of units.

These are equations (G1) to (G4) of docs/model.md. How coarsely a report is rounded is summed out wherever the report is
weighed; a sweep draws it only to learn the shares.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.features.heaping import PRIOR, SMALLEST, UNITS, CoarseBins
from peerage.inference.latent.latent_arrays import Beliefs, Levels, Places, State
from peerage.inference.latent.latent_priors import fill_low_effort, low_effort_mass, refresh_rounding, share_of
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import N_UNITS, ROUNDED, TAU_L, mu_l
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import add_masses, bin_mass, draw_in_bin
from peerage.inference.numerics.vectors import drawn_by_mass

_MANY = 4
"""Of so many reports, one must lie on a grid for all to be weighed at once: in vectors that takes a fourth or less."""


@jit
def rounded_mass(code: int, finest: float, mean: float, root: float, coarse: CoarseBins, rounding: F64) -> float:
    """Probability of a grade of normal mean and root of the precision, from that of its finest bin: equation (G1)."""
    total = rounding[coarse.own[code]] * finest
    for place in range(coarse.start[code], coarse.start[code + 1]):
        low, high = (coarse.low[place] - mean) * root, (coarse.high[place] - mean) * root
        total += rounding[coarse.share[place]] * bin_mass(low, high)[1]
    return float(total)


@jit
def round_masses(begin: int, levels: Levels, rounding: F64, means: F64, roots: F64, masses: F64) -> None:
    """Turn the masses of the finest bins of reports, from one on, into probabilities of their grades: equation (G1).

    All of them at once, which takes vectors, unless few lie on a grid. What is smaller than ``OUT_OF_REACH`` has to be
    found one by one.
    """
    end = begin + len(masses)
    kinds = levels.coarse_own[begin:end]
    for row in range(len(masses)):
        masses[row] *= rounding[kinds[row]]
    for grid in range(N_UNITS):
        low, high, shares = (
            levels.coarse_low[grid, begin:end],
            levels.coarse_high[grid, begin:end],
            rounding[grid + 1 :],
        )
        count = 0
        for row in range(len(masses)):
            count += low[row] < np.inf
        if _MANY * count >= len(masses):
            add_masses(low, high, means, roots, kinds, shares, masses)
        elif count > 0:
            for row in range(len(masses)):
                if low[row] < np.inf:
                    mean, root = means[row], roots[row]
                    masses[row] += shares[kinds[row]] * bin_mass((low[row] - mean) * root, (high[row] - mean) * root)[1]


@jit
def draw_rounded(
    rng: np.random.Generator,
    code: int,
    low: float,
    high: float,
    mean: float,
    root: float,
    coarse: CoarseBins,
    weights: F64,
) -> float:
    """A report before rounding: one of its bins is drawn, then the report within it: equation (G3).

    In one pass: each bin takes the place of the one before by its part in the sum so far. The ends are those of its
    finest bin. Where no bin has any mass that a number could hold, the coarsest is taken, which reaches nearest to the
    mean.
    """
    low, high = (low - mean) * root, (high - mean) * root
    beyond, mass = bin_mass(low, high)
    total = weights[coarse.own[code]] * mass
    for place in range(coarse.start[code], coarse.start[code + 1]):
        first, last = (coarse.low[place] - mean) * root, (coarse.high[place] - mean) * root
        tail, found = bin_mass(first, last)
        weight = weights[coarse.share[place]] * found
        total += weight
        if rng.random() * total <= weight:
            low, high, beyond, mass = first, last, tail, found
    return mean + draw_in_bin(rng, low, high, beyond, mass) / root


@jit(makes_arrays=True)
def learn_rounding(
    rng: np.random.Generator, places: Places, levels: Levels, beliefs: Beliefs, state: State, low_effort: F64
) -> None:
    """Draw how coarsely each report was rounded, and the shares of all units given that: equation (G4).

    ``low_effort`` counts the levels of each component that were reported without effort, but for habits. Reports of one
    level without effort have the same weights, which are found once for all of them.
    """
    coarse, theta, weights = levels.coarse, state.hyper, np.zeros(N_UNITS + 1)
    shares = beliefs.rounding
    grids, counts = np.zeros((len(coarse.kind), N_UNITS + 1)), np.zeros((len(UNITS), N_UNITS + 1))
    for review in range(len(state.effortful)):
        if state.effortful[review]:
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                component = places.cell_component[places.report_cell[report]]
                if coarse.kind[component] >= 0:
                    code, low, high = levels.code[report], levels.low[report], levels.high[report]
                    grids[component, _draw_grid(rng, code, low, high, state.latent[report], coarse, shares)] += 1.0
    for component in range(len(coarse.kind)):
        if coarse.kind[component] >= 0:
            for level in range(low_effort.shape[1]):
                if low_effort[component, level] > 0.0:
                    _weigh_low_effort(component, level, levels, beliefs, theta, weights)
                    for _ in range(int(low_effort[component, level])):
                        grids[component, drawn_by_mass(rng, weights)] += 1.0
            _count_units(rng, component, grids[component], coarse, theta, weights, counts)
    for kind in range(len(counts)):
        for component in range(len(coarse.kind)):
            if coarse.kind[component] == kind:
                _draw_shares(rng, kind, counts[kind], theta)
                break
    refresh_rounding(coarse, beliefs.rounding, theta)
    for component in range(len(coarse.kind)):
        fill_low_effort(component, levels, beliefs.rounding, theta, beliefs.low_effort)


@jit
def _draw_grid(
    rng: np.random.Generator, code: int, low: float, high: float, value: float, coarse: CoarseBins, weights: F64
) -> int:
    """Draw the grid on which a report was rounded, given what it was before: one of those whose bin holds it.

    This is equation (G4) with effort. The ends are those of its finest bin. The coarsest bin holds the others, and
    always counts, whatever numbers at its ends are rounded to.
    """
    begin, last, own = coarse.start[code], coarse.start[code + 1] - 1, coarse.own[code]
    total, chosen = (weights[own] if last < begin or low <= value < high else 0.0), 0
    for place in range(begin, last + 1):
        if place == last or coarse.low[place] <= value < coarse.high[place]:
            weight = weights[coarse.share[place]]
            total += weight
            if rng.random() * total <= weight:
                chosen = coarse.share[place] - own
    return chosen


@jit
def _weigh_low_effort(component: int, level: int, levels: Levels, beliefs: Beliefs, theta: F64, weights: F64) -> None:
    """The weight of each grid given a grade that was reported without effort: equation (G4)."""
    coarse, all_weights = levels.coarse, beliefs.rounding
    code = component * beliefs.low_effort.shape[1] + level
    centre, root, own = mu_l(theta, component), math.exp(0.5 * theta[TAU_L]), coarse.own[code]
    for grid in range(len(weights)):
        weights[grid] = 0.0
    rest = math.exp(beliefs.low_effort[component, level])
    for place in range(coarse.start[code], coarse.start[code + 1]):
        mass = low_effort_mass(coarse.low[place], coarse.high[place], centre, root)
        weights[coarse.share[place] - own] = all_weights[coarse.share[place]] * mass
        rest -= weights[coarse.share[place] - own]
    weights[0] = max(rest, 0.0)


@jit
def _count_units(
    rng: np.random.Generator, component: int, grids: F64, coarse: CoarseBins, theta: F64, weights: F64, counts: F64
) -> None:
    """Count the units of a component's reports, whose grids are counted: several units may stand for one grid.

    These are the numbers of equation (G4). Only where several stand for one is there anything to draw.
    """
    kind = coarse.kind[component]
    for grid in range(len(grids)):
        rest, standing, only = 1.0, 0, 0
        for unit in range(N_UNITS + 1):
            share = share_of(theta[ROUNDED + kind * N_UNITS + unit]) if unit < N_UNITS else max(rest, 0.0)
            rest -= share
            weights[unit] = 0.0
            if coarse.grid_of[component, unit] == grid:
                weights[unit], standing, only = share, standing + 1, unit
        if standing == 1:
            counts[kind, only] += grids[grid]
        elif standing > 1:
            for _ in range(int(grids[grid])):
                counts[kind, drawn_by_mass(rng, weights)] += 1.0


@jit
def _draw_shares(rng: np.random.Generator, kind: int, counts: F64, theta: F64) -> None:
    """Draw the shares of a kind of scale's units from their Dirichlet distribution, equation (G4)."""
    total = 0.0
    for unit in range(len(counts)):
        counts[unit] = rng.standard_gamma(PRIOR[unit] + counts[unit])
        total += counts[unit]
    for unit in range(N_UNITS):
        share = min(max(counts[unit] / total, SMALLEST), 1.0 - SMALLEST)
        theta[ROUNDED + kind * N_UNITS + unit] = math.log(share / (1.0 - share))
