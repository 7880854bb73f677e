"""``recovery-students``: how little the size of a class matters.

The paper's section 5.1: in a larger class there are more submissions and more graders, but no more reviews of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from peerage_studies.study_definition import Course, Study, Task
from peerage_studies.study_fits import recovered

STUDENTS = (30, 60, 120, 240)
QUICK_STUDENTS = (15, 30, 60)


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit for each number of students."""
    for course in courses:
        for students in QUICK_STUDENTS if quick else STUDENTS:
            yield Task(replace(course, students=students), "students", students)


STUDY = Study("recovery-students", 1, tasks, recovered)
