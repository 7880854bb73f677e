"""What methods need of a class, each with the reason that is given where the class does not have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peerage.gradebook import Gradebook

FEW = 11
"""The most grades that a component may have for methods that estimate something for each of them; 0 to 10 is 11."""


@dataclass(frozen=True)
class Need:
    """Something that a method needs: its name, why it needs it, and whether a class has it."""

    name: str
    reason: str
    is_met: Callable[[Gradebook], bool]

    def __str__(self) -> str:
        return self.name


def _authors_grade(book: Gradebook) -> bool:
    return not {author for team in book.authors for author in team}.isdisjoint(book.graders)


def _staff_grades(book: Gradebook) -> bool:
    return bool((book.is_staff[book.review_grader]).any())


def _someone_is_probed(book: Gradebook) -> bool:
    """Whether somebody graded two components that staff graded too."""
    review, component = np.nonzero(book.levels >= 0)
    cell = book.review_submission[review] * len(book.rubric) + component
    by_staff = book.is_staff[book.review_grader[review]]
    probed = np.isin(cell, cell[by_staff]) & ~by_staff
    return bool((np.bincount(book.review_grader[review][probed], minlength=1) > 1).any())


def _someone_ranks(book: Gradebook) -> bool:
    """Whether a grader has graded two submissions of an assignment on one component."""
    _, assignment = np.unique(np.array(book.assignments, dtype=object).astype(str), return_inverse=True)
    review, component = np.nonzero(book.levels >= 0)
    keys = np.stack([book.review_grader[review], assignment[book.review_submission[review]], component])
    return bool((np.unique(keys, axis=1, return_counts=True)[1] > 1).any())


AUTHORS = Need("authors", "it uses graders' own grades, and no grader is known to be an author", _authors_grade)
STAFF = Need("staff grades", "it anchors grades to those of staff, and no TA or instructor graded", _staff_grades)
PROBES = Need(
    "probes", "it measures graders on what staff graded too, and nobody graded two such components", _someone_is_probed
)
RATIO_SCALE = Need(
    "a ratio scale",
    "it divides by grades, so a component's lowest grade must be at least 0",
    lambda book: all(component.grades[0] >= 0 for component in book.rubric.components),
)
FEW_LEVELS = Need(
    "few legal grades",
    f"it estimates something for each grade of the scale, and a component has more than {FEW}",
    lambda book: all(component.n_levels <= FEW for component in book.rubric.components),
)
ONE_SCALE = Need(
    "one scale",
    "each grader has one set of steps between grades, and components have different numbers of grades",
    lambda book: len({component.n_levels for component in book.rubric.components}) == 1,
)
ASSIGNMENTS = Need(
    "several assignments",
    "it follows graders from assignment to assignment, and there is only one",
    lambda book: len(set(book.assignments)) > 1,
)
RANKINGS = Need(
    "rankings", "it uses who is ranked above whom, and nobody graded two submissions of an assignment", _someone_ranks
)
