"""The submissions' totals before and after: what the peers' means are worth, and what the grades given are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peerage.report.report_source import Floats, ReportSource


@dataclass(frozen=True, eq=False)
class TotalsBeforeAfter:
    """Totals of all submissions.

    Attributes
    ----------
    before: what the means of the students' reports are worth; not a number where a component has none
    after, lower, upper: the total of the grades given, and its interval
    unit: points; or percent, if submissions have different components, all of which can earn points
    low, high: the least and the greatest total that there can be
    step: the smallest difference between two grades' worth
    """

    before: Floats
    after: Floats
    lower: Floats
    upper: Floats
    unit: str
    low: float
    high: float
    step: float

    @property
    def half_width(self) -> float:
        """Half the width of a typical interval."""
        return float(np.median(self.upper - self.lower) / 2)


def marks_of(source: ReportSource) -> TotalsBeforeAfter:
    """The totals of a fit, in points or, where submissions have different components, in percent of the points."""
    components = source.book.rubric.components
    count = source.book.n_submissions
    before, least, most = np.zeros(count), np.zeros(count), np.zeros(count)
    for index, component in enumerate(components):
        mine = source.cell_component == index
        submission, worth = source.cell_submission[mine], np.array(component.worth)
        before[submission] += np.interp(source.cells["peer_mean"].to_numpy(float)[mine], component.values, worth)
        least[submission] += worth.min()
        most[submission] += worth.max()
    gaps = [np.diff(np.unique(component.worth)) for component in components]
    step = min((float(gap.min()) for gap in gaps if len(gap)), default=1.0)
    after, lower, upper = (source.totals[name].to_numpy(float) for name in ("total", "lower", "upper"))
    alike = (least == least[0]).all() and (most == most[0]).all()
    if alike or (most <= 0).any():
        return TotalsBeforeAfter(before, after, lower, upper, "points", float(least.min()), float(most.max()), step)
    share = 100 / most
    low, high = float((least * share).min()), 100.0
    return TotalsBeforeAfter(before * share, after * share, lower * share, upper * share, "percent", low, high, step)
