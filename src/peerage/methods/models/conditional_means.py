"""PG1's conditional means, each put in turn where the others want it, as Burrell and Schoenebeck (2021) do.

- x_u = (√γ μ + Σ √τ_v (g_uv − b_v)) / (√γ + Σ √τ_v): with roots, unlike PG1's own, which has precisions;
- b_v = τ_v Σ(g_uv − x_u) / (1 + n_v τ_v), unless biases are left out;
- τ_v = (10/1.05 + n_v/2) / (10 + ½ Σ(g_uv − x_u − b_v)²).

The scale is 0 to 10. It goes on until the grades, as a vector, move by at most 1e-4, for at most 1,000 rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.methods.item_reports import Floats, Indexes, sums

SHAPE, RATE = 10 / 1.05, 10.0
"""The prior of reliabilities; its mean is that of an average grader in the authors' simulations."""

TOLERANCE, MOST_ROUNDS = 1e-4, 1000


class Triples(NamedTuple):
    """Who gave which item what: (reports,) each, and how many graders and items there are."""

    grader: Indexes
    item: Indexes
    value: Floats
    n_graders: int
    n_items: int


class Means(NamedTuple):
    """(items,) grades, (graders,) biases and reliabilities, how many rounds were made, and whether they ended."""

    grade: Floats
    bias: Floats
    reliability: Floats
    rounds: int
    converged: bool


def conditional_means(
    reports: Triples,
    centre: float,
    grade_precision: float,
    *,
    with_bias: bool = True,
    tolerance: float = TOLERANCE,
    most: int = MOST_ROUNDS,
) -> Means:
    """Grades, biases and reliabilities that agree with each other; true grades are around ``centre``."""
    grader, item, value, n_graders, n_items = reports
    count, prior = sums(grader, n_graders), grade_precision**0.5
    bias, reliability = np.zeros(n_graders), np.full(n_graders, SHAPE / RATE)
    grade, moved, rounds = np.full(n_items, centre), np.inf, 0
    while moved > tolerance and rounds < most:
        before, weight = grade, np.sqrt(reliability)[grader]
        total = prior * centre + sums(item, n_items, weight * (value - bias[grader]))
        grade = total / (prior + sums(item, n_items, weight))
        error = value - grade[item]
        if with_bias:
            bias = reliability * sums(grader, n_graders, error) / (1 + count * reliability)
        squares = sums(grader, n_graders, (error - bias[grader]) ** 2)
        reliability = (SHAPE + count / 2) / (RATE + squares / 2)
        moved, rounds = float(np.linalg.norm(grade - before)), rounds + 1
    return Means(grade, bias, reliability, rounds, moved <= tolerance)
