"""Each submission's points, from joint draws of its components."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.inference.layout import Layout
from peerage.inference.sampling.chains import Samples
from peerage.rubric import Component


def totals_table(layout: Layout, samples: Samples, quantiles: tuple[float, float]) -> pd.DataFrame:
    """The points of the most likely grades, their expectation, and an interval, which needs the draws."""
    book = layout.book
    points = np.zeros((book.n_submissions, samples.n_chains * samples.n_kept), np.float32)
    total, expected = np.zeros(book.n_submissions), np.zeros(book.n_submissions)
    for index, component in enumerate(book.rubric.components):
        mine = np.flatnonzero(layout.reports.cell_component == index)
        worth, submission = np.array(component.worth), layout.cell_submission[mine]
        mass = samples.level_mass[mine, : component.n_levels]
        total[submission] += worth[mass.argmax(axis=1)]
        expected[submission] += mass @ worth
        points[submission] += worth.astype(np.float32)[_levels_drawn(layout, samples, component, mine)]
    lower, upper = np.quantile(points, quantiles, axis=1)
    return pd.DataFrame(
        {
            "submission": np.array(book.submissions, dtype=object),
            "assignment": np.array(book.assignments, dtype=object),
            "total": total,
            "expected": expected,
            "lower": lower,
            "upper": upper,
        }
    )


def _levels_drawn(
    layout: Layout, samples: Samples, component: Component, cells: NDArray[np.intp]
) -> NDArray[np.integer]:
    """(cells, all draws): the rubric level of each draw of some cells of a component."""
    stored = samples.draws["true_grade"]
    drawn = np.ascontiguousarray(stored.reshape(-1, stored.shape[-1])[:, cells].T)
    if stored.dtype.kind == "u":
        points = layout.grids.true_grade.points
        levels = np.searchsorted(component.cuts, points, side="right").astype(np.int16)[drawn]
    else:
        levels = np.searchsorted(component.cuts, drawn, side="right").astype(np.int16)
    fixed = np.flatnonzero(layout.fixed_level[cells] != MISSING)
    levels[fixed] = layout.fixed_level[cells[fixed], None]
    return np.asarray(levels)
