"""``recovery-graders``: how estimates improve with more graders of each submission, beside a TA who grades alone.

The paper's figure on data size (c) and its appendix. Each week has the same number of submissions, and each student
gives four reviews; with more students, each submission has more graders, and there are no TAs.

The TA who is compared with has reliability 2 and no bias, and grades everything. The paper takes what the TA would say
before it is rounded, cut at the rubric's ends, for the grade (setting ``ta``). Beside that, the model sees the TA's
reports as it sees those of students (``ta_fitted``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from peerage.gradebook.book import TA
from peerage.model import Fixed, Model
from peerage.rubric import MODEL_MAXIMUM
from peerage_studies.measures import expected, grade_errors, most_likely, rounded
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import fitted, recovered, rows

GRADERS = (1, 2, 4, 8, 16, 32)
QUICK_GRADERS = (1, 4, 32)

SUBMISSIONS, QUICK_SUBMISSIONS = 40, 16
"""Submissions a week."""

REVIEWS = 4
"""Reviews that each student gives in a week."""

TA_RELIABILITY = 2
ALONE, FITTED = "ta", "ta_fitted"


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit for each number of graders, and the TA."""
    for course in courses:
        for graders in QUICK_GRADERS if quick else GRADERS:
            yield Task(with_graders(course, graders, quick), "graders", graders)
        alone = replace(with_graders(course, 1, quick), tas=1, ta_share=1.0)
        yield from (Task(alone, setting, TA_RELIABILITY) for setting in (ALONE, FITTED))


def with_graders(course: Course, graders: int, quick: bool) -> Course:
    """The class with as many students as give each submission so many graders."""
    submissions = QUICK_SUBMISSIONS if quick else SUBMISSIONS
    return replace(course, students=graders * submissions // REVIEWS, submissions_per_week=submissions, tas=0)


def measure(task: Task, seed: int) -> list[Row]:
    """Fit the class, or ask the TA, and compare with the truth."""
    if task.setting == "graders":
        return recovered(task, seed)
    known = Fixed(reliability={"ta1": float(TA_RELIABILITY)}, bias={"ta1": 0.0})
    book, truth = task.course.simulate(seed, Model(fixed=known))
    if task.setting == ALONE:
        rng = np.random.default_rng(task.course.fit_seed(seed))
        said = rng.normal(truth.true_grade, TA_RELIABILITY**-0.5)
        return rows(task, grade_errors(truth, np.clip(said, 0.0, MODEL_MAXIMUM), rounded(truth, said)))
    by_ta = book.select(book.roles[book.review_grader] == TA)
    posterior = fitted(task.course, seed, by_ta, truth.model)
    return rows(task, grade_errors(truth, expected(posterior), most_likely(posterior)))


STUDY = Study("recovery-graders", 1, tasks, measure)
