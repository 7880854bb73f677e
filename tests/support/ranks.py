"""Ranks of the truth among draws, which are uniform if the sampler is right, and tests of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

Floats = NDArray[np.float64]


def normal_score(draws: Floats, truth: float, rng: np.random.Generator) -> float:
    """The normal score of the truth's rank, ties broken at random."""
    below, equal = np.sum(draws < truth), np.sum(draws == truth)
    return float(ndtri((below + rng.random() * (equal + 1)) / (len(draws) + 1)))


def smallest_p_value(scores: Floats) -> float:
    """Of tests that each quantity's scores have mean 0 and variance 1."""
    count = len(scores)
    shift = 2 * stats.norm.sf(np.abs(scores.mean(axis=0)) * np.sqrt(count))
    squares = (scores**2).sum(axis=0)
    spread = 2 * np.minimum(stats.chi2.sf(squares, count), stats.chi2.cdf(squares, count))
    return float(min(shift.min(), spread.min()))
