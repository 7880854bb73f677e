"""Which draws are kept: all, or, where memory does not allow it, every few beside running summaries of all.

Draws on a grid take a byte or two, but tables and decisions make numbers of them, and sums by submission: what is kept
is limited by what all of that takes at its peak.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ModelError
from peerage.inference.layout import Layout
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.sampling.running_summaries import EFFORT_GRID, Recorder, RunningSummary

MEMORY = 1.0
"""How many gigabytes kept draws, and what is made of them, may take unless told otherwise."""

_CELL_BYTES, _GRADER_BYTES, _DRIFT_BYTES = 16, 64, 8
"""What a kept draw takes for each true grade, for each grader, and for each drift of a bias, at its peak."""

_FEWEST = 20
"""How many draws each chain keeps in any case, or all if there are not as many."""

_WITHOUT_SUMMARY = "habit", "slope", "drift"
"""What is kept of a draw besides the variables that running summaries are made of."""

NewRows = Callable[[Layout, int], Any]
"""From a number of draws to the arrays that kernels write them to."""


LEAST_MEMORY = 1e-6
"""The fewest gigabytes that draws can be given; there is no sense in less."""


def every_few(layout: Layout, chains: int, draws: int, memory: float) -> int:
    """Every how many draws one is kept, lest kept ones take more than so many gigabytes; 1 if all can be."""
    if not memory >= LEAST_MEMORY:
        raise ModelError(f"memory must be a positive number of gigabytes, {LEAST_MEMORY:f} at least, not {memory!r}")
    drifts = _DRIFT_BYTES * (layout.walks.n_entries - 1)
    a_draw = _CELL_BYTES * layout.n_cells + _GRADER_BYTES * layout.n_graders + drifts
    wanted = math.ceil(chains * draws * a_draw / (1e9 * memory))
    return max(1, min(wanted, draws // _FEWEST))


class Keeper(Protocol):
    """Takes in the draws of all chains.

    ``rows`` has, for each chain, the arrays that kernels write to, with ``room`` for so many draws, one after the other
    and then from the start again.
    """

    rows: list[Any]
    room: int

    def take(self, chain: int, draw: int) -> None:
        """Take in what a chain has written from ``draw`` on, before it writes more."""

    def draws(self, name: str) -> NDArray[Any]:
        """(chain, draw, entry) the kept draws of a variable."""

    def finish(self) -> dict[str, RunningSummary]:
        """Running summaries by variable; none if all draws are kept."""


class EveryDraw:
    """Kernels write draws to where they stay."""

    def __init__(self, layout: Layout, chains: int, draws: int, new_rows: NewRows) -> None:
        self.rows = [new_rows(layout, draws) for _ in range(chains)]
        self.room, self.layout = draws, layout

    def take(self, chain: int, draw: int) -> None:
        """Everything is in its place."""

    def draws(self, name: str) -> NDArray[Any]:
        """(chain, draw, entry) the draws of a variable."""
        return np.stack([getattr(rows, name) for rows in self.rows], dtype=kept_type(self.layout, name, self.rows[0]))

    def finish(self) -> dict[str, RunningSummary]:
        """There are none."""
        return {}


class EveryFew:
    """Kernels write one draw at a time, which is added to running summaries and, every so often, kept."""

    def __init__(self, layout: Layout, chains: int, draws: int, every: int, new_rows: NewRows) -> None:
        self.room = 1
        self.rows = [new_rows(layout, self.room) for _ in range(chains)]
        empty = new_rows(layout, 0)
        shapes = {
            name: (chains, draws // every, getattr(empty, name).shape[1])
            for name in (*_WITHOUT_SUMMARY, *grids_of(layout))
        }
        self.kept = {name: np.zeros(shape, kept_type(layout, name, empty)) for name, shape in shapes.items()}
        self.every, self.layout = every, layout
        self.recorders = {
            name: Recorder(grid, chains, draws, getattr(self.rows[0], name).shape[1])
            for name, grid in grids_of(layout).items()
        }
        n_hyper = self.rows[0].hyper.shape[1]
        self.whole = {
            "hyper": np.zeros((chains, draws, n_hyper)),
            "effortful_count": np.zeros((chains, draws), np.int64),
        }

    def take(self, chain: int, draw: int) -> None:
        """Add a draw to the summaries, and keep it if it is its turn."""
        rows, turn = self.rows[chain], (draw + 1) % self.every == 0
        for name, recorder in self.recorders.items():
            recorder.add(chain, draw, getattr(rows, name)[0])
        if turn:
            for name, kept in self.kept.items():
                kept[chain, draw // self.every] = getattr(rows, name)[0]
        for name, whole in self.whole.items():
            whole[chain, draw] = getattr(rows, name)[0]

    def draws(self, name: str) -> NDArray[Any]:
        """(chain, draw, entry) the kept draws of a variable; all of hyperparameters and of the count of efforts."""
        return self.whole[name] if name in self.whole else self.kept[name]

    def finish(self) -> dict[str, RunningSummary]:
        """The summaries of each variable."""
        return {name: recorder.finish() for name, recorder in self.recorders.items()}


def kept_type(layout: Layout, name: str, rows: Any) -> np.dtype[Any]:
    """How draws are kept of a variable that kernels write to such rows: grid indexes in a byte, if that holds them."""
    written: np.dtype[Any] = getattr(rows, name).dtype
    longest = max(len(layout.grids.true_grade), len(layout.grids.reliability), len(layout.grids.bias) + 1)
    return np.dtype(np.uint8) if written == np.uint16 and longest <= 256 else written


def grids_of(layout: Layout) -> dict[str, Grid]:
    """The grids on which the draws of each variable are counted."""
    grids = layout.grids
    return {
        "true_grade": grids.true_grade,
        "reliability": grids.reliability,
        "bias": grids.bias,
        "effort": EFFORT_GRID,
    }
