"""Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

The largest weights are replaced by the quantiles of a generalised Pareto distribution fitted to them (Zhang and
Stephens 2009). Its shape k tells how far the weights can be trusted.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from peerage.inference.jit import jit

Floats = NDArray[np.float64]

_LEAST_TAIL = 5
_PRIOR_DRAWS, _PRIOR_SHAPE = 10.0, 0.5
"""The weak prior of the shape: as many observations of this shape."""


@jit
def smooth(log_ratios: Floats) -> float:
    """Smooth log importance ratios in place and normalise them; returns the shape k of their tail.

    A tail that cannot be fitted is left alone: k is infinite where it has too few draws or a quarter of them tie with
    its lower end, -infinite where the largest ratios are all equal.
    """
    count = len(log_ratios)
    top = log_ratios.max()
    for i in range(count):
        log_ratios[i] -= top
    size = math.ceil(min(0.2 * count, 3.0 * math.sqrt(count)))
    shape = math.inf
    if size >= _LEAST_TAIL:
        order = np.argsort(log_ratios)
        cutoff = math.exp(log_ratios[order[count - size - 1]])
        tail = np.empty(size)
        for i in range(size):
            tail[i] = math.exp(log_ratios[order[count - size + i]]) - cutoff
        if tail[size - 1] <= 1e-14:
            shape = -math.inf
        elif tail[size // 4] > 0.0:
            shape, scale = _fit_pareto(tail)
            for i in range(size):
                probability = (i + 0.5) / size
                value = _pareto_quantile(probability, shape, scale) + cutoff
                log_ratios[order[count - size + i]] = min(math.log(value), 0.0)
    total = 0.0
    for i in range(count):
        total += math.exp(log_ratios[i])
    for i in range(count):
        log_ratios[i] -= math.log(total)
    return shape


@jit
def _pareto_quantile(probability: float, shape: float, scale: float) -> float:
    if abs(shape) < 1e-12:
        return -scale * math.log1p(-probability)
    return scale * math.expm1(-shape * math.log1p(-probability)) / shape


@jit
def _fit_pareto(ascending: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution: a posterior mean under a weak prior."""
    count = len(ascending)
    n_trials = 30 + int(math.sqrt(count))
    quartile = ascending[int(count / 4.0 + 0.5) - 1]
    trials, logs = np.empty(n_trials), np.empty(n_trials)
    for j in range(n_trials):
        trials[j] = (1.0 - math.sqrt(n_trials / (j + 0.5))) / (3.0 * quartile) + 1.0 / ascending[count - 1]
        shape = _mean_log1p(ascending, trials[j])
        logs[j] = count * (math.log(-trials[j] / shape) - shape - 1.0)
    theta = total = 0.0
    for j in range(n_trials):
        weight = 0.0
        for other in range(n_trials):
            weight += math.exp(logs[other] - logs[j])
        theta += trials[j] / weight
        total += 1.0 / weight
    theta /= total
    shape = _mean_log1p(ascending, theta)
    scale = -shape / theta
    shape = (count * shape + _PRIOR_DRAWS * _PRIOR_SHAPE) / (count + _PRIOR_DRAWS)
    return shape, scale


@jit
def _mean_log1p(values: Floats, theta: float) -> float:
    total = 0.0
    for value in values:
        total += math.log1p(-theta * value)
    return total / len(values)
