"""``misspecification``: what wrong priors cost.

The paper's figure on robustness (d–g) and its appendix. Each class is fitted with the priors that it was drawn from,
and with one of seven hyperparameters below or above its true value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from peerage.model import Model, Priors
from peerage.simulation.simulated_class import SETTINGS
from peerage_studies.measures import latent_mae, recovery
from peerage_studies.study_definition import Course, Row, Study, Task
from peerage_studies.study_fits import fitted
from peerage_studies.wrong_priors import VALUES, changed, moments

TRUTH = "truth"
"""The setting of the task that fits the true priors, whose value names the hyperparameters that are varied."""

QUICK = ("mu_s", "sigma_s", "sigma_b", "tau_l")
"""Those of which the paper shows that they matter."""


def tasks(courses: Sequence[Course], quick: bool) -> Iterator[Task]:
    """A fit with the true priors, and one for each wrong value; of each hyperparameter's, the extremes if quick."""
    for course in courses:
        names = QUICK if quick else tuple(VALUES)
        yield Task(course, TRUTH, ", ".join(names))
        true = moments(true_priors(course))
        for name in names:
            wrong = [value for value in VALUES[name] if value != true[name]]
            yield from (Task(course, name, value) for value in ((wrong[0], wrong[-1]) if quick else wrong))


def true_priors(course: Course) -> Priors:
    """The priors that a class is drawn from."""
    return Priors.paper(**SETTINGS[course.kind])


def measure(task: Task, seed: int) -> list[Row]:
    """Fit the class and compare with the truth."""
    book, truth = task.course.simulate(seed)
    true = truth.model.hyperparameters
    if task.setting == TRUTH:
        places = {name: moments(true)[name] for name in str(task.value).split(", ")}
        model = truth.model
    else:
        places = {task.setting: float(task.value)}
        model = Model(priors=changed(true, task.setting, float(task.value)))
    posterior = fitted(task.course, seed, book, model)
    found = recovery(posterior, truth) | {"latent_mae": latent_mae(posterior, truth)}
    return [
        Row(setting, value, metric, result) for setting, value in places.items() for metric, result in found.items()
    ]


STUDY = Study("misspecification", 1, tasks, measure)
