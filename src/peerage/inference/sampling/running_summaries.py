"""Running summaries: what is known of each variable by itself when not all draws are kept.

Each draw is counted in a cell of its variable's grid, which gives means and intervals. How well the chains agree is
told by sums over their halves, how many draws were effective by sums over batches: with Q the sum over batches of the
squared sum of a batch divided by its length, B batches, N draws and their mean m, (Q − N·m²)/(B − 1) estimates the
variance of √N·m, and the ESS is N times the variance of a draw divided by that. B batches leave it a relative error of
√(2/B); with four chains that is 16 %.

Sums are of *positions*: indexes into a grid, or values where there are any, in logarithms if the grid is logarithmic.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.grid_quantiles import count_quantiles
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.numerics.rhat_and_ess import MINIMUM_DRAWS, Diagnostics

Floats = NDArray[np.float64]

HALVES = 2
BATCHES = 10
"""Batches of each half chain: long ones, for batches shorter than the draws' memory would pass for independent."""

EFFORT_GRID = Grid.linear(0.0025, 0.005, 200)


@dataclass(frozen=True, eq=False)
class RunningSummary:
    """A variable's summaries over all draws of all chains.

    Attributes
    ----------
    counts: (entries, cells) how many draws fell into each cell of the grid
    sums, squares: (chains, stretches, entries) of positions and of their squares, over each half of each run
    lengths: (stretches,) how many draws a stretch has
    batches: (entries,) the sum over batches of the squared sum of a batch, divided by its length
    """

    counts: NDArray[np.unsignedinteger]
    sums: Floats
    squares: Floats
    lengths: NDArray[np.int64]
    batches: Floats

    def followed_by(self, later: RunningSummary) -> RunningSummary:
        """These summaries and those of later draws of the same chains, as one."""
        total = len(self.sums) * int(self.lengths.sum() + later.lengths.sum())
        return RunningSummary(
            self.counts.astype(_count_type(total)) + later.counts,
            np.concatenate([self.sums, later.sums], axis=1),
            np.concatenate([self.squares, later.squares], axis=1),
            np.concatenate([self.lengths, later.lengths]),
            self.batches + later.batches,
        )

    def mean(self, grid: Grid) -> Floats:
        """(entries,) means of draws spread evenly over their cells."""
        low, high = grid.edges[:-1], grid.edges[1:]
        centres = (high - low) / np.log(high / low) if grid.logarithmic else grid.points
        total = np.zeros(len(self.counts))
        for cell, centre in enumerate(centres):
            total += centre * self.counts[:, cell]
        return total / self._n_draws

    def quantiles(self, grid: Grid, probabilities: tuple[float, ...]) -> Floats:
        """(probabilities, entries) quantiles of draws spread evenly over their cells."""
        edges = np.log(grid.edges) if grid.logarithmic else grid.edges
        found = count_quantiles(self.counts, edges, probabilities)
        return np.exp(found) if grid.logarithmic else found

    def at_ends(self) -> Floats:
        """(entries,) the share of draws in the first or last cell of the grid."""
        return np.asarray((self.counts[:, 0].astype(np.int64) + self.counts[:, -1]) / self._n_draws)

    def diagnose(self, entries: NDArray[np.intp]) -> Diagnostics:
        """Split R-hat and batch-means ESS of some entries; tails are not told apart."""
        chains, draws = len(self.sums), int(self.lengths.sum())
        r_hat, ess, tail = np.full((3, len(entries)), np.nan)
        if draws >= MINIMUM_DRAWS:
            sums = self.sums[:, :, entries].reshape(-1, len(entries))
            squares = self.squares[:, :, entries].reshape(-1, len(entries))
            lengths = np.tile(self.lengths, chains)[:, None]
            n_batches = int(np.minimum(lengths, BATCHES).sum())
            if chains > 1:
                r_hat = _r_hat(sums, squares, lengths)
            ess = _ess(sums.sum(axis=0), squares.sum(axis=0), int(lengths.sum()), self.batches[entries], n_batches)
        return Diagnostics(r_hat, ess, tail, chains, draws)

    @property
    def _n_draws(self) -> int:
        return len(self.sums) * int(self.lengths.sum())


def _r_hat(sums: Floats, squares: Floats, lengths: NDArray[np.int64]) -> Floats:
    """The split R-hat of stretches (rows), weighted by their lengths."""
    means, length = sums / lengths, lengths.mean()
    within = np.maximum(squares - sums * means, 0.0).sum(axis=0) / (lengths - 1).sum()
    centre = sums.sum(axis=0) / lengths.sum()
    between = (lengths * (means - centre) ** 2).sum(axis=0) / (length * (len(lengths) - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(between / within + (length - 1) / length))


def _ess(sums: Floats, squares: Floats, n_draws: int, batches: Floats, n_batches: int) -> Floats:
    """The effective sample size by batch means, with the same upper limit as the spectral one."""
    mean = sums / n_draws
    variance = np.maximum(squares / n_draws - mean**2, 0.0)
    of_mean = np.maximum(batches - n_draws * mean**2, 0.0) / (n_batches - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ess = np.minimum(n_draws * variance / of_mean, n_draws * math.log10(n_draws))
    return np.where(variance == 0, float(n_draws), ess)


class Recorder:
    """Collects one variable's running summaries from the chains' threads, draw by draw."""

    def __init__(self, grid: Grid, chains: int, draws: int, entries: int) -> None:
        self.grid = grid
        first = draws // HALVES
        self.lengths = np.array([first, draws - first], np.int64)
        self.counts = np.zeros((entries, len(grid)), _count_type(chains * draws))
        self.sums, self.squares = np.zeros((2, chains, HALVES, entries))
        self.open, self.batches = np.zeros((2, chains, entries))
        self.stretch = np.repeat(np.arange(HALVES), self.lengths)
        batch = np.concatenate([np.arange(size) * min(BATCHES, size) // max(size, 1) for size in self.lengths])
        batch += BATCHES * self.stretch
        self.batch_length = np.bincount(batch)[batch]
        self.closes = np.append(np.diff(batch) != 0, True)
        self._rows, self._lock = np.arange(entries), threading.Lock()

    def add(self, chain: int, draw: int, values: NDArray[Any]) -> None:
        """Take in a chain's draw: (entries,) indexes into the grid, or values."""
        codes, positions = self._placed(values)
        stretch = self.stretch[draw]
        self.sums[chain, stretch] += positions
        self.squares[chain, stretch] += positions**2
        self.open[chain] += positions
        if self.closes[draw]:
            self.batches[chain] += self.open[chain] ** 2 / self.batch_length[draw]
            self.open[chain] = 0.0
        with self._lock:
            self.counts[self._rows, codes] += 1

    def finish(self) -> RunningSummary:
        """The summaries of all draws taken in."""
        return RunningSummary(self.counts, self.sums, self.squares, self.lengths, self.batches.sum(axis=0))

    def _placed(self, values: NDArray[Any]) -> tuple[NDArray[Any], Floats]:
        last = len(self.grid) - 1
        if values.dtype.kind == "u":
            codes = np.minimum(values, last)  # a fixed bias has a code past the grid's end
            return codes, codes.astype(np.float64)
        positions, edges = values.astype(np.float64), self.grid.edges
        if self.grid.logarithmic:
            positions, edges = np.log(positions), np.log(edges)
        codes = np.floor((positions - edges[0]) / (edges[1] - edges[0]))
        return np.clip(codes, 0, last).astype(np.intp), positions


def _count_type(n_draws: int) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if n_draws <= np.iinfo(np.uint16).max else np.uint32
