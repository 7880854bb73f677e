"""The simulated classes of Burrell and Schoenebeck (2023), on which mechanisms of payment are compared.

In each assignment everybody hands in one piece of work and grades that of their neighbours in a random regular graph,
so that two students who grade each other do so both ways. On a scale of 0 to 10:

- true grade ~ Binomial(10, 0.7);
- bias of a grader ~ N(0, 1);
- a grader looks at the work 1 + Poisson(effort) times, where effort ~ Uniform(0, 2); a look is a draw of
  Binomial(10, (true grade + bias) / 10), with the probability cut at 0 and 1;
- the report is the average of the looks, rounded to a whole number (half to the even one).

With ``active`` graders, effort is a choice of two: they look three times, and the others once.

N. Burrell and G. Schoenebeck, "Measurement Integrity in Peer Prediction: A Peer Assessment Case Study", EC 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError
from peerage.gradebook.book import Gradebook
from peerage.rubric import Rubric

TOP = 10
"""The highest grade; the lowest is 0."""

QUALITY = 0.7
MOST_EFFORT = 2.0
ACTIVE_LOOKS = 3

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LooksTruth:
    """What was true of such a class.

    Attributes
    ----------
    true_grade: (submissions,) from 0 to 10
    bias: (graders,) on the same scale
    effort: (graders,) the mean number of looks beyond the first
    """

    true_grade: Floats
    bias: Floats
    effort: Floats


def burrell_schoenebeck(
    students: int = 100,
    assignments: int = 10,
    seed: int | np.random.Generator = 0,
    *,
    reviews_per_student: int = 4,
    biased: bool = True,
    active: int | None = None,
    clusters: bool = False,
) -> tuple[Gradebook, LooksTruth]:
    """Draw a class: its gradebook, and the truth behind it.

    Parameters
    ----------
    students, assignments, reviews_per_student: the size of the class
    seed: a number, or a generator to draw from
    biased: whether graders have biases
    active: if given, so many graders look three times and all others once
    clusters: students grade in groups of ``reviews_per_student``, each the work of the next group

    >>> book, truth = burrell_schoenebeck(students=20, assignments=2)
    >>> book.n_reviews, truth.true_grade.shape
    (160, (40,))
    """
    _check(students, assignments, reviews_per_student, clusters)
    rng = np.random.default_rng(seed)
    bias = rng.normal(size=students) if biased else np.zeros(students)
    effort = rng.uniform(0, MOST_EFFORT, students)
    if active is not None:
        effort = np.where(rng.permutation(students) < active, ACTIVE_LOOKS - 1.0, 0.0)
    places = [_clustered(students, reviews_per_student)] * assignments if clusters else []
    places = places or [regular_graph(students, reviews_per_student, rng) for _ in range(assignments)]
    author, grader = (np.concatenate(parts) for parts in zip(*places, strict=True))
    submission = author + np.repeat(np.arange(assignments) * students, students * reviews_per_student)
    true_grade = rng.binomial(TOP, QUALITY, students * assignments).astype(float)
    looks = (effort[grader] if active is not None else rng.poisson(effort[grader])) + 1
    chance = np.clip((true_grade[submission] + bias[grader]) / TOP, 0, 1)
    reports = np.rint(rng.binomial(TOP * looks.astype(np.int64), chance) / looks)
    names = tuple(f"student{index + 1:03}" for index in range(students))
    labels = [f"assignment{index + 1:02}" for index in range(assignments)]
    book = Gradebook(
        rubric=Rubric.uniform(["Grade"], range(TOP + 1)),
        submissions=tuple(f"{label}-{name}" for label in labels for name in names),
        graders=names,
        roles=np.zeros(students, np.int8),
        authors=tuple((name,) for _ in labels for name in names),
        assignments=tuple(label for label in labels for _ in names),
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=reports.astype(np.int16)[:, None],
    )
    return book, LooksTruth(true_grade, bias, effort)


def regular_graph(nodes: int, degree: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Both ends of every edge of a random simple graph in which each node has the same degree, in both directions.

    Stubs are paired at random; those that would make a loop or a second edge are paired anew, and where that leads
    nowhere everything is.
    """
    while True:
        known: set[tuple[int, int]] = set()
        stubs, stuck = np.repeat(np.arange(nodes), degree), 0
        while len(stubs) and stuck < nodes:
            pairs = np.sort(rng.permutation(stubs).reshape(-1, 2), axis=1)
            left: list[int] = []
            for first, second in pairs.tolist():
                if first == second or (first, second) in known:
                    left += [first, second]
                else:
                    known.add((first, second))
            stuck = stuck + 1 if len(left) == len(stubs) else 0
            stubs = np.array(left, dtype=np.int64)
        if not len(stubs):
            edges = np.array(sorted(known), dtype=np.int64)
            ends = np.concatenate([edges, edges[:, ::-1]])
            order = np.lexsort((ends[:, 1], ends[:, 0]))
            return ends[order, 0], ends[order, 1]


def _clustered(students: int, size: int) -> tuple[Integers, Integers]:
    """Authors and graders where each cluster grades the work of the next one."""
    author = np.repeat(np.arange(students), size)
    first = (author // size - 1) % (students // size) * size
    return author, first + np.tile(np.arange(size), students)


def _check(students: int, assignments: int, reviews: int, clusters: bool) -> None:
    if min(students, assignments, reviews) < 1 or reviews >= students:
        raise InputError("a class needs assignments, and more students than each of them reviews")
    if students * reviews % 2:
        raise InputError("students who grade each other need an even number of reviews in all")
    if clusters and (students % reviews or students == reviews):
        raise InputError(f"clusters of {reviews} need a multiple of {reviews} students, and two clusters at least")
