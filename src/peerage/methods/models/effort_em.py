"""Burrell and Schoenebeck (2021): PG1's conditional means, one after the other, until they stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.contract import Floats, Solution, Solver
from peerage.methods.reports import Reports

MEAN_RELIABILITY = 1 / 1.05
"""Of an average grader in the authors' simulations, and the mean of the prior."""


@dataclass(frozen=True)
class EffortEM(Solver):
    """Means of PG1's conditional distributions in turn, from reliabilities of 1/1.05 and no biases.

    - x_u = (√γ μ + Σ √τ_v (g_uv − b_v)) / (√γ + Σ √τ_v): with roots, unlike PG1's own, which has precisions;
    - b_v = τ_v Σ(g_uv − x_u) / (1 + n_v τ_v), unless biases are left out;
    - τ_v = (10/1.05 + n_v/2) / (10 + ½ Σ(g_uv − x_u − b_v)²).

    Until the grades, as a vector, move by at most 1e-4; at most 1,000 rounds. The scale is 0 to 10, and γ = 1/2.1 is
    the precision of the authors' true grades. Their mean, 7, was known to them; here μ is the class's mean unless it
    is given.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> EffortEM(name="effort-em").aggregate(book).converged
    True
    """

    bias: bool = True
    mean: float | None = None
    tolerance: float = 1e-4
    most: int = 1000

    citation: ClassVar[str] = "Burrell and Schoenebeck (2021), Measurement integrity in peer prediction"
    scale: ClassVar[tuple[float, float]] = (0.0, 10.0)
    grade_precision: ClassVar[float] = 1 / 2.1
    shape: ClassVar[float] = 10 * MEAN_RELIABILITY
    rate: ClassVar[float] = 10.0

    def solve(self, reports: Reports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        bias = np.zeros(reports.n_graders)
        reliability = np.full(reports.n_graders, MEAN_RELIABILITY)
        value = np.full(reports.n_items, centre)
        steps, moved = 0, np.inf
        while moved > self.tolerance and steps < self.most:
            before, value = value, self._grades(reports, centre, bias, reliability)
            error = reports.by_grader(reports.value - value[reports.item])
            if self.bias:
                bias = reliability * error / (1 + reports.per_grader * reliability)
            squares = reports.by_grader((reports.value - value[reports.item] - bias[reports.grader]) ** 2)
            reliability = (self.shape + reports.per_grader / 2) / (self.rate + squares / 2)
            moved, steps = float(np.linalg.norm(value - before)), steps + 1
        value = np.where(reports.per_item > 0, value, np.nan)
        done, shown = moved <= self.tolerance, bias if self.bias else None
        return Solution(value, weight=np.sqrt(reliability), bias=shown, converged=done, iterations=steps)

    def _grades(self, reports: Reports, centre: float, bias: Floats, reliability: Floats) -> Floats:
        weight, prior = np.sqrt(reliability)[reports.grader], self.grade_precision**0.5
        total = prior * centre + reports.by_item(weight * (reports.value - bias[reports.grader]))
        return np.asarray(total / (prior + reports.by_item(weight)))
