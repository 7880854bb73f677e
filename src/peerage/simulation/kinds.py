"""Kinds of class on which methods are compared: the model's own, others' home games, and classes that misbehave.

Each is of about 40 students in 2 weeks with 2 components graded 0 to 5, 4 reviews by each student, and two TAs who
grade a quarter of the work, unless that is what is particular about it. What is true is what staff would give: TAs'
biases differ little, whatever the students do, for a class has no other yardstick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from peerage.evaluation.benchmark.known_classes import ClassKind, KnownClass
from peerage.gradebook import STUDENT
from peerage.model import Fixed, Model
from peerage.rubric import Component, Rubric
from peerage.simulation import generative
from peerage.simulation.burrell import burrell_schoenebeck
from peerage.simulation.schedule import Schedule, Size, plan
from peerage.simulation.simulated_class import SETTINGS, simulate
from peerage.simulation.strategies import STRATEGIES, play

Floats = NDArray[np.float64]
Reporter = Callable[[Schedule, np.random.Generator], tuple[Floats, Floats]]
"""From a plan to (submissions, components) true grades and (reviews, components) reports, on the scale of 0 to 5."""

STUDENTS, WEEKS, COMPONENTS, TAS = 40, 2, 2, 2
STAFF_SPREAD = 0.2
"""How much the biases of staff differ (sd)."""

SHARES = (0.1, 0.3, 0.5)
MISBEHAVIOUR = ("random", "always top", "hedge", "lower rivals", "ring of friends")

_SCALES = Rubric(
    (
        Component("Text", tuple(map(float, range(6)))),
        Component("Code", (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)),
        Component("Total", tuple(map(float, range(0, 101, 10)))),
    )
)


def _simulated(seed: int, *, share: float = 0.0, strategy: str = "", **settings: Any) -> KnownClass:
    """A class of Peerage's own model, in which a share of students follows a strategy."""
    size = {"students": STUDENTS, "weeks": WEEKS, "components": COMPONENTS, "tas": TAS} | settings
    biases = np.random.default_rng([seed, 2]).normal(0.0, STAFF_SPREAD, TAS)
    fixed = Fixed(bias={f"ta{index + 1}": float(bias) for index, bias in enumerate(biases)})
    model = size.pop("model", None) or _priors(**SETTINGS[size.pop("setting", "b")])
    book, truth = simulate(**size, model=replace(model, fixed=fixed), seed=seed)
    if share:
        rng = np.random.default_rng([seed, 1])
        students = rng.permutation(np.flatnonzero(book.roles == STUDENT))
        book = play(book, STRATEGIES[strategy], students[: round(share * len(students))], rng)
    scaled = [entry.to_model(truth.true_grade[:, place]) for place, entry in enumerate(book.rubric.components)]
    return KnownClass(book, np.clip(np.stack(scaled, axis=1), 0, 5))


def _reported(seed: int, *, report: Reporter, weeks: int = WEEKS, students: int = STUDENTS) -> KnownClass:
    """A class of another model, which says what is true and what is reported."""
    rng = np.random.default_rng(seed)
    schedule = plan(Size(students=students, weeks=weeks, reviews_per_student=4, tas=TAS), rng)
    truth, reports = report(schedule, rng)
    rubric = Rubric.uniform([f"Component {index + 1}" for index in range(truth.shape[1])], range(6))
    book = schedule.book(rubric, generative.to_levels(rubric, reports))
    return KnownClass(book, np.clip(truth, 0, 5))


@dataclass(frozen=True)
class _Graders:
    """Usual graders: students' biases of 0.5, staff's of 0.2, errors of 0.7 on average."""

    bias: Floats
    sd: Floats
    by_student: NDArray[np.bool_]

    @classmethod
    def drawn(cls, schedule: Schedule, rng: np.random.Generator) -> _Graders:
        by_student = schedule.roles == STUDENT
        bias = rng.normal(0, np.where(by_student, 0.5, STAFF_SPREAD))
        return cls(bias, rng.gamma(4, 0.7 / 4, len(bias)), by_student)


