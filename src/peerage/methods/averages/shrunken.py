"""The mean, drawn towards the class's, because part of the distance of few reports from it is noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from peerage.methods.averages.mean import class_mean
from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Floats, Solution, Solver

_SEARCHED = (np.log(1e-3), np.log(1e3))


@dataclass(frozen=True)
class ShrunkenMean(Solver):
    """x_u = (Σ_v g_uv + k·ḡ) / (n_u + k), where ḡ is the mean of the component in the class.

    This is the posterior mean of x ~ N(ḡ, σ²/k) and g ~ N(x, σ²). Unless it is given, k maximises the likelihood of
    each report given the others of its item: N((Σ' + kḡ)/(n' + k), σ²(1 + 1/(n' + k))), with sums over the others and
    the likeliest σ². So the standard deviation of x is σ/√(n + k).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> found = ShrunkenMean(name="shrunken").aggregate(book).grades()
    >>> bool((found["sd"] > 0).all())
    True
    """

    k: float | None = None

    citation: ClassVar[str] = "James and Stein (1961), Estimation with quadratic loss"

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        centre = class_mean(reports)
        total, count = reports.by_item(reports.value), reports.per_item
        k = best_k(reports, centre) if self.k is None else self.k
        value = np.where(count > 0, (total + k * centre) / (count + k), np.nan)
        sd = np.sqrt(_variance(reports, centre, k) / (count + k))
        return Solution(value, np.where(count > 0, sd, np.nan))


def best_k(reports: ItemReports, centre: Floats) -> float:
    """The k under which reports are likeliest, each given the others of its item."""

    def surprise(log_k: float) -> float:
        k = float(np.exp(log_k))
        _, spread = _errors(reports, centre, k)
        return float(len(spread) * np.log(_variance(reports, centre, k) + 1e-12) + np.log(spread).sum())

    return float(np.exp(minimize_scalar(surprise, bounds=_SEARCHED, method="bounded").x))


def _errors(reports: ItemReports, centre: Floats, k: float) -> tuple[Floats, Floats]:
    """How far each report is from what the others say, and the variance of that in units of σ²."""
    others = reports.per_item[reports.item] - 1
    total = reports.by_item(reports.value)[reports.item] - reports.value
    said = (total + k * centre[reports.item]) / (others + k)
    return reports.value - said, 1 + 1 / (others + k)


def _variance(reports: ItemReports, centre: Floats, k: float) -> float:
    """The likeliest σ²."""
    error, spread = _errors(reports, centre, k)
    return float(np.mean(error**2 / spread))
