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


_LEAST = -600.0
"""The log odds of a choice beside the likeliest are no less, so that all odds are numbers above 0."""


class Choices(NamedTuple):
    """Bundles one after the other, each from best to worst.

    ``top`` and ``bottom`` are the first and last place of those tied with a place. Each of ``bundles`` has the places
    (bundles, size) of all bundles of a size.
    """

    item: Indexes
    judge: Indexes
    top: Indexes
    bottom: Indexes
    bundles: tuple[Indexes, ...]

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
        same = tuple(start[size == one, None] + np.arange(one) for one in np.unique(size))
        return cls(reports.item[order], reports.grader[order], top, bottom, same)

    @classmethod
    def of_pairs(cls, pairs: Pairs) -> Choices:
        """Each win is a bundle of two."""
        place = np.arange(2 * len(pairs.judge))
        item = np.stack([pairs.winner, pairs.loser], axis=1).ravel()
        return cls(item, np.repeat(pairs.judge, 2), place, place, (place.reshape(-1, 2),))

    def likelihood(self, strength: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
        """The log likelihood, and its gradients in strengths and reliabilities."""
        seen = weight[self.judge] * strength[self.item]
        for places in self.bundles:
            seen[places] -= seen[places].max(axis=1, keepdims=True)
        seen = np.maximum(seen, _LEAST)
        odds, rest, chosen = np.exp(seen), np.empty(len(seen)), np.empty(len(seen))
        # Sums over each bundle alone: those over all would lose a bundle whose odds are small beside another's.
        for places in self.bundles:
            rest[places] = np.cumsum(odds[places][:, ::-1], axis=1)[:, ::-1]
        rest = rest[self.top]
        for places in self.bundles:
            chosen[places] = np.cumsum(1 / rest[places], axis=1)
        slope = 1 - odds * chosen[self.bottom]
        in_strength = sums(self.item, len(strength), slope * weight[self.judge])
        return (
            float((seen - np.log(rest)).sum()),
            in_strength,
            sums(self.judge, len(weight), slope * strength[self.item]),
        )
