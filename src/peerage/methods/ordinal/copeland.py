"""Copeland's method: a point for each work over which a majority of graders ranks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.pairs import Ordinal, Pairs


@dataclass(frozen=True)
class Copeland(Ordinal):
    """Score = the number of works that more graders rank below than above, and α for each with as many: α = ½.

    Only works that somebody ranks both of are compared.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Copeland(name="copeland").aggregate(book).converged
    True
    """

    alpha: float = 0.5

    citation: ClassVar[str] = "Copeland (1951), A reasonable social welfare function"

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""
        return Solution(copeland_scores(pairs, self.alpha))


def copeland_scores(pairs: Pairs, alpha: float) -> Floats:
    """(items,) won majorities, and ``alpha`` for each tie."""
    low, high = np.minimum(pairs.winner, pairs.loser), np.maximum(pairs.winner, pairs.loser)
    both, place = np.unique(low * pairs.n_items + high, return_inverse=True)
    lead = sums(place.ravel(), len(both), np.where(pairs.winner == low, 1.0, -1.0) * pairs.weight)
    one, other = both // pairs.n_items, both % pairs.n_items
    won = np.where(lead > 0, 1.0, np.where(lead == 0, alpha, 0.0))
    lost = np.where(lead < 0, 1.0, np.where(lead == 0, alpha, 0.0))
    return sums(one, pairs.n_items, won) + sums(other, pairs.n_items, lost)
