"""The fits of the studies: long enough that chance in sampling is small beside that between classes."""

from __future__ import annotations

from peerage.gradebook.book import Gradebook
from peerage.inference.fitting import fit
from peerage.inference.posterior import Posterior
from peerage.model import Model
from peerage_studies.measures import Measures, recovery
from peerage_studies.study_definition import Course, Row, Task

CHAINS, DRAWS = 2, 110
BURN_IN, LEARNED_BURN_IN = 40, 150
"""Sweeps that are discarded with fixed priors, from which chains start well, and with those that are learned."""


def fitted(course: Course, seed: int, book: Gradebook, model: Model) -> Posterior:
    """Fit a course's class on one processor, since many are fitted at once."""
    burn_in = LEARNED_BURN_IN if model.learned else BURN_IN
    return fit(book, model, chains=CHAINS, draws=DRAWS, burn_in=burn_in, seed=course.fit_seed(seed), workers=1)


def recovered(task: Task, seed: int) -> list[Row]:
    """Fit the class with the priors that it was drawn from, and compare with the truth."""
    book, truth = task.course.simulate(seed)
    return rows(task, recovery(fitted(task.course, seed, book, truth.model), truth))


def rows(task: Task, measures: Measures) -> list[Row]:
    """A row of the task's setting and value for each measure."""
    return [Row(task.setting, task.value, metric, result) for metric, result in measures.items()]
