"""From a posterior to one case for each submission: whose reports can be averaged, and what is graded otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.explain.weight_problem import WHOLE, Floats, Integers, WeightProblem, desired_weights, pose
from peerage.decisions.posterior_needs import GradedCells
from peerage.gradebook.book import MISSING, Gradebook
from peerage.inference.posterior import Posterior
from peerage.rubric import Component, Rubric


@dataclass(frozen=True, eq=False)
class Case:
    """A submission, its reviews and its components.

    Attributes
    ----------
    submission: its index
    reviews: indexes of the reviews that hold a grade which may count
    levels: (reviews, components) the reports that may count, as levels
    n_replaced: (components,) how many reports of others a grade by staff replaces
    averaged: indexes of the components whose grade is an average of reports
    fixed: the levels of components that were fixed, by index
    ungraded: the most likely levels of components that nobody graded, by index
    crowded: the most likely levels of components whose graders cannot all have a whole percent, by index
    subtracted: (reviews,) what is subtracted from each report, in tenths on the model's scale
    desired: (reviews,) the desired weights, in millionths
    masses: for each averaged component, the probabilities of its levels
    """

    submission: int
    reviews: NDArray[np.intp]
    levels: NDArray[np.int16]
    n_replaced: NDArray[np.intp]
    averaged: tuple[int, ...]
    fixed: dict[int, int]
    ungraded: dict[int, int]
    crowded: dict[int, int]
    subtracted: Integers
    desired: Integers
    masses: tuple[Floats, ...]

    def problem(self, rubric: Rubric) -> WeightProblem:
        """How to weigh the reviews such that rounded averages are probable grades."""
        subtracted = self.subtracted if self.subtracted.any() else None
        return pose(self.levels[:, self.averaged], self._components(rubric), self.masses, self.desired, subtracted)

    def on_the_models_scale(self, rubric: Rubric) -> tuple[Floats, Floats]:
        """(reviews, averaged components) what enters the averages, NaN where nothing does, and the expected grades."""
        components = self._components(rubric)
        reported = np.full((len(self.reviews), len(components)), np.nan)
        for place, (index, component) in enumerate(zip(self.averaged, components, strict=True)):
            graded = self.levels[:, index] != MISSING
            reported[graded, place] = component.scaled[self.levels[graded, index]] - self.subtracted[graded] / 10
        masses = zip(components, self.masses, strict=True)
        return reported, np.array([component.scaled @ (mass / mass.sum()) for component, mass in masses])

    def _components(self, rubric: Rubric) -> list[Component]:
        return [rubric.components[index] for index in self.averaged]


def holding_a_grade(book: Gradebook, levels: NDArray[np.int16]) -> NDArray[np.intp]:
    """The reviews whose row in ``levels`` holds a grade, submission by submission."""
    reviews = np.flatnonzero((levels != MISSING).any(axis=1))
    return np.asarray(reviews[np.argsort(book.review_submission[reviews], kind="stable")])


def graded_by_staff(book: Gradebook) -> NDArray[np.bool_]:
    """(submissions, components): whether a TA or an instructor graded it."""
    graded = np.zeros((book.n_submissions, len(book.rubric)), dtype=bool)
    staff = np.flatnonzero(book.is_staff[book.review_grader])
    np.logical_or.at(graded, book.review_submission[staff], book.levels[staff] != MISSING)
    return graded


def without_replaced(book: Gradebook) -> NDArray[np.int16]:
    """(reviews, components): the reported levels, without others' reports on what staff graded too."""
    by_others = ~book.is_staff[book.review_grader]
    replaced = graded_by_staff(book)[book.review_submission] & by_others[:, None]
    return np.where(replaced, np.int16(MISSING), book.levels)


def cases_of(posterior: Posterior, subtracted: Integers, staff_final: bool) -> Iterator[Case]:
    """The case of each submission, in order.

    ``subtracted`` is what is subtracted from each review's reports, in tenths on the model's scale; with
    ``staff_final``, staff alone count where they graded.
    """
    book, known = posterior.book, GradedCells.of(posterior)
    components = book.rubric.components
    influence = posterior.reviews()["influence"].to_numpy()
    counting = without_replaced(book) if staff_final else book.levels
    n_replaced = np.zeros((book.n_submissions, len(components)), np.intp)
    np.add.at(n_replaced, book.review_submission, counting != book.levels)
    holding = holding_a_grade(book, counting)
    reviews_of = np.split(holding, np.searchsorted(book.review_submission[holding], np.arange(1, book.n_submissions)))
    cells_of = np.split(np.arange(len(known)), known.starts[1:-1])
    for submission, (reviews, cells) in enumerate(zip(reviews_of, cells_of, strict=True)):
        levels = counting[reviews]
        averaged, masses, n_partly = [], [], 0
        fixed: dict[int, int] = {}
        ungraded: dict[int, int] = {}
        crowded: dict[int, int] = {}
        for cell in cells:
            index = int(known.component[cell])
            mass = known.level_mass[cell, : components[index].n_levels].astype(float)
            if known.fixed_level[cell] != MISSING:
                fixed[index] = int(known.fixed_level[cell])
            elif (levels[:, index] == MISSING).all():
                ungraded[index] = int(mass.argmax())
            elif n_partly == WHOLE:
                # Somebody who graded each component has to count, which a hundred percents allow a hundred times.
                crowded[index] = int(mass.argmax())
            else:
                n_partly += bool((levels[:, index] == MISSING).any())
                averaged.append(index)
                masses.append(mass)
        yield Case(
            submission,
            reviews,
            levels,
            n_replaced[submission],
            tuple(averaged),
            fixed,
            ungraded,
            crowded,
            subtracted[reviews],
            desired_weights(influence[reviews]),
            tuple(masses),
        )
