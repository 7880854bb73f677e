"""``learned-priors``: priors that are learned from the class, beside the true ones and wrong ones.

Each class is fitted with the priors that it was drawn from, with priors learned from its own grades, and with priors of
which one hyperparameter is wrong; after all weeks and after one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from peerage.model import Model
from peerage_studies.measures import recovery
from peerage_studies.misspecification import true_priors
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import fitted, rows
from peerage_studies.wrong_priors import changed

TRUE, LEARNED = "true", "learned"
WRONG: dict[str, dict[str, tuple[str, float]]] = {
    "a": {"wrong sigma_b": ("sigma_b", 1.0), "wrong tau_l": ("tau_l", 4.0)},
    "b": {"wrong sigma_b": ("sigma_b", 0.1), "wrong tau_l": ("tau_l", 4.0)},
    "c": {"wrong sigma_b": ("sigma_b", 0.1), "wrong tau_l": ("tau_l", 1.0)},
}
"""What is wrong in priors of a class, as if it were one of the others."""

WRONG_ANYWHERE = {"wrong mu_s": ("mu_s", 3.0), "wrong sigma_s": ("sigma_s", 1.6)}
QUICK_WRONG = "wrong mu_s"


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit for each kind of priors; if quick, after all weeks alone, and with one kind of wrong ones."""
    for course in courses:
        values = (TRUE, LEARNED, *((QUICK_WRONG,) if quick else _wrong(course)))
        yield from (Task(course, "priors", value) for value in values)
        if not quick:
            yield from (Task(replace(course, weeks=1), "priors_one_week", value) for value in values)


def _wrong(course: Course) -> dict[str, tuple[str, float]]:
    """The hyperparameter that is wrong, and its value, by name."""
    return WRONG_ANYWHERE | WRONG[course.kind]


def measure(task: Task, seed: int) -> list[Row]:
    """Fit the class and compare with the truth."""
    book, truth = task.course.simulate(seed)
    return rows(task, recovery(fitted(task.course, seed, book, _model(task)), truth))


def _model(task: Task) -> Model:
    if task.value == LEARNED:
        return Model(ta_spread="students")  # as the paper draws its TAs
    true = true_priors(task.course)
    return Model(priors=true if task.value == TRUE else changed(true, *_wrong(task.course)[str(task.value)]))


STUDY = Study("learned-priors", 1, tasks, measure)
