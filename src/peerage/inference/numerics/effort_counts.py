"""How many reviews were made with effort, and what that says of a grader's effort: equation (13) of docs/model.md."""

from __future__ import annotations

import numpy as np

from peerage.inference.numerics.arrays import F64, I64, Flags
from peerage.inference.numerics.jit import jit


@jit
def count_effortful(grader: int | np.int64, grader_reviews: I64, effortful: Flags) -> int:
    """How many of a grader's reviews are effortful."""
    count = 0
    for review in range(grader_reviews[grader], grader_reviews[grader + 1]):
        count += effortful[review]
    return count


@jit
def expected_effort(effortful: int, count: int, prior: tuple[float, float]) -> float:
    """The probability of one more effort after ``effortful`` of ``count`` reviews: the mean of equation (13)."""
    return float((prior[0] + effortful) / (prior[0] + prior[1] + count))


@jit
def draw_beta_effort(
    grader: int, rng: np.random.Generator, grader_reviews: I64, effortful: Flags, prior: F64, effort: F64
) -> None:
    """Draw a grader's effort probability given the efforts, equation (13)."""
    count = grader_reviews[grader + 1] - grader_reviews[grader]
    made = count_effortful(grader, grader_reviews, effortful)
    effort[grader] = rng.beta(prior[0] + made, prior[1] + count - made)
