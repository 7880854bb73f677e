"""Hamer, Ma and Kwong (2005): graders far from the consensus count less, and those near it a little more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports, ratio
from peerage.methods.method_contract import Solution, Solver


@dataclass(frozen=True)
class Hamer(Solver):
    """Weighted means and distances from them, in turn.

    - x_u = Σ w_v g_uv / Σ w_v, at first with equal weights;
    - d_v = the mean of (g_uv − x_u)² over what v graded, 0.01 instead of 0;
    - r_v = d̄ / d_v, d̄ the mean of d;
    - w_v = r_v if r_v ≤ 2, else 2 + log₁₀(r_v − 1): nobody counts much more than twice.

    Until no weight changes by more than 1e-4. The authors' order of steps does not always converge.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Hamer(name="hamer").aggregate(book).converged
    True
    """

    tolerance: float = 1e-4
    most: int = 10_000

    citation: ClassVar[str] = "Hamer, Ma and Kwong (2005), A method of automatic grade calibration in peer assessment"
    scale: ClassVar[tuple[float, float]] = (0.0, 100.0)
    cap: ClassVar[float] = 2.0

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        weight = np.ones(reports.n_graders)
        active = reports.per_grader > 0
        steps, moved = 0, np.inf
        while moved > self.tolerance and steps < self.most:
            value = reports.mean(weight[reports.grader])
            distance = ratio(reports.by_grader((reports.value - value[reports.item]) ** 2), reports.per_grader)
            distance = np.where(distance == 0, 0.01, distance)
            relative = np.mean(distance[active]) / np.where(active, distance, 1.0)
            above = self.cap + np.log10(np.maximum(relative - 1, 1e-12))
            before, weight = weight, np.where(relative <= self.cap, relative, above)
            moved, steps = float(np.abs(weight - before)[active].max()), steps + 1
        done = moved <= self.tolerance
        value = reports.mean(weight[reports.grader])
        return Solution(value, weight=np.where(active, weight, np.nan), converged=done, iterations=steps)
