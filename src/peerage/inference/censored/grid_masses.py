"""Learned priors on grids: the mass of each cell, from the hyperparameters.

They are the priors of equation (1), and the distribution of reports without effort in equation (2). A grid value
meets a learned prior through the mass of its cell, never through the density at its centre: with densities, a spread of
zero would be a trap. Equations are those of docs/model.md.
"""

from __future__ import annotations

import math

from peerage.inference.censored.censored_arrays import Learning
from peerage.inference.numerics.arrays import F32, F64
from peerage.inference.numerics.hyperparameters import (
    EPSILON,
    RELIABILITY,
    RELIABILITY_TA,
    SHAPE,
    TA_SHAPE,
    TAS,
    TAU_L,
    bias_prior,
    mu_l,
)
from peerage.inference.numerics.jit import jit

SMALLEST = 1e-300
ROOT_HALF = 0.7071067811865476
_NEGLIGIBLE = 1e-20


@jit
def _tail(z: float) -> float:
    """The smaller tail of the standard normal beyond z."""
    return 0.5 * math.erfc(abs(z) * ROOT_HALF)


@jit
def normal_masses(edges: F64, mean: float, sd: float, out: F64) -> None:
    """Fill ``out`` with the mass of each cell under N(mean, sd²), divided by that of the whole grid.

    Cells are visited in order, for each begins where the one before ends: one tail for each edge.
    """
    below = (edges[0] - mean) / sd
    tail_below = _tail(below)
    whole = 0.0
    for i in range(len(edges) - 1):
        above = (edges[i + 1] - mean) / sd
        tail_above = _tail(above)
        if (below < 0.0) == (above < 0.0):
            out[i] = abs(tail_above - tail_below)
        else:
            out[i] = 1.0 - tail_above - tail_below
        whole += out[i]
        below, tail_below = above, tail_above
    for i in range(len(edges) - 1):
        out[i] = max(out[i] / max(whole, SMALLEST), SMALLEST)


@jit
def _gamma_masses(points: F64, log_points: F64, mean: float, shape: float, out: F64) -> None:
    """Fill ``out`` with Gamma masses on a logarithmic grid, whose cells are narrow beside any such prior."""
    rate = shape / mean
    top = shape * math.log(mean) - shape
    whole = 0.0
    for i in range(len(points)):
        out[i] = math.exp(max(shape * log_points[i] - rate * points[i] - top, -690.0))
        whole += out[i]
    for i in range(len(points)):
        out[i] /= whole


@jit
def store(masses: F64, mass: F32, log_mass: F64) -> None:
    """Keep masses in 32 bits, without those that would slow products down, and their logarithms."""
    for i in range(len(mass)):
        mass[i] = masses[i] if masses[i] > _NEGLIGIBLE else 0.0
        log_mass[i] = math.log(max(masses[i], SMALLEST))


@jit
def learned_low_effort_masses(component: int, learning: Learning, theta: F64, out: F64) -> int:
    """Fill ``out`` with the probability of each level of a component if no effort is made; returns their number.

    This is equation (2).
    """
    cuts = learning.cuts[learning.cut_start[component] : learning.cut_start[component + 1]]
    centre, root = mu_l(theta, component), math.exp(0.5 * theta[TAU_L])
    previous, passed = 0.0, 0.0
    for level in range(len(cuts) + 1):
        reached, below = 1.0, 5.0
        if level < len(cuts):
            reached, below = 0.5 * math.erfc(-(cuts[level] - centre) * root * ROOT_HALF), cuts[level]
        out[level] = (1.0 - EPSILON) * (reached - previous) + EPSILON * (below - passed) / 5.0
        previous, passed = reached, below
    return len(cuts) + 1


@jit
def reliability_masses(wanted: int, learning: Learning, theta: F64, out: F64) -> int:
    """Fill ``out`` with the prior masses of a group's reliabilities, equation (1); returns their number."""
    mean, shape = math.exp(theta[RELIABILITY]), math.exp(theta[SHAPE])
    if wanted == TAS:
        mean, shape = math.exp(theta[RELIABILITY_TA]), TA_SHAPE
    _gamma_masses(learning.reliability_points, learning.log_reliability_points, mean, shape, out)
    return len(learning.reliability_points)


@jit
def bias_masses(wanted: int, learning: Learning, theta: F64, out: F64) -> None:
    """Fill ``out`` with the prior masses of a group's biases, equation (1)."""
    mean, sd = bias_prior(wanted, learning.has_staff, learning.bias_spread, theta)
    normal_masses(learning.bias_edges, mean, sd, out)
