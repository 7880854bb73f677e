"""Burrell and Schoenebeck (2021): PG1's conditional means, one after the other, until they stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Solution, Solver
from peerage.methods.models.conditional_means import MOST_ROUNDS, TOLERANCE, Triples, conditional_means


@dataclass(frozen=True)
class EffortEM(Solver):
    """Means of PG1's conditional distributions in turn (:mod:`~peerage.methods.models.conditional_means`).

    γ = 1/2.1 is the precision of the authors' true grades. Their mean, 7, was known to them; here μ is the class's mean
    unless it is given.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> EffortEM(name="effort-em").aggregate(book).converged
    True
    """

    bias: bool = True
    mean: float | None = None
    tolerance: float = TOLERANCE
    most: int = MOST_ROUNDS

    citation: ClassVar[str] = "Burrell and Schoenebeck (2021), Measurement integrity in peer prediction"
    scale: ClassVar[tuple[float, float]] = (0.0, 10.0)
    grade_precision: ClassVar[float] = 1 / 2.1

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        triples = Triples(reports.grader, reports.item, reports.value, reports.n_graders, reports.n_items)
        found = conditional_means(
            triples,
            centre,
            self.grade_precision,
            with_bias=self.bias,
            tolerance=self.tolerance,
            most=self.most,
        )
        return Solution(
            np.where(reports.per_item > 0, found.grade, np.nan),
            weight=np.sqrt(found.reliability),
            bias=found.bias if self.bias else None,
            converged=found.converged,
            iterations=found.rounds,
        )
