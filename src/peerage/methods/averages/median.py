"""The median of an item's reports, which a single odd report hardly moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.methods.item_reports import Indexes, ItemReports
from peerage.methods.method_contract import Solution, Solver


@dataclass(frozen=True)
class Median(Solver):
    """x_u = the median of g_uv over the graders v of u; of an even number, the mean of the middle two.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> grades = Median(name="median").aggregate(book).grades()
    >>> bool(np.isclose(grades["grade"][0], np.median(book.values[book.review_submission == 0])))
    True
    """

    citation: ClassVar[str] = "the median"

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        order, start, count = in_order(reports)
        ordered = np.append(reports.value[order], np.nan)
        lower = ordered[np.where(count > 0, start + (count - 1) // 2, -1)]
        upper = ordered[np.where(count > 0, start + count // 2, -1)]
        return Solution((lower + upper) / 2)


@dataclass(frozen=True)
class TrimmedMean(Solver):
    """x_u = the mean of g_uv without the lowest and the highest report, where there are at least four.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> TrimmedMean(name="trimmed").aggregate(book).converged
    True
    """

    citation: ClassVar[str] = "the mean without the extremes"
    fewest: ClassVar[int] = 4

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:  # noqa: ARG002
        """The method itself."""
        order, start, count = in_order(reports)
        place = np.arange(len(order)) - start[reports.item[order]]
        total = count[reports.item[order]]
        kept = np.ones(len(order))
        kept[order] = (total < self.fewest) | ((place > 0) & (place < total - 1))
        return Solution(reports.mean(kept))


def in_order(reports: ItemReports) -> tuple[Indexes, Indexes, Indexes]:
    """The reports sorted by item and value, and where each item's begin and how many there are."""
    order = np.lexsort((reports.value, reports.item)).astype(np.int64)
    count = reports.per_item.astype(np.int64)
    return order, np.cumsum(count) - count, count
