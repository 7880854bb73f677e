"""Reports that are rounded more coarsely than their scale: their probability, draws, and the shares of units.

G1 to G4 are docs/model.md's equations. How coarsely a report is rounded is summed out wherever the report is weighed; a
sweep draws it only to learn the shares.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.heaping import PRIOR, SMALLEST, UNITS, CoarseBins
from peerage.inference.latent.latent_arrays import Levels, Places, Priors, State
from peerage.inference.latent.latent_priors import fill_low_effort, low_effort_mass, refresh_rounding, share_of
from peerage.inference.latent.normal_tails import bin_mass, draw_in_bin
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import N_UNITS, ROUNDED, TAU_L, mu_l
from peerage.inference.numerics.jit import jit


@jit
def rounded_mass(code: int, finest: float, mean: float, root: float, coarse: CoarseBins, rounding: F64) -> float:
    """Probability of a grade of normal mean and root of the precision, from that of its finest bin: equation G1."""
    weights = rounding.ravel()
    total = weights[coarse.own[code]] * finest
    for place in range(coarse.start[code], coarse.start[code + 1]):
        low, high = (coarse.low[place] - mean) * root, (coarse.high[place] - mean) * root
        total += weights[coarse.share[place]] * bin_mass(low, high)[1]
    return float(total)


@jit
def draw_rounded(
    rng: np.random.Generator, report: int, mean: float, root: float, levels: Levels, rounding: F64
) -> float:
    """A report before rounding: one of its bins is drawn, then the report within it (G3).

    Where no bin has any mass that a number could hold, the coarsest is taken, which reaches nearest to the mean.
    """
    coarse, weights, code = levels.coarse, rounding.ravel(), levels.code[report]
    low, high = (levels.low[report] - mean) * root, (levels.high[report] - mean) * root
    beyond, mass = bin_mass(low, high)
    total = weights[coarse.own[code]] * mass
    for place in range(coarse.start[code], coarse.start[code + 1]):
        begin, end = (coarse.low[place] - mean) * root, (coarse.high[place] - mean) * root
        tail, found = bin_mass(begin, end)
        weight = weights[coarse.share[place]] * found
        total += weight
        if rng.random() * total <= weight:
            low, high, beyond, mass = begin, end, tail, found
    return mean + draw_in_bin(rng, low, high, beyond, mass) / root


@jit
def learn_rounding(
    rng: np.random.Generator, places: Places, levels: Levels, beliefs: Priors, state: State, low_effort: F64
) -> None:
    """Draw how coarsely each report was rounded, and the shares of all units given that (G4).

    ``low_effort`` counts the levels of each component that were reported without effort, but for habits.
    """
    coarse, theta, weights = levels.coarse, state.hyper, np.zeros(N_UNITS + 1)
    counts = np.zeros((len(UNITS), N_UNITS + 1))
    for review in range(len(state.effortful)):
        if state.effortful[review]:
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                component = places.cell_component[places.report_cell[report]]
                if coarse.kind[component] >= 0:
                    _weigh_latent(report, state.latent[report], levels, beliefs.rounding, weights)
                    _count(rng, component, weights, coarse, theta, counts)
    for component in range(len(coarse.kind)):
        if coarse.kind[component] >= 0:
            for level in range(low_effort.shape[1]):
                if low_effort[component, level] > 0.0:
                    _weigh_low_effort(component, level, levels, beliefs, theta, weights)
                    for _ in range(int(low_effort[component, level])):
                        _count(rng, component, weights, coarse, theta, counts)
    for kind in range(len(counts)):
        if (coarse.kind == kind).any():
            _draw_shares(rng, kind, counts[kind], theta)
    refresh_rounding(coarse, beliefs.rounding, theta)
    for component in range(len(coarse.kind)):
        fill_low_effort(component, levels, beliefs.rounding, theta, beliefs.low_effort)


@jit
def _weigh_latent(report: int, value: float, levels: Levels, rounding: F64, weights: F64) -> None:
    """The weight of each grid given a report before rounding: those grids whose bin holds it.

    The coarsest bin holds the others, and always counts, whatever numbers at its ends are rounded to.
    """
    coarse, code, all_weights = levels.coarse, levels.code[report], rounding.ravel()
    weights[:] = 0.0
    own, last = coarse.own[code], coarse.start[code + 1] - 1
    if last < coarse.start[code] or levels.low[report] <= value < levels.high[report]:
        weights[0] = all_weights[own]
    for place in range(coarse.start[code], last + 1):
        if place == last or coarse.low[place] <= value < coarse.high[place]:
            weights[coarse.share[place] - own] = all_weights[coarse.share[place]]


@jit
def _weigh_low_effort(component: int, level: int, levels: Levels, beliefs: Priors, theta: F64, weights: F64) -> None:
    """The weight of each grid given a grade that was reported without effort."""
    coarse, all_weights = levels.coarse, beliefs.rounding.ravel()
    code = component * beliefs.low_effort.shape[1] + level
    centre, root, own = mu_l(theta, component), math.exp(0.5 * theta[TAU_L]), coarse.own[code]
    weights[:] = 0.0
    rest = math.exp(beliefs.low_effort[component, level])
    for place in range(coarse.start[code], coarse.start[code + 1]):
        mass = low_effort_mass(coarse.low[place], coarse.high[place], centre, root)
        weights[coarse.share[place] - own] = all_weights[coarse.share[place]] * mass
        rest -= weights[coarse.share[place] - own]
    weights[0] = max(rest, 0.0)


@jit
def _count(rng: np.random.Generator, component: int, weights: F64, coarse: CoarseBins, theta: F64, counts: F64) -> None:
    """Draw a grid by weights and then one of the units that stand for it, and count that."""
    target, grid = rng.random() * weights.sum(), 0
    while grid < len(weights) - 1 and target >= weights[grid]:
        target -= weights[grid]
        grid += 1
    kind, total, rest, chosen = coarse.kind[component], 0.0, 1.0, N_UNITS
    for unit in range(N_UNITS + 1):
        share = share_of(theta[ROUNDED + kind * N_UNITS + unit]) if unit < N_UNITS else max(rest, 0.0)
        rest -= share
        if coarse.grid_of[component, unit] == grid:
            total += share
            if rng.random() * total <= share:
                chosen = unit
    counts[kind, chosen] += 1.0


@jit
def _draw_shares(rng: np.random.Generator, kind: int, counts: F64, theta: F64) -> None:
    """Draw the shares of a kind of scale's units from their Dirichlet distribution."""
    total = 0.0
    for unit in range(len(counts)):
        counts[unit] = rng.standard_gamma(PRIOR[unit] + counts[unit])
        total += counts[unit]
    for unit in range(N_UNITS):
        share = min(max(counts[unit] / total, SMALLEST), 1.0 - SMALLEST)
        theta[ROUNDED + kind * N_UNITS + unit] = math.log(share / (1.0 - share))
