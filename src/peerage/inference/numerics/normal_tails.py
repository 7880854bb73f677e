"""The normal distribution within a bin: its mass, and draws from it, also far out in the tails.

Equations are those of docs/model.md. Most kernels here are purely numerical.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from peerage.inference.numerics.arrays import F64, I64
from peerage.inference.numerics.jit import jit

ROOT_HALF, _THIRD = 0.7071067811865476, 1.0 / 3.0
_REACH, _STEPS = 9.0, 64.0
_POINTS = np.arange(-_REACH, _REACH + 0.5 / _STEPS, 1.0 / _STEPS)
_BELOW, _DENSITY = ndtr(_POINTS), np.exp(-0.5 * _POINTS**2) / np.sqrt(2.0 * np.pi)
"""Within this reach the distribution function is expanded around points so many steps a unit apart."""

_END = 40.0
"""Where nothing is left that a number could hold."""

OUT_OF_REACH = 1e-10
"""Where a bin's mass is smaller, what lies beyond the reach would be missed in it."""

_SMALLEST = 1e-290
"""A bin with less mass is so far out that its distribution is exponential."""


@jit
def below(z: float) -> float:
    """The standard normal distribution function, to 1 part in 10⁷ out in the tail and 10¹¹ in the middle.

    A Taylor expansion of the fourth order around a tabulated point takes a third of the time of an error function.
    """
    if not z >= -_REACH:  # mostly −∞, the outer end of the lowest or the highest bin; or no number
        return 0.5 * math.erfc(-z * ROOT_HALF) if z > -_END else 0.0
    if z > _REACH:
        return 1.0
    return _expanded(z)


@jit
def _expanded(z: float) -> float:
    """The distribution function within reach. Places are unsigned: with a look at signs, loops would not be vectors."""
    place = np.uint64((z + _REACH) * _STEPS + 0.5)
    point = place / _STEPS - _REACH
    gap, square = z - point, point * point
    terms = gap * (square - 1.0 - 0.25 * gap * point * (square - 3.0)) * _THIRD
    return float(_BELOW[place] + _DENSITY[place] * gap * (1.0 + 0.5 * gap * (terms - point)))


@jit
def _within_reach(z: float) -> float:
    """The nearest value within reach, whatever is given, so that no place is outside the table."""
    return min(z if z > -_REACH else -_REACH, _REACH)


@jit
def _within_bin(low: float, high: float) -> tuple[float, float]:
    """What :func:`bin_mass` tells, without a branch; ends are cut at the reach."""
    mirrored = low + high > 0.0
    outer, inner = -high if mirrored else low, -low if mirrored else high
    beyond = _expanded(_within_reach(outer))
    return beyond, _expanded(_within_reach(inner)) - beyond


@jit
def bin_masses(low: F64, high: F64, slope: float, variance: float, inputs: F64, found: F64) -> None:
    """For many bins: mean and root of the precision, tail and mass, which go to the rows of ``found``: equation (D2).

    Rows of ``inputs`` are precision and weighted mean of what the bin is about, what is added to the mean once it is
    multiplied by the slope, and what divides the variance that adds to its own. Without a branch this is a loop over
    vectors, a sixth of the time. Ends are cut at the reach, so that masses below ``OUT_OF_REACH`` have to be found by
    :func:`bin_mass`.
    """
    precision, weighted, offset, own = inputs[0], inputs[1], inputs[2], inputs[3]
    means, roots, tails, masses = found[0], found[1], found[2], found[3]
    for row in range(np.uint64(len(low))):
        inverse = 1.0 / precision[row]
        mean = slope * weighted[row] * inverse + offset[row]
        root = 1.0 / math.sqrt(slope * slope * inverse + variance / own[row])
        means[row], roots[row] = mean, root
        tails[row], masses[row] = _within_bin((low[row] - mean) * root, (high[row] - mean) * root)


@jit
def known_masses(low: F64, high: F64, means: F64, roots: F64, masses: F64) -> None:
    """The masses of many bins, equation (D2), whose means and roots of the precision are known; without a branch."""
    for row in range(np.uint64(len(low))):
        mean, root = means[row], roots[row]
        masses[row] = _within_bin((low[row] - mean) * root, (high[row] - mean) * root)[1]


@jit
def add_masses(low: F64, high: F64, means: F64, roots: F64, kinds: I64, weights: F64, masses: F64) -> None:
    """Add to the masses of many bins those of others about the same means, times the weight of their kind.

    These are terms of equation (G1). A bin that a grade lacks has no mass, which takes no branch.
    """
    for row in range(np.uint64(len(low))):
        mean, root = means[row], roots[row]
        mass = _within_bin((low[row] - mean) * root, (high[row] - mean) * root)[1]
        masses[row] += weights[np.uint64(kinds[row])] * mass


