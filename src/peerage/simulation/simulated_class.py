"""Simulated classes: :func:`simulate` plans a class and draws everything in it from the model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from peerage.errors import InputError, ModelError, Problem
from peerage.gradebook.book import STUDENT, Gradebook
from peerage.inference.features.drifting import Walks
from peerage.inference.features.heaping import UNITS
from peerage.model import Model
from peerage.rubric import Rubric
from peerage.simulation import generative
from peerage.simulation.schedule import Schedule, Size, plan
from peerage.simulation.truth import Truth

SETTINGS = {
    "a": {"sigma_b": 0.1, "tau_l": 1.0},
    "b": {"sigma_b": 1.0, "tau_l": 1.0},
    "c": {"sigma_b": 1.0, "tau_l": 4.0},
}
"""The hyperparameters in which the paper's three simulated classes differ."""


def simulate(
    students: int = 120,
    weeks: int = 10,
    seed: int | np.random.Generator = 0,
    *,
    reviews_per_student: int = 4,
    tas: int = 3,
    ta_share: float = 0.25,
    components: int | Rubric = 4,
    calibrations: int = 0,
    submissions_per_week: int | None = None,
    team_size: int = 1,
    setting: str | None = None,
    model: Model | None = None,
    merit: float = 0.0,
    halo: float = 0.0,
    scale: float = 0.0,
    heaping: Mapping[float, float] | None = None,
    drift: float = 0.0,
) -> tuple[Gradebook, Truth]:
    """Draw a class from the model: its gradebook, and the truth behind it.

    The defaults are the paper's class (b). Everyone gives, and every submission gets, the same number of reviews, and
    nobody reviews their own work.

    Parameters
    ----------
    students, weeks, reviews_per_student, tas, ta_share, calibrations, submissions_per_week, team_size:
        see :class:`~peerage.simulation.schedule.Size`
    seed: a number, or a generator to draw from
    components: a rubric, or how many components are graded 0 to 5
    setting: "a", "b" or "c" gives the model that class's ``sigma_b`` and ``tau_l``
    model: what to draw from, by default the paper's model and hyperparameters; its fixed reliabilities, biases and
        efforts hold for the graders of those names
    merit: the part of the variance of true grades that the components of a submission share
    halo: the part of the variance of a report's error that the components of a review share
    scale: how much students' use of the scale differs (standard deviation around 1)
    heaping: which shares of the grades of a fine scale are rounded to multiples of 10, 5, 1, 0.5 and 0.25, such as
        ``{1: 0.6, 0.5: 0.3}``; the others may be any legal grade
    drift: how far students' biases move from one week to the next (standard deviation); those that the model fixes stay

    >>> book, truth = simulate(students=10, weeks=2)
    >>> book.n_reviews, truth.true_grade.shape
    (84, (20, 4))
    """
    model = _resolve(model, setting)
    rng = np.random.default_rng(seed)
    size = Size(
        students=students,
        weeks=weeks,
        reviews_per_student=reviews_per_student,
        tas=tas,
        ta_share=ta_share,
        calibrations=calibrations,
        submissions_per_week=submissions_per_week,
        team_size=team_size,
    )
    _check_parts(merit, halo, scale, drift, heaping or {})
    rubric = _rubric(components)
    return draw(model, plan(size, rng), rubric, rng, merit=merit, halo=halo, scale=scale, heaping=heaping, drift=drift)


def draw(
    model: Model,
    schedule: Schedule,
    rubric: Rubric,
    rng: np.random.Generator,
    *,
    merit: float = 0.0,
    halo: float = 0.0,
    scale: float = 0.0,
    heaping: Mapping[float, float] | None = None,
    drift: float = 0.0,
) -> tuple[Gradebook, Truth]:
    """Draw graders, true grades, efforts and reports for a class that has been planned."""
    is_author = np.isin(np.arange(len(schedule.graders)), [index for team in schedule.authors for index in team])
    graders = generative.draw_graders(model, schedule.graders, schedule.roles, is_author, rng)
    true_grade = generative.draw_true_grades(
        model, len(rubric), schedule.authors, graders.reliability, rng, merit=merit
    )
    effortful = generative.draw_effortful(graders.effort, schedule.review_grader, rng)
    slope = generative.draw_slopes(scale, schedule.roles, rng)[schedule.review_grader][:, None]
    usual = np.array(model.hyperparameters.for_components(len(rubric))[0])
    seen = usual + slope * (true_grade[schedule.review_submission] - usual)
    fixed = np.isin(np.array(schedule.graders, dtype=object), list(model.fixed.bias))
    walks = Walks.of(schedule.assignments, (schedule.roles == STUDENT) & ~fixed)
    drifts = generative.draw_drift(drift, walks.start > 0, len(walks.assignments), rng)
    week = walks.week[schedule.review_submission]
    centre = seen + (graders.bias[schedule.review_grader] + drifts[schedule.review_grader, week])[:, None]
    precision = graders.reliability[schedule.review_grader]
    reports = generative.draw_reports(model, centre, precision, effortful, rng, halo=halo)
    if heaping:
        reports = generative.heaped(rubric, reports, heaping, rng)
    book = schedule.book(rubric, generative.to_levels(rubric, reports))
    columns = [component.from_model(true_grade[:, index]) for index, component in enumerate(rubric.components)]
    return book, Truth(
        book, model, np.stack(columns, axis=1), graders.reliability, graders.bias, graders.effort, effortful, drifts
    )


def _check_parts(merit: float, halo: float, scale: float, drift: float, heaping: Mapping[float, float]) -> None:
    for name, share in (("merit", merit), ("halo", halo)):
        if not 0 <= share < 1:
            raise InputError(f"{name} is the part of a variance that is shared, from 0 to less than 1, not {share!r}")
    for name, spread in (("scale", scale), ("drift", drift)):
        if not 0 <= spread <= 1:
            raise InputError(f"{name} is a standard deviation from 0 to 1, not {spread!r}")
    known = sorted({unit for units in UNITS for unit in units}, reverse=True)
    if any(unit not in known or share < 0 for unit, share in heaping.items()) or sum(heaping.values()) > 1 + 1e-9:
        names = ", ".join(f"{unit:g}" for unit in known)
        raise InputError(f"heaping has shares, at most 1 in all, of grades rounded to {names}, not {dict(heaping)!r}")


def _resolve(model: Model | None, setting: str | None) -> Model:
    """The model with the setting's hyperparameters; where it would learn them, the others are the paper's."""
    model = Model() if model is None else model
    if model.fixed.true_grade:
        raise ModelError("a simulated class draws its true grades; fix reliabilities, biases or efforts only")
    if setting is None:
        return model.with_priors()
    if setting not in SETTINGS:
        raise InputError(Problem(f"there is no class {setting!r}", f"choose one of {', '.join(SETTINGS)}"))
    return model.with_priors(**SETTINGS[setting])


def _rubric(components: int | Rubric) -> Rubric:
    if isinstance(components, Rubric):
        return components
    if isinstance(components, bool) or not isinstance(components, int) or components < 1:
        raise InputError(f"components must be a rubric or a whole number of at least 1, not {components!r}")
    return Rubric.uniform([f"Component {index + 1}" for index in range(components)], range(6))
