"""Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

The largest weights are replaced by the quantiles of a generalised Pareto distribution fitted to them (Zhang and
Stephens 2009). Its shape k tells how far the weights can be trusted.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.jit import jit

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]

_LEAST_TAIL = 5
_TIE = 1e-12
"""Log ratios that are closer than this are equal but for rounding."""
_NOTHING = -700.0
"""The logarithm of a ratio to the largest below which a ratio is as good as zero."""
_SMALL, _LARGE = 1e-140, 1e140
_FEWEST_TRIALS = 30
_PRIOR_DRAWS, _PRIOR_SHAPE = 10.0, 0.5
"""The weak prior of the shape: as many observations of this shape."""


def smooth(log_ratios: Floats) -> float:
    """Smooth log importance ratios in place and normalise them; returns the shape k of their tail."""
    return float(smooth_rows(log_ratios[None])[0])


def smooth_rows(log_ratios: Floats) -> Floats:
    """Do so with each row; returns the shape of each row's tail.

    The tail is what lies above its cutoff: draws that tie with that are not part of it. If it is too short to be
    fitted it is left alone, and k is infinite; it is -infinite where the largest ratios are all equal.
    """
    shapes = np.empty(len(log_ratios))
    _smooth(log_ratios, np.argsort(log_ratios, axis=1), shapes)
    return shapes


@jit(makes_arrays=True)
def _smooth(log_ratios: Floats, ascending: Indexes, shapes: Floats) -> None:
    """Smooth each row, whose places are given in ascending order, and fill in the shapes."""
    count = log_ratios.shape[1]
    start = count - math.ceil(min(0.2 * count, 3.0 * math.sqrt(count)))
    tail, trials, logs = np.empty(count), np.empty(count + _FEWEST_TRIALS), np.empty(count + _FEWEST_TRIALS)
    for row in range(len(log_ratios)):
        ratios, order, first = log_ratios[row], ascending[row], start
        top = ratios[order[count - 1]]
        for i in range(count):
            ratios[i] -= top
        log_cutoff = max(ratios[order[max(first - 1, 0)]], _NOTHING)
        while first < count and ratios[order[first]] - log_cutoff < _TIE:
            first += 1
        size = count - first
        shapes[row] = -math.inf if size == 0 else math.inf
        if size >= _LEAST_TAIL:
            cutoff = math.exp(log_cutoff)
            for i in range(size):
                tail[i] = math.exp(ratios[order[first + i]]) - cutoff
            shape, scale = _fit_pareto(tail[:size], trials, logs)
            for i in range(size):
                value = _pareto_quantile((i + 0.5) / size, shape, scale) + cutoff
                ratios[order[first + i]] = min(math.log(value), 0.0)
            shapes[row] = shape
        total = 0.0
        for i in range(count):
            total += math.exp(ratios[i])
        for i in range(count):
            ratios[i] -= math.log(total)


@jit
def _pareto_quantile(probability: float, shape: float, scale: float) -> float:
    """A quantile of the generalised Pareto distribution, whose limit for a shape of 0 is exponential."""
    if abs(shape) < 1e-12:
        return -scale * math.log1p(-probability)
    return scale * math.expm1(-shape * math.log1p(-probability)) / shape


@jit
def _fit_pareto(ascending: Floats, trials: Floats, logs: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution: a posterior mean under a weak prior.

    ``trials`` and ``logs`` are room to work in.
    """
    count = len(ascending)
    n_trials = _FEWEST_TRIALS + math.floor(math.sqrt(count))
    quartile = ascending[math.floor(count / 4.0 + 0.5) - 1]
    mean, top = 0.0, -math.inf
    for value in ascending:
        mean += value / count
    for j in range(n_trials):
        trials[j] = (1.0 - math.sqrt(n_trials / (j + 0.5))) / (3.0 * quartile) + 1.0 / ascending[count - 1]
        shape = _mean_log1p(ascending, trials[j])
        # A trial of 0, as where all values of some tails tie, is the exponential distribution.
        rate = -trials[j] / shape if shape != 0.0 else 1.0 / mean
        logs[j] = count * (math.log(rate) - shape - 1.0)
        top = max(top, logs[j])
    theta, total = 0.0, 0.0
    for j in range(n_trials):
        weight = math.exp(logs[j] - top)
        theta += weight * trials[j]
        total += weight
    theta /= total
    shape = _mean_log1p(ascending, theta)
    scale = -shape / theta
    shape = (count * shape + _PRIOR_DRAWS * _PRIOR_SHAPE) / (count + _PRIOR_DRAWS)
    return shape, scale


@jit
def _mean_log1p(values: Floats, theta: float) -> float:
    """The mean of log(1 − θ·value). A logarithm takes longer than many products, so it is taken of these."""
    total, product = 0.0, 1.0
    for value in values:
        factor = 1.0 - theta * value
        if _SMALL < factor < _LARGE:
            product *= factor
            if not _SMALL < product < _LARGE:
                total += math.log(product)
                product = 1.0
        else:
            total += math.log1p(-theta * value)
    return (total + math.log(product)) / len(values)
