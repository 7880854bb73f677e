"""A class drawn from the default model, with a chain that stands where it was drawn: for tests of single updates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.hyperparameters import HALO, MERIT
from peerage.model import Model
from support.shared_arena import draw_class, draw_reports, shared_arena


class Scene:
    """A class drawn from the model, with everything that a chain holds set to what it was drawn with."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(5)
        self.arena = shared_arena(Model())
        drawn = draw_class(self.arena, self.rng)
        drawn.theta[MERIT], drawn.theta[HALO] = 0.4, 0.3
        self.arena.put(draw_reports(self.arena, drawn, self.rng))
        self.given, self.layout, self.work = self.arena.given, self.arena.layout, self.arena.work
        self.state = self.arena.start(self.rng)
        self.state.hyper[:] = drawn.theta
        self.state.effortful[:] = self.rng.random(self.arena.book.n_reviews) < 0.7
        self.state.merit[:] = self.rng.standard_normal(len(self.state.merit))
        self.state.halo[:] = 0.5 * self.rng.standard_normal(len(self.state.halo))
        self.state.reliability[:] = self.rng.gamma(2, 1, self.layout.n_graders)
        self.state.slope[:] = np.where(self.layout.may_stretch, self.rng.normal(1, 0.3, self.layout.n_graders), 1.0)
        self.arena.redraw_latent(self.state, self.rng)
        refresh(self.given.learning, self.given.levels, self.given.beliefs, self.state.hyper)

    @property
    def shares(self) -> tuple[float, float]:
        """Merit's share, and the odds of halo's."""
        return float(expit(self.state.hyper[MERIT])), float(np.exp(self.state.hyper[HALO]))

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