def _halo(schedule: Schedule, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Components go together (three quarters of their variance), and so do the errors of a review (half)."""
    work, graders = len(schedule.submissions), _Graders.drawn(schedule, rng)
    truth = 3.5 + 0.9 * (0.75**0.5 * rng.normal(size=(work, 1)) + 0.5 * rng.normal(size=(work, COMPONENTS)))
    reviews = len(schedule.review_grader)
    error = 0.5**0.5 * (rng.normal(size=(reviews, 1)) + rng.normal(size=(reviews, COMPONENTS)))
    centre = truth[schedule.review_submission] + graders.bias[schedule.review_grader][:, None]
    return truth, centre + graders.sd[schedule.review_grader][:, None] * error


def _part_of_the_scale(schedule: Schedule, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Students shrink differences to 30 to 100 % of what they see, around a level of their own."""
    graders = _Graders.drawn(schedule, rng)
    truth = rng.normal(3.2, 1.0, (len(schedule.submissions), COMPONENTS))
    used = np.where(graders.by_student, rng.uniform(0.3, 1.0, len(graders.bias)), 1.0)[schedule.review_grader][:, None]
    seen = truth[schedule.review_submission] + graders.sd[schedule.review_grader][:, None] * rng.normal(
        size=(len(schedule.review_grader), COMPONENTS)
    )
    return truth, 3.2 + graders.bias[schedule.review_grader][:, None] + used * (seen - 3.2)


def _drift(schedule: Schedule, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Students' biases walk by 0.5 from week to week."""
    graders = _Graders.drawn(schedule, rng)
    weeks = {name: index for index, name in enumerate(dict.fromkeys(schedule.assignments))}
    week = np.array([weeks[name] for name in schedule.assignments])[schedule.review_submission]
    steps = rng.normal(0, 0.5, (len(schedule.graders), len(weeks))) * graders.by_student[:, None]
    bias = graders.bias[:, None] + np.cumsum(steps, axis=1)
    truth = rng.normal(3.5, 0.9, (len(schedule.submissions), COMPONENTS))
    error = graders.sd[schedule.review_grader][:, None] * rng.normal(size=(len(week), COMPONENTS))
    return truth, truth[schedule.review_submission] + bias[schedule.review_grader, week][:, None] + error


def _rasch(schedule: Schedule, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The many-facet Rasch model, with steps from −1.5 to 1.5; the truth is what an average rater gives on average."""
    ability = rng.normal(0.4, 1.0, len(schedule.submissions))
    severity = rng.normal(0, np.where(schedule.roles == STUDENT, 0.6, STAFF_SPREAD))
    slope, steps = rng.lognormal(0, 0.4, len(schedule.graders)), np.linspace(-1.5, 1.5, 5)

    def masses(gap: Floats, sharp: Floats) -> Floats:
        below = np.concatenate([[0.0], np.cumsum(steps)])
        exponent = 1.7 * sharp[:, None] * (np.arange(6) * gap[:, None] - below)
        odds = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    who, what = schedule.review_grader, schedule.review_submission
    chances = masses(ability[what] - severity[who], slope[who]).cumsum(axis=1)
    columns = [(rng.random((len(who), 1)) > chances).sum(axis=1) for _ in range(COMPONENTS)]
    truth = masses(ability, np.ones(len(ability))) @ np.arange(6)
    return np.repeat(truth[:, None], COMPONENTS, axis=1), np.stack(columns, axis=1).astype(float)


def _bradley_terry(schedule: Schedule, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Graders only rank: by strength and logistic noise; the best of a bundle gets a 5, the next a 4, and so on."""
    strength = rng.normal(0, 1.5, (len(schedule.submissions), 1))
    look = strength[schedule.review_submission, 0] + rng.gumbel(size=len(schedule.review_grader))
    weeks = np.unique(np.array(schedule.assignments), return_inverse=True)[1][schedule.review_submission]
    order = np.lexsort((-look, weeks, schedule.review_grader))
    bundle = schedule.review_grader[order] * (weeks.max() + 1) + weeks[order]
    start = np.flatnonzero(np.append(True, bundle[1:] != bundle[:-1]))
    size = np.diff(np.append(start, len(order)))
    place = np.arange(len(order)) - np.repeat(start, size)
    grade = np.empty(len(order))
    grade[order] = 5 - place * 4 / np.maximum(np.repeat(size, size) - 1, 3)
    return 5 * expit(strength), grade[:, None]


def _burrell(seed: int) -> KnownClass:
    book, truth = burrell_schoenebeck(STUDENTS, WEEKS, seed)
    return KnownClass(book, truth.true_grade[:, None] / 2)


def _priors(**priors: float) -> Model:
    return Model(priors="paper").with_priors(**priors)


KINDS: tuple[ClassKind, ...] = (
    ClassKind("paper-a", "the paper's class (a), with small biases", partial(_simulated, setting="a")),
    ClassKind("paper-b", "the paper's class (b)", partial(_simulated, setting="b")),
    ClassKind("paper-c", "the paper's class (c), whose careless reports are alike", partial(_simulated, setting="c")),
    ClassKind("near-the-top", "grades near the top", partial(_simulated, model=_priors(mu_s=4.8, sigma_s=0.7))),
    ClassKind("one-week", "one week alone", partial(_simulated, weeks=1)),
    ClassKind("three-scales", "components of three scales", partial(_simulated, components=_SCALES)),
    ClassKind("halo", "components that go together, and reviews with a halo", partial(_reported, report=_halo)),
    ClassKind("part-of-scale", "graders who use part of the scale", partial(_reported, report=_part_of_the_scale)),
    ClassKind("drift", "biases that drift over four weeks", partial(_reported, report=_drift, weeks=4, students=20)),
    ClassKind("burrell", "Burrell and Schoenebeck's classes", _burrell),
    ClassKind("rasch", "the many-facet Rasch model", partial(_reported, report=_rasch)),
    ClassKind("bradley-terry", "graders who only rank", partial(_reported, report=_bradley_terry)),
    *(
        ClassKind(
            f"{strategy.replace(' ', '-')}-{share:.0%}".replace("%", ""),
            f"{share:.0%} of graders: {strategy}",
            partial(_simulated, share=share, strategy=strategy),
        )
        for strategy in MISBEHAVIOUR
        for share in SHARES
    ),
)
"""All simulated kinds."""
