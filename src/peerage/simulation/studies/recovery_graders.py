"""``recovery-graders``: how estimates improve with more graders of each submission, beside a TA who grades alone.

The paper's figure on data size (c) and its appendix. Each week has the same number of submissions, and each student
gives four reviews; with more students, each submission has more graders. There are no TAs, but for one of reliability 2
who grades everything and is compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from peerage.gradebook import TA
from peerage.model import Fixed, Model
from peerage.simulation.studies.fits import fitted, recovered, rows
from peerage.simulation.studies.measures import expected, grade_errors, most_likely
from peerage.simulation.studies.study import Course, Row, Study, Task

GRADERS = (1, 2, 4, 8, 16, 32)
QUICK_GRADERS = (1, 4, 32)

SUBMISSIONS, QUICK_SUBMISSIONS = 40, 16
"""Submissions a week."""

REVIEWS = 4
"""Reviews that each student gives in a week."""

TA_RELIABILITY = 2


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit for each number of graders, and one for the TA."""
    for course in courses:
        for graders in QUICK_GRADERS if quick else GRADERS:
            yield Task(with_graders(course, graders, quick), "graders", graders)
        alone = replace(with_graders(course, 1, quick), tas=1, ta_share=1.0)
        yield Task(alone, "ta", TA_RELIABILITY)


def with_graders(course: Course, graders: int, quick: bool) -> Course:
    """The class with as many students as give each submission so many graders."""
    submissions = QUICK_SUBMISSIONS if quick else SUBMISSIONS
    return replace(course, students=graders * submissions // REVIEWS, submissions_per_week=submissions, tas=0)


def measure(task: Task, seed: int) -> list[Row]:
    """Fit the class, or what the TA says of it, and compare with the truth."""
    if task.setting == "graders":
        return recovered(task, seed)
    known = Model(fixed=Fixed(reliability={"ta1": float(TA_RELIABILITY)}))
    book, truth = task.course.simulate(seed, known)
    by_ta = book.select(book.roles[book.review_grader] == TA)
    posterior = fitted(task.course, seed, by_ta, truth.model)
    return rows(task, grade_errors(truth, expected(posterior), most_likely(posterior)))


STUDY = Study("recovery-graders", 1, tasks, measure)
