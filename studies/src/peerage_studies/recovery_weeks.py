"""``recovery-weeks``: how estimates improve as each student grades more.

The paper's figure on data size (a–b) and its appendix. Every submission has four reviews in each of the weeks; more
weeks are more reviews of each grader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from peerage_studies.study_definition import Course, Study, Task
from peerage_studies.study_fits import recovered

WEEKS = tuple(range(1, 11))
QUICK_WEEKS = (1, 3, 8)


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit for each number of weeks."""
    for course in courses:
        for weeks in QUICK_WEEKS if quick else WEEKS:
            yield Task(replace(course, weeks=weeks), "weeks", weeks)


STUDY = Study("recovery-weeks", 1, tasks, recovered)
