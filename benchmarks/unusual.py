"""Classes that break one assumption of the model each: a simulator of our own, not the model's.

Only who reviews what is planned as for other simulated classes. 40 students hand in a work a week for four weeks and
give four reviews of four components, graded 0 to 5. True grades are around 3.5 (sd 0.8). Students' biases differ by 0.5
(sd), their errors have a mean precision of 1.5, and they look at four works of five; what they say of the fifth is
around the usual grade. TAs, if there are any, grade a quarter of the work; their biases differ by 0.15, and the mean
precision of their errors is 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import peerage as pg
from peerage.gradebook.book import STUDENT
from peerage.simulation.schedule import Schedule, Size, plan

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

RUBRIC = pg.Rubric.uniform(["Structure", "Evidence", "Style", "Code"], range(6))
TOP, LEAST, WEEKS = 5, 3, 4
"""The highest grade, the least that some graders give, and how many weeks there are."""

LEVEL, QUALITY, SPREAD, TA_SPREAD = 3.5, 0.8, 0.5, 0.15
"""The mean and sd of true grades, and the sd of students' and of TAs' biases."""


@dataclass(frozen=True)
class Kind:
    """What is different from a class that the model describes.

    Attributes
    ----------
    halo, merit: the share of the variance of a review's errors, and of true grades, that the components have in common
    narrow: the share of students who use half of the scale's range: differences between works are half as large to
        them
    floored: the share of students who never give less than 3
    drift: by how much biases move from week to week (sd)
    friends: the share of pairs of students who give each other 1 more
    ring: the share of the class who give each other the top
    generous: the students' mean bias
    tas: how many TAs there are
    students: how many students there are
    """

    halo: float = 0.0
    merit: float = 0.0
    narrow: float = 0.0
    floored: float = 0.0
    drift: float = 0.0
    friends: float = 0.0
    ring: float = 0.0
    generous: float = 0.0
    tas: int = 0
    students: int = 40


@dataclass(frozen=True, eq=False)
class UnusualClass:
    """The grades, and the truth on the scale of 0 to 5; the bias of a grader is its mean over the weeks.

    ``true_grade`` is (submissions, components), ``bias``, ``reliability`` and ``effort`` are (graders,); ``weekly`` are
    the (graders, weeks) biases.
    """

    book: pg.Gradebook
    true_grade: Floats
    bias: Floats
    reliability: Floats
    effort: Floats
    weekly: Floats


def draw_class(kind: Kind, seed: int) -> UnusualClass:
    """A class of a kind."""
    rng = np.random.default_rng(seed)
    schedule = plan(Size(students=kind.students, weeks=WEEKS, reviews_per_student=4, tas=kind.tas), rng)
    count, student = len(schedule.graders), schedule.roles == STUDENT
    true_grade = LEVEL + QUALITY * _with_a_common_part(kind.merit, len(schedule.submissions), rng)
    reliability = np.where(student, rng.gamma(3.0, 0.5, count), rng.gamma(6.0, 0.5, count))
    effort = np.where(student, rng.beta(8.0, 2.0, count), 1.0)
    bias = np.where(student, rng.normal(kind.generous, SPREAD, count), rng.normal(0.0, TA_SPREAD, count))
    weekly = bias[:, None] + kind.drift * student[:, None] * rng.standard_normal((count, WEEKS)).cumsum(axis=1)
    slope = np.where(_some_students(kind.narrow, student, rng), 0.5, 1.0)
    grader, submission = schedule.review_grader, schedule.review_submission
    week = np.unique(np.array(schedule.assignments), return_inverse=True)[1][submission]
    seen = LEVEL + slope[grader][:, None] * (true_grade[submission] - LEVEL)
    error = _with_a_common_part(kind.halo, len(grader), rng) / np.sqrt(reliability[grader])[:, None]
    reports = seen + weekly[grader, week][:, None] + error
    idle = rng.random(len(grader)) >= effort[grader]
    reports[idle] = LEVEL + rng.standard_normal((idle.sum(), len(RUBRIC)))
    _favour(reports, kind, schedule, rng)
    least = np.where(_some_students(kind.floored, student, rng), LEAST, -np.inf)[grader]
    levels = np.clip(np.floor(np.maximum(reports, least[:, None]) + 0.5), 0, TOP)
    book = schedule.book(RUBRIC, levels.astype(np.int16))
    return UnusualClass(book, true_grade, weekly.mean(axis=1), reliability, effort, weekly)


def _with_a_common_part(share: float, rows: int, rng: np.random.Generator) -> Floats:
    """(rows, components) standard normals that have a share of their variance in common in each row."""
    own = rng.standard_normal((rows, len(RUBRIC)))
    return np.asarray(np.sqrt(share) * rng.standard_normal((rows, 1)) + np.sqrt(1 - share) * own)


def _some_students(share: float, student: Flags, rng: np.random.Generator) -> Flags:
    """(graders,) a share of the students, at random."""
    chosen = rng.permutation(np.flatnonzero(student))[: round(share * student.sum())]
    return np.isin(np.arange(len(student)), chosen)


def _favour(reports: Floats, kind: Kind, schedule: Schedule, rng: np.random.Generator) -> None:
    """Put in what friends and fellows of a ring give each other."""
    student = schedule.roles == STUDENT
    friends = np.triu(rng.random((len(student), len(student))) < kind.friends)
    members = _some_students(kind.ring, student, rng)
    grader = schedule.review_grader
    author = np.array([team[0] for team in schedule.authors])[schedule.review_submission]
    reports += ((friends | friends.T)[grader, author] & student[grader])[:, None]
    reports[members[grader] & members[author]] = TOP
