"""``convergence``: how many draws it takes.

The sampling protocol of the paper's section 4, four chains of 1,000 draws after 100 that are discarded, is compared
with a run twice as long from another seed: how much posterior means differ, relative to those of the long run. These
runs are many times as long as those of the other studies: classes have fewer students, who give and get as many reviews
as in a larger class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.inference.fitting import fit
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from peerage.inference.posterior import Posterior
from peerage.inference.sampling.chains import VARIABLES
from peerage_studies.study_definition import Course, Row, Study, Task

DRAWS = (10, 30, 100, 300, 1000)
QUICK_DRAWS = (10, 30, 100)

MOST_STUDENTS = 40

CHAINS, BURN_IN = 4, 100
LONGER = 2
"""How many times as many draws a chain of the long run has."""

COMPARED = ("true_grade", "reliability", "effort")


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A task for each class, whose value is the number of draws of the protocol."""
    most = (QUICK_DRAWS if quick else DRAWS)[-1]
    for course in courses:
        yield Task(replace(course, students=min(course.students, MOST_STUDENTS)), "draws", most)


def measure(task: Task, seed: int) -> list[Row]:
    """Compare the first draws of a fit with a long run."""
    book, truth = task.course.simulate(seed)
    most = int(task.value)
    long, short = (
        fit(book, truth.model, chains=CHAINS, draws=draws, burn_in=BURN_IN, seed=fit_seed, workers=1)
        for draws, fit_seed in zip((LONGER * most, most), task.course.fit_seeds(seed, 2), strict=True)
    )
    reference = {name: long.margins.means(name) for name in COMPARED}
    values = {name: short.draws.on_model_scale(name) for name in COMPARED}
    rows = []
    for draws in (draws for draws in DRAWS if draws <= most):
        for name in COMPARED:
            error = relative_error(values[name][:, :draws].mean(axis=(0, 1), dtype=float), reference[name])
            rows.append(Row(task.setting, draws, f"{name}_error", error))
        rows.append(Row(task.setting, draws, "rhat_max", largest_r_hat(short, draws)))
    return rows


def relative_error(means: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    """The mean of the distances relative to a reference."""
    return float((np.abs(means - reference) / np.abs(reference)).mean())


def largest_r_hat(posterior: Posterior, draws: int) -> float:
    """The largest R-hat of all variables from the first draws of each chain; what is fixed has none."""
    found = [rhat_and_ess(posterior.samples.draws[name][:, :draws]).r_hat for name in VARIABLES]
    return float(np.nanmax(np.concatenate(found)))


STUDY = Study("convergence", 1, tasks, measure)
