"""Borda's count on bundles: a point for each work that a grader ranks below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.mallows import reliably_ranked
from peerage.methods.ordinal.pairs import Ordinal, Pairs


@dataclass(frozen=True)
class Borda(Ordinal):
    """Score = Σ (size of the bundle − rank in it): how many works it is ranked above, half for a tie.

    Works that more graders see have more points to win, as published: bundles are meant to be of one size. With
    ``reliability`` points count η_v times, where η_v is a grader's reliability in Mallows' model: MALBC+G of Raman and
    Joachims (:mod:`peerage.methods.ordinal.mallows`).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Borda(name="borda").aggregate(book).converged
    True
    """

    reliability: bool = False

    citation: ClassVar[str] = (
        "Caragiannis, Krimpas and Voudouris (2015), Aggregating partial rankings; "
        "Raman and Joachims (2014), Methods for ordinal peer grading"
    )

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""
        return reliably_ranked(pairs, borda_scores) if self.reliability else Solution(borda_scores(pairs))


def borda_scores(pairs: Pairs) -> Floats:
    """(items,) won pairs."""
    return sums(pairs.winner, pairs.n_items, pairs.weight)
