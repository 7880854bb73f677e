"""A small class in one model whose reports can be redrawn, for tests that need thousands of simulated data sets."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri

import peerage
from peerage.gradebook.book import Gradebook
from peerage.inference.censored import censored_engine
from peerage.inference.censored.collapsed_graders import BIAS, COUNT, RELIABILITY
from peerage.inference.latent import latent_engine
from peerage.inference.layout import lay_out
from peerage.inference.numerics.arrays import Sums
from peerage.inference.numerics.likelihood import low_effort_density, low_effort_masses
from peerage.inference.sampling.chains import with_own_beliefs
from peerage.inference.sampling.samplers import engine_of
from peerage.model import Model
from support.references import twin

Floats = NDArray[np.float64]


def small_class() -> Gradebook:
    """Fourteen students who review four submissions each, and a TA: about 60 reviews of two components."""
    book, _ = peerage.simulate(students=14, weeks=1, tas=1, components=2, seed=0)
    return book


class Arena:
    """The class, its model, and a sampler (the product's, or a broken one) whose data can be replaced in place."""

    def __init__(self, model: Model, sweep: Any = None, book: Gradebook | None = None) -> None:
        self.book, self.model = book or small_class(), model
        self.layout = self.seen = lay_out(self.book, model)
        self.engine: Any = engine_of(self.layout)
        self.sweep = sweep or self.engine.sweep
        self.given = with_own_beliefs(self.engine.prepare(self.layout))
        self.work = self.engine.new_work(self.layout)
        layout = self.layout
        self.sums = Sums(
            np.zeros((layout.n_cells, layout.max_levels)), np.zeros(self.book.n_reviews), np.zeros(self.book.n_reviews)
        )
        self.review = layout.review_order[layout.report_review]
        self.grader = layout.reports.review_grader[layout.report_review]
        self.cell = layout.reports.report_cell
        self.value = np.zeros(len(self.cell))

    @cached_property
    def _by_level(self) -> tuple[Floats, Floats]:
        """(levels, reports): where each report's tables would start if it were of each level."""
        rows, columns = [], []
        for level in range(self.layout.max_levels):
            tables = censored_engine.prepare(
                lay_out(twin.with_levels(self.book, np.full((1, 1), level)), self.model)
            ).tables
            rows.append(tables.report_row)
            columns.append(tables.report_column)
        return np.array(rows), np.array(columns)

    @cached_property
    def _low_effort_masses(self) -> Floats:
        """(levels,): how probable each level is if no effort is made."""
        priors, centre = self.layout.priors, self.layout.true_grade_prior[0]
        return low_effort_masses(self.book.rubric.components[0].cuts, centre[0], priors.tau_l, priors.epsilon, 5.0)

    def put(self, reports: Floats) -> None:
        """Replace the class's reports, an array (reviews, components) as the twin draws it."""
        layout, priors = self.layout, self.layout.priors
        mine = reports[self.review, layout.report_component]
        centre = layout.true_grade_prior[0][layout.report_component]
        if self.model.censoring:
            level = mine.astype(int)
            self.seen = replace(layout, report_level=level)
            if layout.draws_latent_reports:
                habits = (latent_engine.prepare(self.seen) if layout.n_habits else self.given).habits
                self.given = self.given._replace(levels=latent_engine.levels_of(self.seen), habits=habits)
            else:
                rows, columns = self._by_level
                self.given.tables.report_row[:] = rows[level, np.arange(len(level))]
                self.given.tables.report_column[:] = columns[level, np.arange(len(level))]
                self.given.learning.report_level[:] = level
            cuts = self.book.rubric.components[0].cuts
            self.low_effort = self._low_effort_masses[level]
            edges = np.concatenate([[-np.inf], cuts, [np.inf]])
            self.low, self.high = edges[level], edges[level + 1]
        else:
            self.given.value[:] = mine
            self.low_effort = low_effort_density(mine, centre, priors.tau_l, priors.epsilon, 5.0)
        if not layout.draws_latent_reports:
            self.given.beliefs.log_low_effort[:] = np.log(np.maximum(self.low_effort, 1e-300))
        self.value = mine

    def redraw_latent(self, state: Any, rng: np.random.Generator) -> None:
        """Draw reports before rounding that belong to the reports that were put and to the state, if it has them."""
        if self.layout.draws_latent_reports:
            usual = self.given.places.cell_centre[self.cell]
            seen = usual + state.slope[self.grader] * (state.true_grade[self.cell] - usual)
            review = self.layout.report_review
            drift = state.drift[self.given.places.review_drift[review]]
            centre = seen + state.bias[self.grader] + state.halo[review] + drift
            sd = state.reliability[self.grader] ** -0.5
            low, high = ndtr((self.low - centre) / sd), ndtr((self.high - centre) / sd)
            latent = centre + sd * ndtri(np.clip(rng.uniform(low, high), 1e-300, 1 - 1e-16))
            state.latent[:] = np.clip(latent, self.low, self.high)

    def start(self, rng: np.random.Generator) -> Any:
        """A dispersed start."""
        return self.engine.initial_state(self.seen, self.given, rng)

    def centre(self, state: Any) -> None:
        """Let graders be reflected from the first sweep on, at the middle of their grids, where the prior is."""
        if self.layout.draws_latent_reports:
            state.centre[:] = 0.0, 1.0, 0.0, 1.0, 1000.0, 0.0
        elif self.model.censoring:
            for column, grid in ((RELIABILITY, self.layout.grids.reliability), (BIAS, self.layout.grids.bias)):
                middle = np.searchsorted(grid.points, 1.0 if grid.logarithmic else 0.0)
                state.centre[:, column : column + 2] = middle, (len(grid) / 8) ** 2
            state.centre[:, COUNT] = 1000.0

    def run(self, rng: np.random.Generator, state: Any, sweeps: int, keep: bool) -> Any:
        """Run sweeps; returns their draws."""
        draws = self.engine.new_draws(self.layout, sweeps if keep else 0)
        flags = (self.model.effort, self.layout.has_bias)
        self.sweep(rng, sweeps, 0, keep, *flags, self.given, state, self.sums, draws, self.work)
        return draws

    def values(self, variable: str, stored: NDArray[Any], rng: np.random.Generator | None = None) -> Floats:
        """Stored entries as numbers: grid points, or spread over their cells if a generator is given."""
        known = getattr(self.layout.known, variable, np.full(self.layout.n_cells, np.nan))
        if stored.dtype.kind == "f":
            values: Floats = stored.astype(np.float64)
        else:
            grid = getattr(self.layout.grids, variable)
            codes = np.minimum(stored, len(grid) - 1)
            values = grid.points[codes] if rng is None else grid.jittered(codes, rng).astype(np.float64)
        return np.where(np.isnan(known), values, known)

    def twin_state(self, state: Any) -> twin.State:
        """A chain's state in the twin's terms."""
        effortful = np.zeros(self.book.n_reviews, np.int64)
        effortful[self.layout.review_order] = state.effortful
        return twin.State(
            self.values("true_grade", state.true_grade).reshape(self.book.n_submissions, -1),
            self.values("reliability", state.reliability),
            self.values("bias", state.bias),
            state.effort.copy(),
            effortful,
        )

    def free(self, variable: str) -> NDArray[np.intp]:
        """The graders whose variable is inferred."""
        return np.flatnonzero(np.isnan(getattr(self.layout.known, variable)))

    def log_likelihood(self, s: Floats, p: Floats, b: Floats, e: Floats, low_effort: Floats | None = None) -> Floats:
        """(draws,): log density of all reports, efforts summed out, for draws (draw, entry) of all else.

        ``low_effort`` is that of each report if no effort is made; by default, that of the model's fixed priors.
        """
        centre, precision = s[:, self.cell] + b[:, self.grader], p[:, self.grader]
        if self.model.censoring:
            root = np.sqrt(precision)
            high = ndtr((self.high - centre) * root) - ndtr((self.low - centre) * root)
        else:
            high = stats.norm.pdf(self.value, centre, precision**-0.5)
        starts = self.layout.reports.review_reports[:-1]
        effort = e[:, self.layout.reports.review_grader]
        both = effort * np.multiply.reduceat(high, starts, axis=1)
        without = self.low_effort if low_effort is None else low_effort
        both += (1 - effort) * np.multiply.reduceat(without, starts, axis=-1)
        return np.asarray(np.log(np.maximum(both, 1e-300)).sum(axis=1))
