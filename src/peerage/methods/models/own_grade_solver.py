"""What PG3, PG4 and PG5 share: how precisely somebody grades depends on the grade of that person's own work.

True grades are s_u ~ N(μ, 1/γ), biases b_v ~ N(0, 1/η). A grader's own grade s_v is the mean of several; who wrote
nothing has the lowest of all, as the authors have it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Floats, Solution, Solver
from peerage.methods.method_needs import AUTHORS, Need
from peerage.methods.models.gibbs import LinkedReports, linked, run

Sweep = Callable[[], Floats]
"""Draws all variables once; gives the precision of each grader's reports."""


class Chain(NamedTuple):
    """Where a sampler is: the reports, μ, and the true grades and biases, which sweeps change in place."""

    reports: LinkedReports
    centre: float
    grade: Floats
    bias: Floats
    rng: np.random.Generator


@dataclass(frozen=True)
class OwnGradeSolver(Solver):
    """A Gibbs sampler that begins with all true grades at μ and no biases; constants are Mi and Yeung's, for 1 to 25.

    Attributes
    ----------
    sweeps: how many there are, of which the first three in ten are discarded
    mean: μ; the class's mean unless given, because Mi and Yeung's 11 belongs to one class
    slips: whether to repeat what the authors' program does otherwise than their paper says
    """

    sweeps: int = 300
    mean: float | None = None
    slips: bool = False

    needs: ClassVar[tuple[Need, ...]] = (AUTHORS,)
    scale: ClassVar[tuple[float, float]] = (1.0, 25.0)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        grade, bias = np.full(reports.n_items, centre), np.zeros(reports.n_graders)
        sweep = self.begin(Chain(linked(reports), centre, grade, bias, rng))
        return run(reports, lambda: (grade, sweep(), bias), self.sweeps)

    @abstractmethod
    def begin(self, chain: Chain) -> Sweep:
        """What moves the chain."""
