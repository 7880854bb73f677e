"""``ablation``: what each feature of the model adds, on classes that have bias, effort and censoring.

The paper's figure on ablations and its appendix, on simulated classes. Hyperparameters are held, and each model
predicts each review by leave-one-out. Only correlation has hyperparameters of its own: λ is such that reliabilities
have the mean that they have without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from peerage.evaluation.evaluation_tables import paired
from peerage.evaluation.scoring import Sampling, score_by_loo
from peerage.model import Model
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import BURN_IN, CHAINS, DRAWS

MOST_WEEKS = 3
"""Fewer than the paper's: a fit with correlation and the predictions of five models take long."""

FEATURES = ("no bias", "no effort", "no censoring")
CORRELATION = "correlation"


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A task for each class, whose value names the models that are compared; correlation takes long."""
    names = FEATURES if quick else (*FEATURES, CORRELATION)
    for course in courses:
        yield Task(replace(course, weeks=min(course.weeks, MOST_WEEKS)), "model", ", ".join(names))


def measure(task: Task, seed: int) -> list[Row]:
    """Compare the other models with the full one."""
    course = task.course
    book, truth = course.simulate(seed)
    sampling = Sampling(CHAINS, DRAWS, BURN_IN, course.fit_seed(seed))
    full = score_by_loo(book, truth.model, sampling, refit=False)
    rows = []
    for name in str(task.value).split(", "):
        score = score_by_loo(book, changed(truth.model, name), sampling, refit=False)
        test = paired(score.log_mass, full.log_mass, np.asarray(book.review_submission))
        change = float(np.abs(score.expected - full.expected).mean())
        found = {"elpd_change": test.delta, "p_value": test.p_value, "grade_change": change}
        rows += [Row(task.setting, name, metric, result) for metric, result in found.items()]
    return rows


def changed(full: Model, name: str) -> Model:
    """The model of a name, which differs from the full one in one feature."""
    if name != CORRELATION:
        return replace(full, **{name.removeprefix("no "): False})  # type: ignore[arg-type]
    priors = full.hyperparameters
    lambda_tau = float(np.mean(priors.mu_s)) * priors.beta_tau / priors.alpha_tau
    return replace(full, correlation=True, priors=replace(priors, lambda_tau=lambda_tau))


STUDY = Study("ablation", 1, tasks, measure)
