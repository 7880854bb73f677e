"""From a posterior to one case for each submission: whose reports can be averaged, and what is graded otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.problem import Integers, WeightProblem, desired_weights, pose
from peerage.gradebook import MISSING
from peerage.inference.posterior import Posterior


@dataclass(frozen=True, eq=False)
class Case:
    """A submission, its reviews and its components.

    Attributes
    ----------
    submission: its index
    reviews: indexes of the reviews that hold a grade
    averaged: indexes of the components whose grade is an average of reports
    fixed: the levels of components that were fixed, by index
    ungraded: the most likely levels of components that nobody graded, by index
    bias: (reviews,) what is taken off each report, in tenths on the model's scale
    problem: how to weigh the reviews, for the averaged components
    """

    submission: int
    reviews: NDArray[np.intp]
    averaged: tuple[int, ...]
    fixed: dict[int, int]
    ungraded: dict[int, int]
    bias: Integers
    problem: WeightProblem


def cases_of(posterior: Posterior, adjust_bias: bool) -> Iterator[Case]:
    """The case of each submission, in order; with ``adjust_bias``, graders' mean biases are taken off their reports."""
    book, layout, samples = posterior.book, posterior.layout, posterior.samples
    components = book.rubric.components
    influence = posterior.reviews()["influence"].to_numpy()
    biases = np.zeros(book.n_reviews, np.int64)
    if adjust_bias:
        means = posterior.draws["bias"].mean(axis=(0, 1), dtype=float)
        biases = np.rint(10 * means).astype(np.int64)[book.review_grader]
    holding = np.flatnonzero((book.levels != MISSING).any(axis=1))
    holding = holding[np.argsort(book.review_submission[holding], kind="stable")]
    reviews_of = np.split(holding, np.searchsorted(book.review_submission[holding], np.arange(1, book.n_submissions)))
    cells_of = np.split(
        np.arange(layout.n_cells), np.searchsorted(layout.cell_submission, np.arange(1, book.n_submissions))
    )
    for submission, (reviews, cells) in enumerate(zip(reviews_of, cells_of, strict=True)):
        levels = book.levels[reviews]
        averaged, masses, fixed, ungraded = [], [], {}, {}
        for cell in cells:
            index = int(layout.reports.cell_component[cell])
            mass = samples.level_mass[cell, : components[index].n_levels].astype(float)
            if layout.fixed_level[cell] != MISSING:
                fixed[index] = int(layout.fixed_level[cell])
            elif (levels[:, index] == MISSING).all():
                ungraded[index] = int(mass.argmax())
            else:
                averaged.append(index)
                masses.append(mass)
        problem = pose(
            levels[:, averaged],
            [components[index] for index in averaged],
            masses,
            desired_weights(influence[reviews]),
            biases[reviews] if adjust_bias else None,
        )
        yield Case(submission, reviews, tuple(averaged), fixed, ungraded, biases[reviews], problem)
