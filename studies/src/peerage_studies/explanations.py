"""``explanations``: what it costs that a grade be a rounded weighted average of the reports.

The paper's figure on MIP stability. Classes are those of ``recovery-graders``: without TAs, and with more and more
graders of each submission. Explained and most likely grades, and the rounded mean of the reports, are compared with the
true grades, rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from peerage.decisions.explain.explanation import explain
from peerage_studies.mean_and_pg1 import of_reports
from peerage_studies.measures import most_likely, rounded
from peerage_studies.recovery_graders import with_graders
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import fitted, rows

GRADERS = (1, 2, 3, 4, 5, 7)
QUICK_GRADERS = (1, 3, 7)


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit and its explanations for each number of graders."""
    for course in courses:
        for graders in QUICK_GRADERS if quick else GRADERS:
            yield Task(with_graders(course, graders, quick), "graders", graders)


def measure(task: Task, seed: int) -> list[Row]:
    """Fit the class, explain its grades, and compare with the truth."""
    book, truth = task.course.simulate(seed)
    posterior = fitted(task.course, seed, book, truth.model)
    likely, true = most_likely(posterior), rounded(truth, truth.true_grade)
    explained = explain(posterior, workers=1).grades["grade"].to_numpy(float).reshape(likely.shape)
    mean = rounded(truth, of_reports(book, np.mean))
    errors = {
        f"{name}_mae": float(np.abs(grades - true).mean())
        for name, grades in (("most_likely", likely), ("explained", explained), ("mean", mean))
    }
    return rows(task, errors | {"most_likely_differs": float((explained != likely).mean())})


STUDY = Study("explanations", 1, tasks, measure)
