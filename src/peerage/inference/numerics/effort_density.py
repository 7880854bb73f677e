"""A grader's effort probability, with the efforts of the grader's reviews summed out.

Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import drawn_by_mass

_SMALL = 1e-250
"""Products of probabilities are turned into logarithms when they are smaller than this."""

_FACTORS = 64
"""After so many factors, none of which is smaller than half a cell, products are divided by the largest."""


@jit
def log_effort_density(effort: float, shares: F64, prior: tuple[float, float]) -> float:
    """Log density, up to a constant, of an effort probability with the efforts summed out.

    This is equation (7) as a function of e. Logarithms are taken of products: each takes longer than many factors.
    """
    if effort <= 0.0 or effort >= 1.0:
        return -np.inf
    total = (prior[0] - 1.0) * np.log(effort) + (prior[1] - 1.0) * np.log(1.0 - effort)
    product = 1.0
    for share in shares:
        product *= 1.0 - effort + (2.0 * effort - 1.0) * share
        if product < _SMALL:
            total += np.log(product)
            product = 1.0
    return float(total + np.log(product))


@jit
def log_mixed(effort: float, careful: float, careless: float) -> float:
    """Log probability of a review, whether it was made with effort or not: the log of a bracket of equation (7)."""
    if effort >= 1.0:
        return careful
    if effort <= 0.0:
        return careless
    if careful > careless:
        return float(careful + np.log(effort + (1.0 - effort) * np.exp(careless - careful)))
    return float(careless + np.log(1.0 - effort + effort * np.exp(careful - careless)))


@jit
def chance_of_effort(effort: float, careful: float, careless: float) -> float:
    """The probability that a review was made with effort, by the odds of equation (6)."""
    if effort <= 0.0 or effort >= 1.0:
        return effort
    return float(1.0 / (1.0 + (1.0 - effort) / effort * np.exp(min(careless - careful, 700.0))))


@jit
def fill_prior(prior: tuple[float, float], masses: F64) -> float:
    """The Beta prior's density at the middle of each cell, up to a factor whose logarithm is returned.

    The prior is that of equation (1), or under a habit that of equation (H2).
    """
    n_cells, top, total = len(masses), -np.inf, prior[0] + prior[1]
    for cell in range(n_cells):
        effort = (cell + 0.5) / n_cells
        masses[cell] = (prior[0] - 1.0) * np.log(effort) + (prior[1] - 1.0) * np.log(1.0 - effort)
        top = max(top, masses[cell])
    for cell in range(n_cells):
        masses[cell] = np.exp(masses[cell] - top)
    return float(top + math.lgamma(total) - math.lgamma(prior[0]) - math.lgamma(prior[1]))


@jit
def fill_histogram(shares: F64, prior_masses: F64, masses: F64) -> float:
    """The density at the middle of each cell, up to a factor beside the prior's, whose logarithm is returned.

    This is equation (7) as a function of e. All cells at once, which takes vectors of them, and no logarithm of any.
    """
    n_cells, divided = len(masses), 0.0
    for cell in range(n_cells):
        masses[cell] = prior_masses[cell]
    for place in range(len(shares)):
        slope = (2.0 * shares[place] - 1.0) / n_cells
        start = 1.0 - shares[place] + 0.5 * slope
        for cell in range(n_cells):
            masses[cell] *= start + slope * cell
        if place % _FACTORS == _FACTORS - 1:
            largest = 0.0
            for cell in range(n_cells):
                largest = max(largest, masses[cell])
            for cell in range(n_cells):
                masses[cell] /= largest
            divided += np.log(largest)
    return divided


@jit
def draw_effort(
    rng: np.random.Generator, effort: float, shares: F64, prior: tuple[float, float], prior_masses: F64, masses: F64
) -> float:
    """Draw a grader's effort probability with the efforts summed out: equation (7) as a function of e.

    ``shares`` are the probabilities of effort of each review if both are equally probable beforehand. A value is
    proposed from a histogram of the density, and accepted or refused by the density itself.
    """
    n_cells = len(masses)
    fill_histogram(shares, prior_masses, masses)
    chosen = drawn_by_mass(rng, masses)
    proposed = (chosen + rng.random()) / n_cells
    present = min(int(effort * n_cells), n_cells - 1)
    gain = log_effort_density(proposed, shares, prior) - log_effort_density(effort, shares, prior)
    # Not from the masses, which may have underflowed where the grader stands.
    gain += log_effort_density((present + 0.5) / n_cells, shares, prior)
    gain -= log_effort_density((chosen + 0.5) / n_cells, shares, prior)
    return proposed if np.log(rng.random()) < gain else effort
