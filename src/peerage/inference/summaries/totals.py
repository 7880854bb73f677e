"""Each submission's points, from joint draws of its components.

A draw's points are those of its true grades, which may lie between legal ones and are then worth what lies between
theirs. Points of grades rounded to legal ones would take few values, and an interval of 90 % between two of these would
hold far more than 90 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.inference.layout import Layout
from peerage.inference.sampling.chains import Samples

STREAM = 5
"""The stream of random numbers that spreads draws over the cells of their grid."""

_BLOCK = 64
"""How many submissions' points are drawn at a time: as many as a processor's cache has room for."""


def totals_table(layout: Layout, samples: Samples, quantiles: tuple[float, float], seed: int) -> pd.DataFrame:
    """The points of the most likely grades, their expectation, and an interval, which needs the draws."""
    book = layout.book
    most_likely, expected = np.zeros((2, book.n_submissions))
    for index, component in enumerate(book.rubric.components):
        mine = np.flatnonzero(layout.reports.cell_component == index)
        worth, submission = np.array(component.worth), layout.cell_submission[mine]
        mass = samples.level_mass[mine, : component.n_levels]
        most_likely[submission] += worth[mass.argmax(axis=1)]
        expected[submission] += mass @ worth
    drawn = [np.quantile(points, quantiles, axis=1) for points in _points_drawn(layout, samples, seed)]
    lower, upper = np.concatenate(drawn, axis=1)
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


def _points_drawn(layout: Layout, samples: Samples, seed: int) -> Iterator[NDArray[np.float32]]:
    """(some submissions, all draws): what their true grades are worth in each draw."""
    stored = samples.draws["true_grade"].reshape(-1, layout.n_cells)
    rngs = [np.random.default_rng([seed, STREAM, index]) for index in range(len(layout.book.rubric))]
    starts = np.arange(0, layout.book.n_submissions, _BLOCK)
    ends = np.append(starts[1:], layout.book.n_submissions)
    cells = np.searchsorted(layout.cell_submission, np.append(starts, ends[-1]))
    for start, end, first, last in zip(starts, ends, cells[:-1], cells[1:], strict=True):
        drawn = stored[:, first:last].copy().T.copy()  # first into the cache, then turned round
        points = np.zeros((end - start, len(stored)), np.float32)
        for index, rng in enumerate(rngs):
            mine = np.flatnonzero(layout.reports.cell_component[first:last] == index)
            points[layout.cell_submission[first + mine] - start] += _worth(
                layout, drawn[mine], first + mine, index, rng
            )
        yield points


def _worth(
    layout: Layout, drawn: NDArray[Any], cells: NDArray[np.intp], index: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """What drawn true grades of some cells of a component are worth."""
    component = layout.book.rubric.components[index]
    if drawn.dtype.kind == "u":
        drawn = layout.grids.true_grade.jittered(drawn, rng)
    worth, values = np.array(component.worth, np.float32), component.from_model(drawn)
    if component.points is None:  # a grade is worth itself, and what lies between two grades is too
        points = np.clip(values, worth[0], worth[-1], out=values)
    else:
        points = np.interp(values, component.values, worth).astype(np.float32)
    fixed = np.flatnonzero(layout.fixed_level[cells] != MISSING)
    points[fixed] = worth[layout.fixed_level[cells[fixed]], None]
    return points
