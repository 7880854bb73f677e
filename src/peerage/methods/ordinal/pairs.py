"""Who is ranked above whom: what ordinal methods see of a class.

A *bundle* is what one grader graded of one component in one assignment; graders rank what is in a bundle, and nothing
else. Each two items of a bundle are a pair: the better one wins, and of two with the same grade each wins half.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from peerage.gradebook.comparisons import Comparisons
from peerage.methods.item_reports import Indexes, ItemReports, sums
from peerage.methods.method_contract import Aggregate, Floats, Solution, Solver
from peerage.methods.method_needs import RANKINGS, Need


@dataclass(frozen=True, eq=False)
class Pairs:
    """Wins of one item over another.

    Attributes
    ----------
    judge, winner, loser: (wins,) indexes of the grader and of both items
    weight: (wins,) 1, or ½ for each side of a tie
    n_items, n_judges: how many there are, with those in no pair
    ranker, ranked: (bundles,) the grader of each bundle, and how many items are in it
    written_by, written: pairs of a grader and an item of which the grader is an author; none where that is unknown
    """

    judge: Indexes
    winner: Indexes
    loser: Indexes
    weight: Floats
    n_items: int
    n_judges: int
    ranker: Indexes
    ranked: Indexes
    written_by: Indexes = field(default_factory=lambda: np.zeros(0, np.int64))
    written: Indexes = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, reports: ItemReports) -> Pairs:
        """All pairs of all bundles."""
        order, start, size = bundles(reports)
        judge, one, other = (list[Indexes]() for _ in range(3))
        for count in np.unique(size[size > 1]):
            first = start[size == count]
            left, right = np.triu_indices(int(count), 1)
            one.append(order[first[:, None] + left].ravel())
            other.append(order[first[:, None] + right].ravel())
            judge.append(np.repeat(reports.grader[order[first]], len(left)))
        if not one:
            nobody = np.zeros(0, np.int64)
            return cls(nobody, nobody, nobody, np.zeros(0), reports.n_items, reports.n_graders, nobody, nobody)
        who, better, worse = (np.concatenate(parts) for parts in (judge, one, other))
        tied = reports.value[better] == reports.value[worse]
        weight = np.where(tied, 0.5, 1.0)
        return cls(
            np.concatenate([who, who[tied]]),
            reports.item[np.concatenate([better, worse[tied]])],
            reports.item[np.concatenate([worse, better[tied]])],
            np.concatenate([weight, weight[tied]]),
            reports.n_items,
            reports.n_graders,
            reports.grader[order[start]],
            size,
            reports.written_by,
            reports.written,
        )

    @classmethod
    def of_comparisons(cls, compared: Comparisons) -> Pairs:
        """Each comparison is a win, and a bundle of two."""
        ones, two = np.ones(len(compared.judge)), np.full(len(compared.judge), 2)
        count, judges = compared.n_submissions, len(compared.graders)
        return cls(compared.judge, compared.winner, compared.loser, ones, count, judges, compared.judge, two)

    @property
    def in_pairs(self) -> Floats:
        """(items,) how many pairs each item is in."""
        return sums(self.winner, self.n_items, self.weight) + sums(self.loser, self.n_items, self.weight)


def bundles(reports: ItemReports) -> tuple[Indexes, Indexes, Indexes]:
    """ItemReports in the order of their bundles, best first, and where each bundle begins and how many it has."""
    assignment, component = reports.assignment[reports.item], reports.component[reports.item]
    order = np.lexsort((-reports.value, component, assignment, reports.grader))
    keys = np.stack([reports.grader, assignment, component])[:, order]
    begins = np.ones(len(order), bool)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    start = np.flatnonzero(begins)
    return order.astype(np.int64), start, np.diff(np.append(start, len(order)))


@dataclass(frozen=True)
class Ordinal(Solver):
    """A method that ranks, from pairs alone; it takes a table of comparisons as well as a gradebook."""

    needs: ClassVar[tuple[Need, ...]] = (RANKINGS,)
    is_ranking: ClassVar[bool] = True

    @abstractmethod
    def rank(self, pairs: Pairs) -> Solution:
        """The method itself: a score for each item, the larger the better."""

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """Rank the pairs of the class; an item in no pair has no score."""
        return self.from_reports(reports)

    def from_reports(self, reports: ItemReports) -> Solution:
        """Rank what graders' bundles say; who is alone in all of them is in the middle."""
        pairs = Pairs.of(reports)
        found = self.rank(pairs)
        known = pairs.in_pairs > 0
        middle = float(found.value[known].mean()) if known.any() else 0.0
        return replace(found, value=np.where(known, found.value, middle))

    def compare(self, compared: Comparisons) -> Aggregate:
        """Rank what was compared."""
        found = self.rank(Pairs.of_comparisons(compared))
        unknown = np.full(len(compared.graders), np.nan)
        return Aggregate(
            book=compared,
            method=self.name,
            is_ranking=True,
            scores=found.value[:, None],
            sd=np.full((compared.n_submissions, 1), np.nan) if found.sd is None else found.sd[:, None],
            weight=unknown if found.weight is None else found.weight,
            bias=unknown,
            converged=found.converged,
            iterations=found.iterations,
            seconds=0.0,
        )
