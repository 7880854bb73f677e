"""Copeland's method: a point for each work over which a majority of graders ranks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.mallows import reliably_ranked
from peerage.methods.ordinal.pairs import Ordinal, Pairs

_EVEN = 1e-9
"""A lead, in graders, that is none but for rounding."""


@dataclass(frozen=True)
class Copeland(Ordinal):
    """Score = the number of works that more graders rank below than above, and α for each with as many: α = ½.

    Only works that somebody ranks both of are compared. With ``reliability`` a grader counts η_v times in a majority,
    where η_v is the reliability of Raman and Joachims (2014) in Mallows' model
    (:mod:`peerage.methods.ordinal.mallows`), which they use with other ways to rank.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Copeland(name="copeland").aggregate(book).converged
    True
    """

    alpha: float = 0.5
    reliability: bool = False

    citation: ClassVar[str] = (
        "Copeland (1951), A reasonable social welfare function; "
        "reliabilities of Raman and Joachims (2014), Methods for ordinal peer grading"
    )

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""
        points = partial(copeland_scores, alpha=self.alpha)
        return reliably_ranked(pairs, points) if self.reliability else Solution(points(pairs))


def copeland_scores(pairs: Pairs, alpha: float) -> Floats:
    """(items,) won majorities, and ``alpha`` for each tie."""
    low, high = np.minimum(pairs.winner, pairs.loser), np.maximum(pairs.winner, pairs.loser)
    both, place = np.unique(low * pairs.n_items + high, return_inverse=True)
    lead = sums(place.ravel(), len(both), np.where(pairs.winner == low, 1.0, -1.0) * pairs.weight)
    one, other = both // pairs.n_items, both % pairs.n_items
    even = np.where(np.abs(lead) <= _EVEN, alpha, 0.0)
    won, lost = np.where(lead > _EVEN, 1.0, even), np.where(lead < -_EVEN, 1.0, even)
    return sums(one, pairs.n_items, won) + sums(other, pairs.n_items, lost)
