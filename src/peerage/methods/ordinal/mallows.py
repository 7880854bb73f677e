"""What Borda's and Copeland's methods with grader reliability share: how sure graders are in Mallows' model.

A grader v ranks a bundle of n works as σ_v with P(σ_v) = exp(−η_v d(σ_v, σ)) / Z_n(η_v), where σ is the order of all
works, d is Kendall's distance, the number of pairs in another order, and Z_n(η) = ∏ᵢ (1 − exp(−iη)) / (1 − exp(−η))
over i = 1 … n. As in Raman and Joachims (2014), η_v ~ Gamma(10, 0.1), whose mean is 1, and the order and the
reliabilities are found in turn, each given the other. The likeliest order given reliabilities cannot be computed for
many works: a method of points, in which a grader's rankings count η_v times, stands for it. What it gives is taken
unless the order before was likelier, so that the two arrive somewhere. A tie, of the grader's or of the order's, counts
as half a pair in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.pairs import Pairs
from peerage.methods.ordinal.strengths import BOUNDS, RATE, ROUNDS, SHAPE, TOLERANCE

_HALVINGS = 50


def reliably_ranked(pairs: Pairs, points: Callable[[Pairs], Floats]) -> Solution:
    """The points of each item and the reliability of each judge, in turn until neither moves."""
    weight, value, distance = np.ones(pairs.n_judges), np.zeros(pairs.n_items), np.full(pairs.n_judges, np.inf)
    steps, moved = 0, np.inf
    while moved > TOLERANCE and steps < ROUNDS:
        following = points(replace(pairs, weight=pairs.weight * weight[pairs.judge]))
        further = distances(pairs, following)
        steps, before = steps + 1, weight
        if weight @ further <= weight @ distance:
            value, distance, weight = following, further, reliabilities(pairs, further)
        moved = float(np.abs(weight - before).max())
    return Solution(value, weight=weight, converged=moved <= TOLERANCE, iterations=steps)


def distances(pairs: Pairs, value: Floats) -> Floats:
    """(judges,) Kendall's distance of each judge's rankings from the order of a value."""
    gap = value[pairs.loser] - value[pairs.winner]
    return sums(pairs.judge, pairs.n_judges, pairs.weight * (1 + np.sign(gap)) / 2)


def reliabilities(pairs: Pairs, distance: Floats) -> Floats:
    """(judges,) the likeliest reliability of each judge, given the distance of all its rankings from the order.

    The log density is concave: its slope, Σ E_n(η) − d + 9/η − 10, where E_n is the distance to expect in a bundle of
    n, falls, and where it is 0 is found by bisection.
    """
    sizes, place = np.unique(pairs.ranked, return_inverse=True)
    counts = np.zeros((pairs.n_judges, len(sizes)))
    np.add.at(counts, (pairs.ranker, place.ravel()), 1)
    low, high = (np.full(pairs.n_judges, end) for end in BOUNDS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        expected = np.zeros(pairs.n_judges)
        for size, count in zip(sizes, counts.T, strict=True):
            expected += count * expected_distance(int(size), middle)
        rising = expected - distance + (SHAPE - 1) / middle > RATE
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray((low + high) / 2)


def expected_distance(size: int, reliability: Floats) -> Floats:
    """Kendall's distance to expect in a bundle: n / (exp(η) − 1) − Σᵢ i / (exp(iη) − 1)."""
    place = np.arange(1, size + 1)
    return np.asarray(size / np.expm1(reliability) - (place / np.expm1(np.outer(reliability, place))).sum(axis=1))
