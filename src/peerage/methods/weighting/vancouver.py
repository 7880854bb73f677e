"""Vancouver (de Alfaro and Shavlovsky 2014): items and graders send each other what they know of their variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import Indexes, ItemReports, ratio
from peerage.methods.method_contract import Floats, Solution, Solver

FLOOR = 1e-4
"""What is added to each variance, so that no weight is infinite."""


@dataclass(frozen=True)
class Vancouver(Solver):
    """Messages along the edges between graders and items, for 20 rounds; at first each grader's variance is 1.

    - An item tells a grader the weighted mean x of what the *other* graders report, with weights w = 1/(ε + variance),
      and its variance s² = Σ variance·w² / (Σw)².
    - A grader tells an item the grader's variance on the *other* items: the mean of (g − x)², weighted by 1/(ε + s²).

    One with a single edge has no other, and uses its own. With ``all_data`` nothing is left out, which is what the
    authors' program does; then all weight may fall to one grader per item, whose variance is 0 because the grade is
    that grader's own.

    The scale is CrowdGrader's, 0 to 10. It stops after the published 20 rounds; ``converged`` says whether the last one
    still moved a grade by more than 0.01 of it.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Vancouver(name="vancouver").aggregate(book).iterations
    20
    """

    all_data: bool = False
    rounds: int = 20

    citation: ClassVar[str] = "de Alfaro and Shavlovsky (2014), CrowdGrader: a tool for crowdsourcing the evaluation"
    scale: ClassVar[tuple[float, float]] = (0.0, 10.0)
    still: ClassVar[float] = 0.01

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        variance = np.ones(len(reports.item))
        value = reports.mean()
        for _ in range(self.rounds):
            weight = 1 / (FLOOR + variance)
            total, said, squares = (
                self._others(amount, reports.item, reports.per_item)
                for amount in (weight, weight * reports.value, variance * weight**2)
            )
            trust = 1 / (FLOOR + squares / total**2)
            error = (reports.value - said / total) ** 2
            above, below = (
                self._others(amount, reports.grader, reports.per_grader) for amount in (trust * error, trust)
            )
            variance = np.maximum(above / below, 0)
            before, value = value, reports.mean(1 / (FLOOR + variance))
        moved = float(np.nanmax(np.abs(value - before)))
        weight = 1 / (FLOOR + variance)
        spread = ratio(reports.by_item(variance * weight**2), reports.by_item(weight) ** 2)
        counts = ratio(reports.by_grader(weight), reports.per_grader)
        return Solution(value, np.sqrt(spread), counts, converged=moved <= self.still, iterations=self.rounds)

    def _others(self, amount: Floats, owner: Indexes, count: Floats) -> Floats:
        """(reports,) sums of the amounts of the same owner's other reports, or of all."""
        total = np.bincount(owner, amount, minlength=len(count))[owner]
        if self.all_data:
            return np.asarray(total)
        return np.where(count[owner] > 1, np.maximum(total - amount, np.finfo(float).tiny), amount)
