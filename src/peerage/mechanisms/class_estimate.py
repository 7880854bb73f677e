"""Grades, biases and reliabilities of Piech et al.'s model PG1, as mechanisms estimate them.

On a scale of 0 to 10, a true grade is N(μ, σ²), a bias N(0, 1) and a reliability (a precision) Gamma(10/1.05, 10).
Each is replaced by its mean given the others, as Burrell and Schoenebeck do it; μ and σ² are the class's own.

C. Piech et al., "Tuned Models of Peer Assessment in MOOCs", EDM 2013.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.mechanisms.task_reports import Floats, TaskReports
from peerage.methods.models.conditional_means import Triples, conditional_means

LEAST_VARIANCE = 0.1


class ClassEstimate(NamedTuple):
    """The mean and variance of true grades, (tasks,) grades, and (graders,) biases and reliabilities."""

    mean: float
    variance: float
    grade: Floats
    bias: Floats
    reliability: Floats


def estimate(reports: TaskReports) -> ClassEstimate:
    """Estimate everything from the reports of one component in one assignment."""
    mean, variance = true_grade_moments(reports)
    triples = Triples(reports.grader, reports.task, reports.value, reports.n_graders, reports.n_tasks)
    found = conditional_means(triples, mean, 1 / variance)
    return ClassEstimate(mean, variance, found.grade, found.bias, found.reliability)


def true_grade_moments(reports: TaskReports) -> tuple[float, float]:
    """Mean and variance of true grades: of all reports, less the variance between reports of the same work."""
    size = reports.task_size
    means = np.bincount(reports.task, reports.value) / size
    mean = float(means.mean())
    within = float(((reports.value - means[reports.task]) ** 2).sum()) / max(len(reports.value) - len(size), 1)
    between = float(((means - mean) ** 2).sum()) / max(len(size) - 1, 1) - within * float((1 / size).mean())
    return mean, max(between, LEAST_VARIANCE)
