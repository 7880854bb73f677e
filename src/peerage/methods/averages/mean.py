"""The mean of an item's reports, each counting the same: what classes use without a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import ItemReports, ratio, sums
from peerage.methods.method_contract import Floats, Solution, Solver


@dataclass(frozen=True)
class Mean(Solver):
    """x_u = the mean of g_uv over the graders v of u.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> grades = Mean(name="mean").aggregate(book).grades()
    >>> bool(np.isclose(grades["grade"][0], book.values[book.review_submission == 0].mean()))
    True
    """

    citation: ClassVar[str] = "the arithmetic mean"

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        return Solution(reports.mean())


@dataclass(frozen=True)
class ClassAverage(Solver):
    """x_u = the mean of all reports of the component: the same grade for everyone, which any method should beat."""

    citation: ClassVar[str] = "the mean of the class"

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        return Solution(class_mean(reports))


def class_mean(reports: ItemReports) -> Floats:
    """(items,) the mean of all reports of each item's component; NaN where the component has none."""
    component = reports.component[reports.item]
    count = int(reports.component.max()) + 1
    mean = ratio(sums(component, count, reports.value), sums(component, count))
    return np.asarray(mean[reports.component])
