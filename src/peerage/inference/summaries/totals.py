"""Each submission's points, from joint draws of its components.

A draw's points are those of its true grades, which may lie between legal ones and are then worth what lies between
theirs. Points of grades rounded to legal ones would take few values, and an interval of 90 % between two of these would
hold far more than 90 %.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.inference.layout import Layout
from peerage.inference.sampling.chains import Samples
from peerage.rubric import Component

STREAM = 5
"""The stream of random numbers that spreads draws over the cells of their grid."""


def totals_table(layout: Layout, samples: Samples, quantiles: tuple[float, float], seed: int) -> pd.DataFrame:
    """The points of the most likely grades, their expectation, and an interval, which needs the draws."""
    book = layout.book
    points = np.zeros((book.n_submissions, samples.n_chains * samples.n_kept), np.float32)
    most_likely, expected = np.zeros(book.n_submissions), np.zeros(book.n_submissions)
    for index, component in enumerate(book.rubric.components):
        mine = np.flatnonzero(layout.reports.cell_component == index)
        worth, submission = np.array(component.worth), layout.cell_submission[mine]
        mass = samples.level_mass[mine, : component.n_levels]
        most_likely[submission] += worth[mass.argmax(axis=1)]
        expected[submission] += mass @ worth
        rng = np.random.default_rng([seed, STREAM, index])
        points[submission] += _points_drawn(layout, samples, component, mine, rng)
    lower, upper = np.quantile(points, quantiles, axis=1)
    return pd.DataFrame(
        {
            "submission": np.array(book.submissions, dtype=object),
            "assignment": np.array(book.assignments, dtype=object),
            "most_likely": most_likely,
            "expected": expected,
            "lower": lower,
            "upper": upper,
        }
    )


def _points_drawn(
    layout: Layout, samples: Samples, component: Component, cells: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.float32]:
    """(cells, all draws): what the true grades of some cells of a component are worth in each draw."""
    stored = samples.draws["true_grade"]
    drawn = np.ascontiguousarray(stored.reshape(-1, stored.shape[-1])[:, cells].T)
    if stored.dtype.kind == "u":
        drawn = layout.grids.true_grade.jittered(drawn, rng)
    worth, values = np.array(component.worth, np.float32), component.from_model(drawn)
    if component.points is None:  # a grade is worth itself, and what lies between two grades is too
        points = np.clip(values, worth[0], worth[-1], out=values)
    else:
        points = np.interp(values, component.values, worth).astype(np.float32)
    fixed = np.flatnonzero(layout.fixed_level[cells] != MISSING)
    points[fixed] = worth[layout.fixed_level[cells[fixed]], None]
    return points
