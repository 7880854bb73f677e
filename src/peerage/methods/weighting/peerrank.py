"""PeerRank (Walsh 2014): graders count by their own grades, as pages do by links in PageRank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports, ratio, sums
from peerage.methods.method_contract import Floats, Solution, Solver
from peerage.methods.method_needs import AUTHORS, STAFF, Need


@dataclass(frozen=True)
class PeerRank(Solver):
    """Grades in [0, 1] that agree with one another.

    For everyone at once, they solve

        X_u = (1 − α − β) X_u + α Σ_v X_v A_uv / Σ_v X_v + (β/m) Σ_j (1 − |A_ju − X_j|),

    from X = the mean of reports; A_uv is v's report of u's work, and sums are over v who graded it and over the m
    works j that u graded. With β = 0 the rule is the plain one; the last term rewards graders who agree with the
    result. α = 0.1, and β = 0.1 in the generalised form.

    Who wrote several items has their mean as X_v; who wrote none (staff, say) counts as the class does on average, and
    so does the reward of an item by nobody who graded.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PeerRank(name="peerrank").aggregate(book).converged
    True
    """

    alpha: float = 0.1
    beta: float = 0.0
    tolerance: float = 1e-10
    most: int = 10_000

    citation: ClassVar[str] = "Walsh (2014), The PeerRank method for peer assessment"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS,)
    scale: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        return self.with_known(reports, np.full(reports.n_items, np.nan))

    def with_known(self, reports: ItemReports, known: Floats) -> Solution:
        """The method, with some items' grades given; NaN for the others."""
        start = reports.mean()
        value = np.where(np.isnan(known), start, known)
        steps, moved = 0, np.inf
        while moved > self.tolerance and steps < self.most:
            weight = self._weights(reports, value)
            said = reports.mean(weight[reports.grader])
            said = np.where(np.isnan(said), start, said)
            found = (1 - self.alpha - self.beta) * value + self.alpha * said + self.beta * self._reward(reports, value)
            before, value = value, np.where(np.isnan(known), found, known)
            moved, steps = float(np.nanmax(np.abs(value - before), initial=0)), steps + 1
        return Solution(value, weight=weight, converged=moved <= self.tolerance, iterations=steps)

    @staticmethod
    def _weights(reports: ItemReports, value: Floats) -> Floats:
        """(graders,) their own grades."""
        own = np.maximum(reports.own(np.where(np.isnan(value), np.nanmean(value), value)), 0)
        return np.where(np.isnan(own), np.nanmean(own), own)

    def _reward(self, reports: ItemReports, value: Floats) -> Floats:
        """(items,) how well their authors' reports agree with the result."""
        if self.beta == 0:
            return np.zeros(reports.n_items)
        agreement = 1 - np.abs(reports.value - value[reports.item])
        reward = ratio(reports.by_grader(agreement), reports.per_grader)[reports.written_by]
        graded = ~np.isnan(reward)
        owner, count = reports.written[graded], reports.n_items
        mean = ratio(sums(owner, count, reward[graded]), sums(owner, count))
        return np.where(np.isnan(mean), np.nanmean(reward) if graded.any() else 0.0, mean)


@dataclass(frozen=True)
class RankWithTA(PeerRank):
    """PeerRank in which the works that staff graded have staff's grade, and their authors count by it (Fang 2017).

    Staff's reports say nothing of other works, so that they leave the rest to PeerRank.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> RankWithTA(name="rank-with-ta").aggregate(book).converged
    True
    """

    citation: ClassVar[str] = "Fang, Wang and Jin (2017), RankwithTA: a robust and accurate peer grading mechanism"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS, STAFF)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        by_staff = reports.is_staff[reports.grader]
        peers = reports.only(~by_staff)
        return self.with_known(peers, reports.mean(by_staff.astype(float)))
