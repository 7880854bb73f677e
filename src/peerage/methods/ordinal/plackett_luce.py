"""Plackett and Luce: a ranking is a choice of the best, then of the best of the rest, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from peerage.methods.item_reports import Indexes, ItemReports, sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.pairs import Pairs, bundles
from peerage.methods.ordinal.strengths import Strengths


@dataclass(frozen=True)
class PlackettLuce(Strengths):
    """P(ranking) = ∏ over places of exp(η_v x_i) / Σ exp(η_v x_j), the sum over i and all that is ranked below.

    x ~ N(0, 9); η is 1, or graders' reliability ~ Gamma(10, 0.1). Of works with the same grade each is chosen from
    all of them and what is below, as Breslow does with ties in survival times.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PlackettLuce(name="plackett-luce").aggregate(book).converged
    True
    """

    citation: ClassVar[str] = "Plackett (1975); Raman and Joachims (2014), Methods for ordinal peer grading"

    def from_reports(self, reports: ItemReports) -> Solution:
        """Rank whole bundles at once."""
        return self.strongest(Choices.of_reports(reports).likelihood, reports.n_items, reports.n_graders)

    def rank(self, pairs: Pairs) -> Solution:
        """Rank bundles of two: each comparison is one."""
        return self.strongest(Choices.of_pairs(pairs).likelihood, pairs.n_items, pairs.n_judges)


class Choices(NamedTuple):
    """Bundles one after the other, each from best to worst.

    ``top`` and ``bottom`` are the first and last place of those tied with a place, ``end`` is where its bundle ends,
    and ``begin`` where it begins.
    """

    item: Indexes
    judge: Indexes
    top: Indexes
    bottom: Indexes
    begin: Indexes
    end: Indexes

    @classmethod
    def of_reports(cls, reports: ItemReports) -> Choices:
        """The bundles of a class."""
        order, start, size = bundles(reports)
        begin = np.repeat(start, size)
        value, place = reports.value[order], np.arange(len(order))
        fresh = (place == begin) | np.append(True, value[1:] != value[:-1])
        top = np.maximum.accumulate(np.where(fresh, place, 0))
        last = np.append(fresh[1:], True)
        bottom = np.minimum.accumulate(np.where(last, place, len(order))[::-1])[::-1]
        return cls(reports.item[order], reports.grader[order], top, bottom, begin, np.repeat(start + size, size))

    @classmethod
    def of_pairs(cls, pairs: Pairs) -> Choices:
        """Each win is a bundle of two."""
        place = np.arange(2 * len(pairs.judge))
        item = np.stack([pairs.winner, pairs.loser], axis=1).ravel()
        begin = place - place % 2
        return cls(item, np.repeat(pairs.judge, 2), place, place, begin, begin + 2)

    def likelihood(self, strength: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
        """The log likelihood, and its gradients in strengths and reliabilities."""
        seen = weight[self.judge] * strength[self.item]
        odds = np.exp(seen)
        below = np.append(np.cumsum(odds), 0.0)
        rest = below[self.end - 1] - np.where(self.top > 0, below[self.top - 1], 0.0)
        chances = np.append(np.cumsum(1 / rest), 0.0)
        chosen = chances[self.bottom] - np.where(self.begin > 0, chances[self.begin - 1], 0.0)
        slope = 1 - odds * chosen
        in_strength = sums(self.item, len(strength), slope * weight[self.judge])
        return (
            float((seen - np.log(rest)).sum()),
            in_strength,
            sums(self.judge, len(weight), slope * strength[self.item]),
        )
