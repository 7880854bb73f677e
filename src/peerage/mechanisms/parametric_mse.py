"""MSE_P: the squared distance of a report, less the grader's estimated bias, from the estimated grade.

N. Burrell and G. Schoenebeck, "Measurement Integrity in Peer Prediction: A Peer Assessment Case Study", EC 2023.
"""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.class_estimate import estimate
from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.task_reports import Floats, TaskReports


def score(reports: TaskReports, _rng: np.random.Generator) -> Floats:
    """−(report − bias − grade)², with the biases and grades of PG1."""
    believed = estimate(reports)
    return -((reports.value - believed.bias[reports.grader] - believed.grade[reports.task]) ** 2)


PARAMETRIC_MSE = TaskMechanism(
    "mse-p", "Burrell and Schoenebeck (2023)", "several reviews of a submission and of a grader", score
)
