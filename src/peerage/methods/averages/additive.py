"""Additive two-way: a report is the item's grade plus the grader's bias; what a strict grader takes off is put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Floats, Solution, Solver

_MOST = 2000
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Additive(Solver):
    """g_uv = x_u + b_v + e_uv, with x and b that minimise Σ(g − x − b)² + λ Σ b².

    It is the linear mixed model with random biases whose variance is 1/λ of the errors'. With x eliminated the biases
    solve a linear system, which conjugate gradients solve; alternating between x_u = mean(g − b) and b_v = Σ(g −
    x)/(n_v + λ) arrives at the same. Biases add up to 0 in each connected part of the class; parts are not compared
    with one another.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> found = Additive(name="additive").aggregate(book)
    >>> bool(abs(found.graders()["bias"].sum()) < 1e-6)
    True
    """

    ridge: float = 1.0

    citation: ClassVar[str] = "Reily, Finnerty and Terveen (2009), Two peers are better than one"

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        steps = 0

        def residual(value: Floats) -> Floats:
            """ItemReports, without the mean of their item."""
            mean = np.nan_to_num(reports.mean(value=value))
            return value - mean[reports.item]

        def normal(bias: Floats) -> Floats:
            return reports.by_grader(residual(bias.ravel()[reports.grader])) + self.ridge * bias.ravel()

        def count(_: Floats) -> None:
            nonlocal steps
            steps += 1

        size = reports.n_graders
        operator = LinearOperator((size, size), matvec=normal, dtype=np.float64)
        wanted = reports.by_grader(residual(reports.value))
        bias, failed = cg(operator, wanted, rtol=_TOLERANCE, maxiter=_MOST, callback=count)
        value = reports.mean(value=reports.value - bias[reports.grader])
        return Solution(value, bias=bias, converged=failed == 0, iterations=steps)