@jit(makes_arrays=True)
def sums_below(kinds: I64, cuts: F64, weights: F64, means: F64, roots: F64, sums: F64) -> None:
    """For many normal distributions, the sum of the weights of their kind's cuts, each times the mass below the cut.

    The loop over distributions is the inner one, which takes vectors of them: there are more of them than cuts.
    """
    n_cuts, flat_cuts, flat_weights = np.uint64(cuts.shape[1]), cuts.ravel(), weights.ravel()
    sums[: len(kinds)] = 0.0
    for place in range(n_cuts):
        for row in range(np.uint64(len(kinds))):
            entry = np.uint64(kinds[row]) * n_cuts + place
            mass = _expanded(_within_reach((flat_cuts[entry] - means[row]) * roots[row]))
            sums[row] += flat_weights[entry] * mass


@jit
def interval_mass(low: float, high: float, mean: float, precision: float) -> float:
    """Probability of [low, high) under N(mean, 1/precision), equation (3), from the tail in which it is accurate."""
    root = math.sqrt(0.5 * precision)
    a, b = (low - mean) * root, (high - mean) * root
    if a > 0:
        return 0.5 * (math.erfc(a) - math.erfc(b))
    return 0.5 * (math.erfc(-b) - math.erfc(-a))


@jit
def bin_mass(low: float, high: float) -> tuple[float, float]:
    """Of a bin in standard deviations from the mean: the tail beyond it, on its own side of the mean, and its mass.

    On the far side of the mean both are small, and the tail is the one beyond the bin's outer end: nothing is lost by
    subtraction.
    """
    if low + high > 0.0:
        low, high = -high, -low
    beyond = below(low)
    return beyond, below(high) - beyond


@jit
def draw_in_bin(rng: np.random.Generator, low: float, high: float, beyond: float, mass: float) -> float:
    """A standard normal number within a bin, whose tail and mass are known."""
    mirrored = low + high > 0.0
    if mirrored:
        low, high = -high, -low
    if mass > _SMALLEST:
        value = quantile(beyond + mass * rng.random())
    else:  # below -36, where the density falls by a factor e within 1/36
        value = high + math.log(1.0 - rng.random() * -math.expm1(high * max(high - low, 0.0))) / -high
    value = min(max(value, low), high)
    return -value if mirrored else value


@jit
def quantile(p: float) -> float:
    """The standard normal quantile to 16 digits: algorithm AS 241 (Wichura 1988)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        top = 2509.0809287301226727 * r + 33430.575583588128105
        top = (top * r + 67265.770927008700853) * r + 45921.953931549871457
        top = (top * r + 13731.693765509461125) * r + 1971.5909503065514427
        top = (top * r + 133.14166789178437745) * r + 3.387132872796366608
        bottom = 5226.495278852545925 * r + 28729.085735721942674
        bottom = (bottom * r + 39307.89580009271061) * r + 21213.794301586595867
        bottom = (bottom * r + 5394.1960214247511077) * r + 687.1870074920579083
        bottom = (bottom * r + 42.313330701600911252) * r + 1.0
        return q * top / bottom
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    if r <= 5.0:
        r -= 1.6
        top = 7.7454501427834140764e-4 * r + 0.0227238449892691845833
        top = (top * r + 0.24178072517745061177) * r + 1.27045825245236838258
        top = (top * r + 3.64784832476320460504) * r + 5.7694972214606914055
        top = (top * r + 4.6303378461565452959) * r + 1.42343711074968357734
        bottom = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4
        bottom = (bottom * r + 0.0151986665636164571966) * r + 0.14810397642748007459
        bottom = (bottom * r + 0.68976733498510000455) * r + 1.6763848301838038494
        bottom = (bottom * r + 2.05319162663775882187) * r + 1.0
    else:
        r -= 5.0
        top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
        top = (top * r + 0.0012426609473880784386) * r + 0.026532189526576123093
        top = (top * r + 0.29656057182850489123) * r + 1.7848265399172913358
        top = (top * r + 5.4637849111641143699) * r + 6.6579046435011037772
        bottom = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7
        bottom = (bottom * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4
        bottom = (bottom * r + 0.0148753612908506148525) * r + 0.13692988092273580531
        bottom = (bottom * r + 0.59983220655588793769) * r + 1.0
    return -top / bottom if q < 0.0 else top / bottom
