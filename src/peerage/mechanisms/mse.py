"""The squared distance of a report from the mean of all reports on the same work, which it is part of."""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.task_reports import Floats, TaskReports


def score(reports: TaskReports, _rng: np.random.Generator) -> Floats:
    """−(report − mean)², where somebody else graded the same work."""
    mean = np.bincount(reports.task, reports.value) / reports.task_size
    alone = reports.task_size[reports.task] < 2
    return np.where(alone, np.nan, -((reports.value - mean[reports.task]) ** 2))


MSE = TaskMechanism("mse", "baseline of Burrell and Schoenebeck (2023)", "two reviews of a submission", score)
