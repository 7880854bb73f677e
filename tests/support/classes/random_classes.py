"""Many small classes at random, of all shapes: uneven rubrics, missing grades, staff who agree and who differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peerage.gradebook.book import INSTRUCTOR, MISSING, STUDENT, TA, Gradebook
from peerage.model import Fixed
from peerage.rubric import Component, Rubric

STUDENTS, REVIEWS = 7, 3
SCALES = ((0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (0.0, 0.5, 1.0), (1.0, 2.0, 4.0, 8.0), (0.0, 2.5, 5.0, 7.5, 10.0))


def random_class(seed: int) -> Gradebook:
    """Seven students who review three others each, two TAs and an instructor who grade about a third of the work."""
    rng = np.random.default_rng(seed)
    scales = rng.permutation(len(SCALES))[: rng.integers(1, 4)]
    rubric = Rubric(tuple(Component(f"part {index}", SCALES[scale]) for index, scale in enumerate(scales)))
    pairs = [(u, (u + step) % STUDENTS) for u in range(STUDENTS) for step in range(1, REVIEWS + 1)]
    pairs += [(u, STUDENTS + member) for member in range(3) for u in range(STUDENTS) if rng.random() < 0.35]
    submission, grader = np.array(pairs).T
    staff, quality = grader >= STUDENTS, rng.normal(3.5, 1.2, STUDENTS)
    reports = quality[submission][:, None] + np.where(staff, 0.5, 1.0)[:, None] * rng.standard_normal(
        (len(pairs), len(rubric))
    )
    levels = np.stack([part.level_of(part.from_model(reports[:, c])) for c, part in enumerate(rubric.components)], 1)
    missing = rng.random(levels.shape) < 0.08
    missing[:, 0] = False
    _, first, number = np.unique(grader, return_index=True, return_inverse=True)
    roles = np.array([STUDENT] * STUDENTS + [TA, TA, INSTRUCTOR], np.int8)
    return Gradebook(
        rubric=rubric,
        submissions=tuple(f"work {index}" for index in range(STUDENTS)),
        graders=tuple(f"grader {index}" for index in np.sort(grader[first])),
        roles=roles[np.sort(grader[first])],
        authors=tuple((f"grader {index}",) for index in range(STUDENTS)),
        assignments=("",) * STUDENTS,
        review_submission=submission.astype(np.int32),
        review_grader=number.astype(np.int32),
        levels=np.where(missing, MISSING, levels).astype(np.int16),
    )


def known_graders(book: Gradebook, seed: int) -> Fixed:
    """Values for all graders: with fixed priors, nothing but the true grades is left to infer, which is exact."""
    rng = np.random.default_rng([seed, 1])
    return Fixed(
        effort={name: 1.0 for name, role in zip(book.graders, book.roles, strict=True) if role == STUDENT},
        reliability={name: float(rng.gamma(3.0, 0.5)) + 0.1 for name in book.graders},
        bias={name: float(rng.normal(0.0, 0.6)) for name in book.graders},
    )


def shuffled(book: Gradebook, rng: np.random.Generator) -> Gradebook:
    """The same class with other names, and everything in another order."""
    works, graders, reviews, parts = (
        rng.permutation(count) for count in (book.n_submissions, book.n_graders, book.n_reviews, len(book.rubric))
    )
    place, number = np.argsort(works), np.argsort(graders)
    components = [book.rubric.components[index] for index in parts]
    return replace(
        book,
        rubric=Rubric(tuple(replace(part, name=other(part.name)) for part in components)),
        submissions=tuple(other(book.submissions[index]) for index in works),
        graders=tuple(other(book.graders[index]) for index in graders),
        roles=book.roles[graders],
        authors=tuple(tuple(map(other, book.authors[index])) for index in works),
        review_submission=place[book.review_submission[reviews]].astype(np.int32),
        review_grader=number[book.review_grader[reviews]].astype(np.int32),
        levels=book.levels[reviews][:, parts],
    )


def other(name: str) -> str:
    """Another name."""
    return name[::-1]
