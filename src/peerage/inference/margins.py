"""What is known of each variable by itself: means, intervals, convergence, from all draws or from running summaries.

Entries are cells (true grades) or graders, values on the model's scale. What is fixed is exact.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.inference.layout import Layout
from peerage.inference.numerics.grid_quantiles import code_quantiles
from peerage.inference.numerics.rhat_and_ess import Diagnostics, rhat_and_ess
from peerage.inference.sampling.chains import Samples
from peerage.inference.sampling.draws import Draws
from peerage.inference.sampling.kept_draws import grids_of
from peerage.inference.sampling.samplers import engine_of

Floats = NDArray[np.float64]


class Margins(Protocol):
    """The distribution of each variable's entries, one by one."""

    def means(self, variable: str) -> Floats:
        """(entries,) posterior means."""

    def quantiles(self, variable: str, probabilities: tuple[float, ...]) -> Floats:
        """(probabilities, entries) posterior quantiles."""

    def diagnose(self, variable: str, entries: NDArray[np.intp]) -> Diagnostics:
        """How well some entries were sampled."""

    def at_ends(self, variable: str) -> Floats:
        """(entries,) the share of draws in the first or last cell of the sampler's grid; 0 if it samples on none."""


def margins_of(layout: Layout, samples: Samples, draws: Draws, threads: int) -> Margins:
    """From running summaries if there are any, else from the draws."""
    return RunningMargins(layout, samples) if samples.running else DrawnMargins(layout, samples, draws, threads)


class DrawnMargins:
    """From stored draws."""

    def __init__(self, layout: Layout, samples: Samples, draws: Draws, threads: int) -> None:
        self.layout, self.stored, self.draws, self.threads = layout, samples.draws, draws, threads

    def means(self, variable: str) -> Floats:
        """(entries,) means of the draws, those on a grid spread over their cells."""
        return np.asarray(self.draws.on_model_scale(variable).mean(axis=(0, 1), dtype=float))

    def quantiles(self, variable: str, probabilities: tuple[float, ...]) -> Floats:
        """(probabilities, entries) quantiles of the draws; of true grades on a grid without its randomness."""
        stored = self.stored[variable]
        if variable == "true_grade" and stored.dtype.kind == "u":
            return _cut(self.layout, code_quantiles(stored, self.layout.grids.true_grade.edges, probabilities))
        values = self.draws.on_model_scale(variable)
        return np.asarray(np.quantile(values.reshape(-1, values.shape[2]), probabilities, axis=0))

    def diagnose(self, variable: str, entries: NDArray[np.intp]) -> Diagnostics:
        """R-hat and ESS from the ranks of the stored draws."""
        return rhat_and_ess(self.stored[variable].take(entries, axis=2), self.threads)

    def at_ends(self, variable: str) -> Floats:
        """(entries,) the share of stored indexes that are a grid's first or last."""
        stored = self.stored[variable]
        if stored.dtype.kind != "u" or not engine_of(self.layout).ON_GRID:
            return np.zeros(stored.shape[2])
        last = len(grids_of(self.layout)[variable]) - 1
        return np.asarray(((stored == 0) | (stored == last)).mean(axis=(0, 1)))


class RunningMargins:
    """From running summaries of all draws, of which only some are stored."""

    def __init__(self, layout: Layout, samples: Samples) -> None:
        self.layout, self.running, self.grids = layout, samples.running, grids_of(layout)
        self.on_grid = {name: stored.dtype.kind == "u" for name, stored in samples.draws.items()}

    def means(self, variable: str) -> Floats:
        """(entries,) means of the draws, spread over the cells that they were counted in."""
        return self._with_known(variable, self.running[variable].mean(self.grids[variable]))

    def quantiles(self, variable: str, probabilities: tuple[float, ...]) -> Floats:
        """(probabilities, entries) quantiles of the draws, to a cell of the grid."""
        found = self.running[variable].quantiles(self.grids[variable], probabilities)
        return self._with_known(variable, found)

    def diagnose(self, variable: str, entries: NDArray[np.intp]) -> Diagnostics:
        """Split R-hat and batch-means ESS."""
        return self.running[variable].diagnose(entries)

    def at_ends(self, variable: str) -> Floats:
        """(entries,) the share of draws counted in a grid's first or last cell."""
        running, is_bound = self.running[variable], engine_of(self.layout).ON_GRID
        return running.at_ends() if self.on_grid[variable] and is_bound else np.zeros(len(running.counts))

    def _with_known(self, variable: str, values: Floats) -> Floats:
        """Values (…, entries) with those that are fixed put in their place."""
        if variable == "true_grade":
            return _cut(self.layout, values)
        known = getattr(self.layout.known, variable)
        return np.asarray(np.where(np.isnan(known), values, known))


def _cut(layout: Layout, values: Floats) -> Floats:
    """True grades (…, cells), those that are fixed cut to their bin."""
    for cell in np.flatnonzero(layout.fixed_level != MISSING):
        values[..., cell] = np.clip(values[..., cell], *layout.bin_of(cell))
    return values
