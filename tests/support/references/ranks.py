"""Ranks of the truth among draws, which are uniform if the sampler is right, and tests of that.

The truth and n draws are n + 1 independent draws of one distribution. If that were normal, the locally most powerful
tests of a shift and of a wrong spread would add up what is expected of a value, and of its square, given its rank. So
that is what is added up here, over replicates, and compared with the exact distribution of such sums of uniform ranks.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]

_STEPS = 2000
"""Scores are rounded to so many parts of their range, so that their sums have a distribution on a grid."""


def rank_of(draws: Floats, truth: float, rng: np.random.Generator) -> int:
    """How many draws are below the truth, ties broken at random."""
    return int(np.sum(draws < truth) + rng.integers(np.sum(draws == truth) + 1))


def smallest_p_value(ranks: Ranks, n_draws: int) -> float:
    """Of tests whether ranks (replicates, quantities) among draws are shifted, or spread too far or too little."""
    return min(_p_value(scores[ranks].sum(axis=0), tuple(scores), len(ranks)) for scores in _scores(n_draws))


@cache
def _scores(n_draws: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each rank, the expected value and the expected square of a normal one, on a grid from 0 to ``_STEPS``."""
    places = (np.arange(20_000) + 0.5) / 20_000
    order = np.arange(1, n_draws + 2)[:, None]
    weights = np.asarray(stats.beta.pdf(places, order, n_draws + 2 - order))
    weights /= weights.sum(axis=1, keepdims=True)
    values, squares = (weights @ ndtri(places) ** power for power in (1, 2))
    on_grid = [np.rint(_STEPS * (score - score.min()) / np.ptp(score)) for score in (values, squares)]
    return on_grid[0].astype(np.int64), on_grid[1].astype(np.int64)


def _p_value(totals: NDArray[np.int64], scores: tuple[int, ...], replicates: int) -> float:
    """The smallest two-sided p-value of sums of the scores of uniform ranks."""
    below, above = _tails(scores, replicates)
    return float(np.minimum(2 * np.minimum(below[totals], above[totals]), 1.0).min())


@cache
def _tails(scores: tuple[int, ...], replicates: int) -> tuple[Floats, Floats]:
    """The probabilities that a sum is at most, and at least, each number."""
    size = replicates * _STEPS + 1
    one = np.bincount(scores, minlength=_STEPS + 1) / len(scores)
    masses = np.maximum(np.fft.irfft(np.fft.rfft(one, size) ** replicates, size), 1e-30)
    return np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
