"""``baselines``: the full model beside PG1, and beside the mean and the median of all reports.

PG1 has reliabilities and biases, but neither effort nor censoring. Models have the priors that the class was drawn from
or, where their name says so, learn them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook
from peerage.model import Model
from peerage_studies.measures import grade_errors, recovery, rounded
from peerage_studies.misspecification import true_priors
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import fitted, rows

Floats = NDArray[np.float64]

SIMPLE: dict[str, Callable[..., Floats]] = {"mean": np.mean, "median": np.median}
MODELS = {"PG1": Model(effort=False, censoring=False), "full": Model()}
LEARNED = " learned"
"""What is put after the name of a model that learns its priors."""


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A task for each estimator; if quick, without those that learn."""
    models = (*MODELS, *(() if quick else (name + LEARNED for name in MODELS)))
    for course in courses:
        yield from (Task(course, "estimator", name) for name in (*SIMPLE, *models))


def measure(task: Task, seed: int) -> list[Row]:
    """Estimate the grades of the class and compare with the truth."""
    book, truth = task.course.simulate(seed)
    name = str(task.value)
    if name in SIMPLE:
        grades = of_reports(book, SIMPLE[name])
        return rows(task, grade_errors(truth, grades, rounded(truth, grades)))
    model = MODELS[name.removesuffix(LEARNED)]
    if not name.endswith(LEARNED):
        model = replace(model, priors=true_priors(task.course))
    return rows(task, recovery(fitted(task.course, seed, book, model), truth))


def of_reports(book: Gradebook, average: Callable[..., Floats]) -> Floats:
    """(submissions, components): an average of all reports."""
    order = np.argsort(book.review_submission, kind="stable")
    ends = np.cumsum(np.bincount(book.review_submission, minlength=book.n_submissions))
    parts = np.split(book.values[order], ends[:-1])
    return np.stack([average(part, axis=0) for part in parts])


STUDY = Study("baselines", 1, tasks, measure)
