"""What a reported grade says: that the report before rounding lay in its bin.

A student who never goes below a grade of their own says "this or less" by it: equation (F1) of docs/model.md. That is a
rule, not something that is inferred: with few reports at the lowest grade it makes next to no difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT
from peerage.inference.layout import AUTHOR, Layout

Floats = NDArray[np.float64]

FEWEST = 6
"""How often a student's lowest grade has to be given: with so many, some would be expected below it."""

HIGHER = 2
"""How many higher grades the student gives, at least; others give one grade by habit."""

LARGEST_SHARE = 0.8
"""The largest share of a student's reports that the lowest grade may have, for the same reason."""


def floors(layout: Layout) -> Floats:
    """(graders,) the grade on the model's scale below which a student does not go; −∞ where there is none."""
    if not layout.model.has_floors:
        return np.full(layout.n_graders, -np.inf)
    grader = layout.reports.review_grader[layout.report_review]
    is_student = (layout.group == STUDENT) | (layout.group == AUTHOR)
    tells = np.flatnonzero(is_student[grader] & ~_heaped_components(layout)[layout.report_component])
    return lowest_grades(layout.n_graders, grader[tells], layout.report_value[tells])


def lowest_grades(n_graders: int, grader: NDArray[np.integer], value: Floats) -> Floats:
    """(graders,) the lowest of some reports of each grader, if it is given often and not by habit; −∞ if not.

    The lowest grade of the scale says "this or less" anyhow.
    """
    lowest = np.full(n_graders, np.inf)
    np.minimum.at(lowest, grader, value)
    count = np.bincount(grader, minlength=n_graders)
    at_lowest = np.bincount(grader[value == lowest[grader]], minlength=n_graders)
    grades, place = np.unique(value, return_inverse=True)
    given = np.unique(grader.astype(np.int64) * len(grades) + place)
    several = np.bincount(given // max(len(grades), 1), minlength=n_graders) > HIGHER
    is_floor = several & (lowest > 0) & (at_lowest >= FEWEST) & (at_lowest <= LARGEST_SHARE * count)
    return np.where(is_floor, lowest, -np.inf)


def floors_of_reports(layout: Layout, floor: Floats) -> Floats:
    """(reports,) the grade below which each report cannot be, from the graders'; −∞ where grades may be heaped."""
    return floors_on(layout, floor[layout.reports.review_grader[layout.report_review]], layout.report_component)


def floors_on(layout: Layout, own: Floats, components: NDArray[np.integer]) -> Floats:
    """(reports,) the same of any reports, from their graders' lowest grades and their components."""
    return np.where(_heaped_components(layout)[components], -np.inf, own)


def says_or_less(layout: Layout, floor: Floats | None = None) -> NDArray[np.bool_]:
    """(reports,) whether each report is its grader's lowest grade, and so says "this or less"."""
    return np.asarray(layout.report_value == floors_of_reports(layout, floors(layout) if floor is None else floor))


def report_bins(layout: Layout, floor: Floats | None = None) -> tuple[Floats, Floats]:
    """(reports,) the ends of each report's bin on the model's scale; other graders' floors may be given."""
    low, high = np.empty((2, len(layout.report_level)))
    for index, component in enumerate(layout.book.rubric.components):
        mine = layout.report_component == index
        low[mine] = component.edges[layout.report_level[mine]]
        high[mine] = component.edges[layout.report_level[mine] + 1]
    low[says_or_less(layout, floor)] = -np.inf
    return low, high


def _heaped_components(layout: Layout) -> NDArray[np.bool_]:
    """(components,) whether grades may be rounded more coarsely than their scale."""
    return np.array([bool(rounding.units) for rounding in layout.roundings])
