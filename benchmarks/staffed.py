"""Classes near the top of their scale that staff graded in part: a simulator of our own, not the model's.

Grades are from 0 to 5 until they are rounded. Components are worth 2 to 4 points and graded by halves, or by 0.05,
and then most grades are rounded to whole and half points all the same; most true grades lie near the top. Students are
severe or generous as a whole against the staff, whose biases differ a little. Part of a submission's quality is common
to its components (``merit``), and part of a report's error to its review (``halo``). The truth is what the population
of staff would give in the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import peerage as pg
from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA
from peerage.rubric import Component, Rubric

Floats = NDArray[np.float64]

HEAPS = {1.0: 0.6, 0.5: 0.3, 0.25: 0.05, 0.1: 0.05}
"""To what units grades of a fine scale are rounded, and which share of them."""


@dataclass(frozen=True)
class Kind:
    """What a class is like.

    Attributes
    ----------
    students, reviews: how many students there are, each with one submission, and how many reviews each gives
    mean_bias, spread: the students' mean bias against staff, and how much it differs between them (sd)
    staff, share: how many staff grade which share of the submissions each
    staff_spread: how much the biases of staff differ (sd)
    instructors: whether staff are instructors, not TAs
    level, quality: where true grades lie, in the mean over components, and how much they differ (sd)
    merit, halo: which share of the variance of true grades, and of errors, the components have in common
    heaped: whether there are five components graded by 0.05, and grades are rounded as ``HEAPS`` has it
    """

    students: int = 80
    reviews: int = 3
    mean_bias: float = 0.0
    spread: float = 0.4
    staff: int = 0
    share: float = 0.0
    staff_spread: float = 0.15
    instructors: bool = False
    level: float = 4.4
    quality: float = 0.8
    merit: float = 0.6
    halo: float = 0.5
    heaped: bool = False


@dataclass(frozen=True, eq=False)
class Class:
    """The grades, and the truth on the scale of 0 to 5: (submissions, components), and the graders' biases."""

    book: pg.Gradebook
    true_grade: Floats
    bias: Floats


def draw_class(kind: Kind, seed: int) -> Class:
    """A class of a kind."""
    rng = np.random.default_rng(seed)
    rubric = _rubric(kind, rng)
    n, size, staff = kind.students, len(rubric), kind.staff
    means = kind.level + rng.normal(0.0, 0.3, size)
    common, own = rng.standard_normal((n, 1)), rng.standard_normal((n, size))
    true_grade = means + kind.quality * (np.sqrt(kind.merit) * common + np.sqrt(1 - kind.merit) * own)
    bias = np.append(rng.normal(kind.mean_bias, kind.spread, n), rng.normal(0.0, kind.staff_spread, staff))
    reliability = np.append(rng.gamma(3.0, 0.6, n), rng.gamma(8.0, 0.6, staff))
    effort = np.append(rng.beta(9.0, 1.0, n), np.ones(staff))
    submission, grader = _pairs(kind, rng)
    shared, alone = rng.standard_normal((len(grader), 1)), rng.standard_normal((len(grader), size))
    noise = (np.sqrt(kind.halo) * shared + np.sqrt(1 - kind.halo) * alone) / np.sqrt(reliability[grader])[:, None]
    reports = true_grade[submission] + bias[grader][:, None] + noise
    idle = rng.random(len(grader)) >= effort[grader]
    reports[idle] = np.clip(means + kind.mean_bias, 0, 5) + 0.7 * rng.standard_normal((idle.sum(), size))
    if kind.heaped:
        reports = _heaped(rubric, reports, rng)
    levels = [np.searchsorted(part.cuts, reports[:, c], side="right") for c, part in enumerate(rubric.components)]
    roles = np.array([STUDENT] * n + [INSTRUCTOR if kind.instructors else TA] * staff, np.int8)
    present = np.isin(np.arange(n + staff), grader)
    book = pg.Gradebook(
        rubric=rubric,
        submissions=tuple(f"work{index:03}" for index in range(n)),
        graders=tuple(np.array([f"grader{index:03}" for index in range(n + staff)])[present].tolist()),
        roles=roles[present],
        authors=tuple((f"grader{index:03}",) for index in range(n)),
        assignments=("",) * n,
        review_submission=submission.astype(np.int32),
        review_grader=(np.cumsum(present) - 1)[grader].astype(np.int32),
        levels=np.stack(levels, axis=1).astype(np.int16),
    )
    return Class(book, true_grade, bias[present])


def _rubric(kind: Kind, rng: np.random.Generator) -> Rubric:
    """Three to five components of 2 to 4 points, by halves; or five of them, by 0.05."""
    tops, step = rng.integers(2, 5, 5 if kind.heaped else rng.integers(3, 6)), 0.05 if kind.heaped else 0.5
    grades = [np.round(np.arange(0, top + step / 2, step), 2) for top in tops]
    return Rubric(tuple(Component(f"Q{c + 1}", tuple(legal.tolist())) for c, legal in enumerate(grades)))


def _heaped(rubric: Rubric, reports: Floats, rng: np.random.Generator) -> Floats:
    """The reports, each rounded to a multiple of one of the units."""
    unit = rng.choice(list(HEAPS), size=reports.shape, p=list(HEAPS.values()))
    top = np.array([part.grades[-1] for part in rubric.components])
    return np.asarray(np.floor(reports * top / 5 / unit + 0.5) * unit * 5 / top)


def _pairs(kind: Kind, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who grades what: students the next ones in a random circle, staff a random share each."""
    order = rng.permutation(kind.students)
    pairs = [
        (order[(place + step) % kind.students], order[place])
        for place in range(kind.students)
        for step in range(1, kind.reviews + 1)
    ]
    for member in range(kind.staff):
        chosen = rng.choice(kind.students, max(round(kind.share * kind.students), 1), replace=False)
        pairs += [(submission, kind.students + member) for submission in np.sort(chosen)]
    submission, grader = np.array(pairs).T
    return submission, grader
