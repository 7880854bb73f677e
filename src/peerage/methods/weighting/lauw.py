"""Lauw, Lim and Wang (2007): a generous grader's reports are taken down, a severe one's up, in proportion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports, ratio
from peerage.methods.method_contract import Solution, Solver
from peerage.methods.method_needs import RATIO_SCALE, Need
from peerage.rubric import Component


@dataclass(frozen=True)
class Lauw(Solver):
    """Leniency and quality, in turn.

    - x_u = mean of g_uv (1 − α l_v), α = 0.5;
    - l_v = mean of (g_uv − x_u)/g_uv, each cut to [−1, 1]; where the report is 0, it is divided by x_u instead.

    It needs a scale whose 0 means nothing at all: adding 1 to all grades changes more than their origin. Grades are
    taken as shares of the highest.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Lauw(name="lauw").aggregate(book).converged
    True
    """

    alpha: float = 0.5
    tolerance: float = 1e-8
    most: int = 10_000

    citation: ClassVar[str] = "Lauw, Lim and Wang (2007), Summarizing review scores of unequal reviewers"
    needs: ClassVar[tuple[Need, ...]] = (RATIO_SCALE,)

    def ends(self, component: Component) -> tuple[float, float]:
        """Shares of the highest grade."""
        return component.grades[0] / component.grades[-1], 1.0

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        value = reports.mean()
        steps, moved = 0, np.inf
        while moved > self.tolerance and steps < self.most:
            said = value[reports.item]
            divisor = np.where(reports.value > 0, reports.value, said)
            excess = np.divide(reports.value - said, divisor, out=np.zeros_like(said), where=divisor != 0)
            leniency = ratio(reports.by_grader(np.clip(excess, -1, 1)), reports.per_grader)
            before, value = value, reports.mean(value=reports.value * (1 - self.alpha * leniency[reports.grader]))
            moved, steps = float(np.nanmax(np.abs(value - before))), steps + 1
        return Solution(value, converged=moved <= self.tolerance, iterations=steps)
