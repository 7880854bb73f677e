"""TRUPEQA (Jindal et al. 2018): graders are measured on probes, works that staff graded too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports, ratio, sums
from peerage.methods.method_contract import Solution, Solver
from peerage.methods.method_needs import PROBES, Need


@dataclass(frozen=True)
class Trupeqa(Solver):
    """The mean of reports without their graders' biases, weighted by the inverse of graders' standard deviations.

    With y the staff's grade of a probe, and n_v the number of probes that v graded,

        b_v = Σ (g − y) / n_v,    τ_v = (n_v − 1) / Σ (g − y − b_v)²,
        x_u = (√γ μ + Σ_v √τ_v (g_uv − b_v)) / (√γ + Σ_v √τ_v).

    Probes keep the staff's grade. Who graded fewer than two probes counts nothing, as in the authors' tool. Two of
    that tool's choices are not kept: μ and γ, which it sets by hand, are the mean and the precision of the probes'
    grades; and whoever errs on all probes alike, who counts nothing there, has the variance that rounding alone leaves.

    The equations are those of the authors' grading tool, SwaGrader. A script of theirs weights by τ_v instead of √τ_v,
    which is not an inverse standard-deviation weighted de-biased mean, as they call it. The bonus that makes it a
    mechanism needs the true grades of what is no probe, and is not here.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=2, components=1, tas=1)
    >>> Trupeqa(name="trupeqa").aggregate(book).iterations
    0
    """

    citation: ClassVar[str] = (
        "Jindal, Chakraborty and Nath (2018), Truthful peer grading with limited effort from teaching staff"
    )
    needs: ClassVar[tuple[Need, ...]] = (PROBES,)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        by_staff = reports.is_staff[reports.grader]
        given = reports.mean(by_staff.astype(float))
        peers = reports.only(~by_staff)
        probed = peers.only(~np.isnan(given[peers.item]))
        error = probed.value - given[probed.item]
        bias = ratio(probed.by_grader(error), probed.per_grader)
        squares = probed.by_grader((error - bias[probed.grader]) ** 2)
        rounding = np.mean([np.mean(np.diff(steps) ** 2) for steps in reports.ladder]) / 12
        variance = np.maximum(ratio(squares, probed.per_grader - 1), rounding)
        weight = np.where(np.isnan(variance), 0.0, variance**-0.5)
        bias = np.where(np.isnan(bias), 0.0, bias)
        known = given[~np.isnan(given)]
        prior = max(float(np.var(known, ddof=1)) if len(known) > 1 else 0.0, rounding) ** -0.5
        each = weight[peers.grader]
        total = prior * known.mean() + peers.by_item(each * (peers.value - bias[peers.grader]))
        value = total / (prior + peers.by_item(each))
        value = np.where(sums(peers.item, peers.n_items) > 0, value, np.nan)
        return Solution(np.where(np.isnan(given), value, given), weight=weight, bias=bias)
