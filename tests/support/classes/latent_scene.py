"""A class drawn from the default model, with a chain that stands where it was drawn: for tests of single updates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logsumexp

from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.hyperparameters import ERROR, HALO, HALO_HERE, MERIT, of_components
from peerage.model import Model
from support.classes.shared_arena import COMPONENTS, draw_class, draw_reports, shared_arena

Floats = NDArray[np.float64]

DRAWS = 4000
"""How often an update is made that is compared with its density."""

LIMIT = float(stats.norm.isf(1e-3 / 2000))
"""Standard errors that a mean or a variance may be off: a thousand comparisons fail falsely once in a thousand runs."""


class Scene:
    """A class drawn from the model, with everything that a chain holds set to what it was drawn with."""

    def __init__(self, grades: Sequence[float] = range(6), model: Model | None = None) -> None:
        self.rng = np.random.default_rng(5)
        self.arena = shared_arena(model or Model(), grades=grades)
        drawn = draw_class(self.arena, self.rng)
        drawn.theta[MERIT], drawn.theta[HALO] = 0.4, 0.3
        if self.arena.layout.has_halo:
            drawn.theta[of_components(HALO_HERE, COMPONENTS)] = 0.9, -0.2, 0.3
            drawn.theta[of_components(ERROR, COMPONENTS)] = 0.2, -0.3, 0.1
        self.arena.put(draw_reports(self.arena, drawn, self.rng))
        self.given, self.layout, self.work = self.arena.given, self.arena.layout, self.arena.work
        self.state = self.arena.start(self.rng)
        self.state.hyper[:] = drawn.theta
        self.state.effortful[:] = self.rng.random(self.arena.book.n_reviews) < 0.7
        self.state.merit[:] = self.rng.standard_normal(len(self.state.merit))
        self.state.halo[:] = 0.5 * self.rng.standard_normal(len(self.state.halo))
        self.state.reliability[:] = self.rng.gamma(2, 1, self.layout.n_graders)
        self.state.slope[:] = np.where(self.layout.may_stretch, self.rng.normal(1, 0.3, self.layout.n_graders), 1.0)
        self.state.drift[:] = drawn.drift
        self.arena.redraw_latent(self.state, self.rng)
        refresh(self.given, self.state.hyper)

    @property
    def merit(self) -> float:
        """Merit's share."""
        return float(expit(self.state.hyper[MERIT]))

    @property
    def own(self) -> Floats:
        """(components,) the variance of each component's own errors, times the reliability."""
        sizes, shares = self._sizes_and_shares
        return np.asarray(sizes**2 * (1 - shares))

    @property
    def loading(self) -> Floats:
        """(components,) what part of a review's halo each component's errors have."""
        sizes, shares = self._sizes_and_shares
        return np.asarray(sizes * np.sqrt(shares))

    @property
    def errors(self) -> Floats:
        """(components, components) the covariance of a review's errors, times the reliability."""
        return np.diag(self.own) + np.outer(self.loading, self.loading)

    @property
    def _sizes_and_shares(self) -> tuple[Floats, Floats]:
        shares = expit(self.state.hyper[of_components(HALO_HERE, COMPONENTS)])
        return np.exp(self.state.hyper[of_components(ERROR, COMPONENTS)]), np.asarray(shares)

    @property
    def cell_centre(self) -> NDArray[np.float64]:
        """(cells,) the usual report of each cell's component, around which slopes turn."""
        return np.asarray(self.given.learning.mean_report[self.layout.reports.cell_component])

    def reviews(self, grader: int) -> list[int]:
        """The effortful reviews of a grader."""
        first, last = self.layout.reports.grader_reviews[grader : grader + 2]
        return [review for review in range(first, last) if self.state.effortful[review]]

    def reports(self, review: int | np.integer[Any]) -> slice:
        """Where a review's reports are."""
        return slice(*self.layout.reports.review_reports[review : review + 2])


def seen(scene: Scene, grader: Any, cell: Any, true_grade: Floats) -> Floats:
    """What a grader would report without bias and error."""
    usual = scene.cell_centre[cell]
    return np.asarray(usual + scene.state.slope[grader] * (true_grade - usual))


def distances(scene: Scene, grader: int) -> list[Floats]:
    """The distances of a grader's effortful reports from what was seen, review by review."""
    state, found = scene.state, []
    for review in scene.reviews(grader):
        place = scene.reports(review)
        cell = scene.layout.reports.report_cell[place]
        found.append(state.latent[place] - seen(scene, grader, cell, state.true_grade[cell]))
    return found


def log_density(values: list[Floats], bias: float, precision: float, errors: Floats) -> float:
    """Log density of distances whose reviews share an error, from the covariance of errors times the precision."""
    if not values:
        return 0.0
    normal = stats.multivariate_normal(np.full(len(errors), bias), errors / precision)
    return float(np.sum(normal.logpdf(np.array(values))))


def check_density(drawn: Floats, grid: Floats, log: Floats) -> None:
    """Whether draws have the mean and the variance of a density that is given on a grid."""
    weights = np.exp(log - logsumexp(log))
    mean = (weights * grid).sum()
    variance = (weights * (grid - mean) ** 2).sum()
    assert abs(drawn.mean() - mean) < LIMIT * np.sqrt(variance / len(drawn))
    assert abs(drawn.var() / variance - 1) < 1.5 * LIMIT * np.sqrt(2 / len(drawn))


def difference(scene: Scene, coordinate: int, step: float, log: Any) -> float:
    """How much a log density changes if a hyperparameter moves."""
    before = log()
    scene.state.hyper[coordinate] += step
    refresh(scene.given, scene.state.hyper)
    after = log()
    scene.state.hyper[coordinate] -= step
    refresh(scene.given, scene.state.hyper)
    return float(after - before)
