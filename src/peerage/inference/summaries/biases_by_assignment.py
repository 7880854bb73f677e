"""Each grader's bias in each assignment, where biases drift; without drift it is the same in all."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.sampling.draws import Draws

Indexes = NDArray[np.int64]


def occasions(layout: Layout) -> tuple[Indexes, Indexes, Indexes, Indexes]:
    """Graders and assignments in which they graded: both, some submission of each, and how many there are."""
    reports, n_weeks = layout.reports, len(layout.walks.assignments)
    place = reports.review_grader.astype(np.int64) * n_weeks + layout.walks.week[reports.review_submission]
    pairs, first, count = np.unique(place, return_index=True, return_counts=True)
    return pairs // n_weeks, pairs % n_weeks, reports.review_submission[first].astype(np.int64), count


def biases_table(layout: Layout, draws: Draws, quantiles: tuple[float, float]) -> pd.DataFrame:
    """A row for each grader and assignment: how many submissions were graded, the bias and an interval."""
    grader, week, submission, count = occasions(layout)
    drawn = draws.bias_on(grader, submission)
    drawn = drawn.reshape(-1, len(grader))
    lower, upper = np.quantile(drawn, quantiles, axis=0)
    return pd.DataFrame(
        {
            "grader": np.array(layout.book.graders, dtype=object)[grader],
            "assignment": np.array(layout.walks.assignments, dtype=object)[week],
            "n_graded": count,
            "bias": drawn.mean(axis=0, dtype=float),
            "bias_lower": lower,
            "bias_upper": upper,
        }
    )
