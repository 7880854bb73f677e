"""Submissions to be weighed, and a twin of the program that looks at every weight vector there is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from peerage.decisions.explain.weight_problem import WeightLimits, WeightProblem, desired_weights, pose
from peerage.gradebook.book import MISSING
from peerage.rubric import Component
from support.classes.classes import scales

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Submission:
    """Reports (graders, components), the components, the probabilities of their grades, and the graders' influence."""

    levels: NDArray[np.int16]
    components: tuple[Component, ...]
    masses: tuple[NDArray[np.float64], ...]
    influence: NDArray[np.float64]

    @property
    def problem(self) -> WeightProblem:
        return pose(self.levels, self.components, self.masses, self.desired)

    @property
    def desired(self) -> Integers:
        return desired_weights(self.influence)


@st.composite
def submissions(draw: st.DrawFn, max_graders: int) -> Submission:
    """Any rubric, missing grades, graders of no influence."""
    n = draw(st.integers(1, max_graders))
    components = tuple(
        Component(f"c{index}", tuple(map(float, draw(scales())))) for index in range(draw(st.integers(1, 3)))
    )
    columns = []
    for component in components:
        column = draw(st.lists(st.integers(MISSING, component.n_levels - 1), min_size=n, max_size=n))
        column[0] = max(column[0], 0) if max(column) == MISSING else column[0]
        columns.append(column)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Submission(
        levels=np.array(columns, dtype=np.int16).T,
        components=components,
        masses=tuple(rng.dirichlet(np.ones(component.n_levels)) for component in components),
        influence=np.array(draw(st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0, 1.1, 5.0]), min_size=n, max_size=n))),
    )


def typical(n: int, rng: np.random.Generator, top: int = 5, missing: float = 0.0) -> Submission:
    """Four components graded 0 to ``top``, reports around a true grade, and a posterior that is not far from it."""
    components = tuple(Component(f"c{index}", tuple(map(float, range(top + 1)))) for index in range(4))
    true = rng.uniform(0, top, 4)
    levels = np.clip(np.rint(true + rng.normal(0, top / 4, (n, 4))), 0, top).astype(np.int16)
    absent = rng.random((n, 4)) < missing
    absent[rng.integers(n)] = False
    levels[absent] = MISSING
    centres = true + rng.normal(0, top / 8, 4)
    densities = [np.exp(-0.5 * ((np.arange(top + 1) - centre) / (top / 8)) ** 2) for centre in centres]
    return Submission(levels, components, tuple(mass / mass.sum() for mass in densities), rng.gamma(1.5, 1, n))


@cache
def whole_percents(n: int) -> Integers:
    """Every vector of n whole percents that add up to 100."""
    if n == 1:
        return np.array([[100]])
    others = np.stack(np.meshgrid(*[np.arange(101)] * (n - 1), indexing="ij"), axis=-1).reshape(-1, n - 1)
    others = others[others.sum(axis=1) <= 100]
    return np.column_stack([others, 100 - others.sum(axis=1)])


def legal(submission: Submission, least: int) -> Integers:
    """Every weight vector that is zero or at least so many percents, and leaves no component without a report."""
    weights = whole_percents(len(submission.levels))
    shares = weights @ (submission.levels != MISSING)
    return np.asarray(weights[((weights == 0) | (weights >= least)).all(axis=1) & (shares > 0).all(axis=1)])


def largest_shifts(submission: Submission, weights: Integers) -> Integers:
    """The largest difference from a desired weight, in millionths, of each weight vector."""
    return np.asarray(np.abs(weights * 10_000 - submission.desired).max(axis=1))


def objectives(submission: Submission, weights: Integers, penalty: float) -> NDArray[np.float64]:
    """The objective of each weight vector, the averages rounded in whole numbers of half a hundredth."""
    totals = -penalty * np.abs(weights * 10_000 - submission.desired).sum(axis=1) / 1e6
    for levels, component, mass in zip(submission.levels.T, submission.components, submission.masses, strict=True):
        grades = [round(grade * 100) for grade in component.grades]
        graded = levels != MISSING
        doubled = weights[:, graded] @ (2 * np.array(grades)[levels[graded]])
        share = weights[:, graded].sum(axis=1)
        reached = [doubled >= share * (low + high) for low, high in pairwise(grades)]
        totals = totals + mass[np.sum(reached, axis=0)]
    return np.asarray(totals)


def brute_force(submission: Submission, limits: WeightLimits, penalty: float) -> float | None:
    """The best objective of all weight vectors within the limits; None if there is none."""
    weights = legal(submission, limits.least)
    within = weights[largest_shifts(submission, weights) <= limits.shift]
    return float(objectives(submission, within, penalty).max()) if len(within) else None
