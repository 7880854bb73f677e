"""Grades, biases and reliabilities of Piech et al.'s model PG1, as mechanisms estimate them.

On a scale of 0 to 10, a true grade is N(μ, σ²), a bias N(0, 1) and a reliability (a precision) Gamma(10/1.05, 10).
Each is replaced by its mean given the others until the grades move by less than 10⁻⁴ in all. As in Burrell and
Schoenebeck's procedure, a grade is an average weighted by the *roots* of precisions; μ and σ² are the class's own.

C. Piech et al., "Tuned Models of Peer Assessment in MOOCs", EDM 2013.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.mechanisms.reports import Floats, Reports

SHAPE, RATE = 10 / 1.05, 10.0
"""The prior of reliabilities."""

LEAST_VARIANCE = 0.1
_TOLERANCE, _MOST_ROUNDS = 1e-4, 1000


class Estimate(NamedTuple):
    """The mean and variance of true grades, (tasks,) grades, and (graders,) biases and reliabilities."""

    mean: float
    variance: float
    grade: Floats
    bias: Floats
    reliability: Floats


def estimate(reports: Reports) -> Estimate:
    """Estimate everything from the reports of one component in one assignment."""
    mean, variance = true_grade_moments(reports)
    grader, task, value = reports.grader, reports.task, reports.value
    n_graded = np.bincount(grader, minlength=reports.n_graders)
    bias, reliability = np.zeros(reports.n_graders), np.full(reports.n_graders, SHAPE / RATE)
    grade = np.full(reports.n_tasks, np.inf)
    for _ in range(_MOST_ROUNDS):
        before, weight = grade, np.sqrt(reliability[grader])
        numerator = mean / np.sqrt(variance) + np.bincount(task, weight * (value - bias[grader]))
        grade = numerator / (variance**-0.5 + np.bincount(task, weight))
        off = value - grade[task]
        bias = reliability * np.bincount(grader, off, reports.n_graders) / (1 + n_graded * reliability)
        squares = np.bincount(grader, (off - bias[grader]) ** 2, reports.n_graders)
        reliability = (SHAPE + n_graded / 2) / (RATE + squares / 2)
        if np.linalg.norm(grade - before) < _TOLERANCE:
            break
    return Estimate(mean, variance, grade, bias, reliability)


def true_grade_moments(reports: Reports) -> tuple[float, float]:
    """Mean and variance of true grades: of all reports, less the variance between reports of the same work."""
    size = reports.task_size
    means = np.bincount(reports.task, reports.value) / size
    mean = float(means.mean())
    within = float(((reports.value - means[reports.task]) ** 2).sum()) / max(len(reports.value) - len(size), 1)
    between = float(((means - mean) ** 2).sum()) / max(len(size) - 1, 1) - within * float((1 / size).mean())
    return mean, max(between, LEAST_VARIANCE)
