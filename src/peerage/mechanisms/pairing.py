"""Bonus and penalty tasks: what two reports of one work are worth, less what two of different works cost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from peerage.mechanisms.divergences import IMPOSSIBLE
from peerage.mechanisms.task_reports import Floats, Integers, TaskReports

Worth = Callable[[Integers, Integers, Integers], Floats]
"""From the indexes of two reports, and the bonus task that they are compared for, to K."""


def paired_scores(
    reports: TaskReports, rng: np.random.Generator, worth: Worth, cost: Callable[[Floats], Floats] | None = None
) -> Floats:
    """(reports,) the mean over peers of K on the common task less the cost of K on one other task of either grader.

    The other tasks are drawn at random; a pair without any has no score. Without ``cost``, K itself is.
    """
    first, second = reports.pairs
    one, two = reports.penalties(rng)
    known = (one >= 0) & (two >= 0)
    first, second, one, two = (indexes[known] for indexes in (first, second, one, two))
    bonus, penalty = (worth(*both, reports.task[first]) for both in ((first, second), (one, two)))
    scores = np.full(len(known), np.nan)
    scores[known] = np.maximum(bonus - (penalty if cost is None else cost(penalty)), IMPOSSIBLE)
    return reports.mean_over_peers(scores)
