"""Heaping: on a fine scale most people round to whole numbers, halves, fives or tens.

Equations (G1) and (G2) of docs/model.md say what that means for a report. Whatever a scale allows, its natural units
are the same few. A grid of grades belongs to each: the unit's multiples and both ends of the scale. A unit that a scale
does not have, or that is no coarser than its own grades, stands for the next finer one that it has, and at last for all
its grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.arrays import F64, I64
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.hyperparameters import CLASSWIDE, N_UNITS, ROUNDED
from peerage.rubric import SMALLEST_GAP, Component

Floats = NDArray[np.float64]

UNITS = ((1.0, 0.5, 0.25), (10.0, 5.0, 1.0))
"""The units of a short scale and of a long one, the coarsest first."""

LONG = 25
"""A long scale has more grades than this, and the highest lies at least so far above the lowest."""

PRIOR = np.array([4.0, 2.0, 1.0, 1.0])
"""The Dirichlet hyperprior of the shares of a scale's units, and at last of any grade: equation (G2)."""

SMALLEST = 1e-9
"""No share is smaller."""

_FEWEST = 3
"""A grid has at least so many grades."""

_FAVOURITE = 1
"""The unit on whose grid habits lie: halves, or fives."""


@dataclass(frozen=True, eq=False)
class Rounding:
    """How grades of a component may be rounded.

    Attributes
    ----------
    component: whose grades they are
    kind: the row of ``UNITS``
    units: those that the scale has
    grids: the levels on each grid, all of them first and then from the finest to the coarsest
    grid_of: the grid of each unit of the kind, and at last of any grade
    """

    component: Component
    kind: int
    units: tuple[float, ...]
    grids: tuple[NDArray[np.int64], ...]
    grid_of: tuple[int, ...]

    @classmethod
    def of(cls, component: Component, *, heaping: bool = True) -> Rounding:
        """From the legal grades; without heaping, all of them are the only grid."""
        kind = int(component.n_levels > LONG and component.grades[-1] - component.grades[0] >= LONG)
        found = {unit: _multiples(component, unit) for unit in UNITS[kind]} if heaping else {}
        known = {unit: levels for unit, levels in found.items() if levels is not None}
        grids = (np.arange(component.n_levels), *reversed(known.values()))
        grid, grid_of = 0, [0]
        for unit in reversed(UNITS[kind]):
            grid += unit in known
            grid_of.append(grid)
        return cls(component, kind, tuple(known), grids, tuple(reversed(grid_of)))

    @property
    def favourites(self) -> NDArray[np.int64]:
        """The levels that may be a habit."""
        return self.grids[self.grid_of[_FAVOURITE]]

    def favourites_at(self, part: Floats) -> NDArray[np.int64]:
        """Of these, the ones at some parts of the way from the lowest to the highest."""
        return np.asarray(self.favourites[np.floor(part * (len(self.favourites) - 1) + 0.5).astype(np.int64)])

    @cached_property
    def edges(self) -> tuple[Floats, ...]:
        """The ends of the bins of each grid, midway between neighbours, on the model's scale."""
        scaled = [self.component.scaled[levels] for levels in self.grids]
        return tuple(np.concatenate([[-np.inf], (grid[1:] + grid[:-1]) / 2, [np.inf]]) for grid in scaled)


def _multiples(component: Component, unit: float) -> NDArray[np.int64] | None:
    """The levels that are multiples of a unit or an end, if all multiples are legal and other grades are too."""
    steps = component.values / unit
    on = np.abs(steps - np.round(steps)) * unit <= SMALLEST_GAP
    slack = SMALLEST_GAP / unit
    if on.sum() < np.floor(steps[-1] + slack) - np.ceil(steps[0] - slack) + 1:
        return None
    on[[0, -1]] = True
    return np.flatnonzero(on) if _FEWEST <= on.sum() < len(on) else None


@by_reference
class CoarseBins(NamedTuple):
    """The bins of all coarser grids, as kernels read them.

    Each grade has a code: its component times the most levels of any, plus its level. From ``start`` of its code on are
    the bins of the grids on which it lies, from the finest; ``share`` is where the weight of a bin's grid stands among
    those of all components (component, grid), ``own`` that of all grades, by code. ``kind`` is each component's, −1 if
    it has no coarser grid, and ``grid_of`` the grid of each unit.
    """

    on: bool
    start: I64
    low: F64
    high: F64
    share: I64
    own: I64
    kind: I64
    grid_of: I64

    @classmethod
    def of(cls, roundings: Sequence[Rounding], max_levels: int) -> CoarseBins:
        """Those of a rubric."""
        start, low, high, share = [0], [], [], []
        for index, rounding in enumerate(roundings):
            for level in range(max_levels):
                for grid in range(1, len(rounding.grids)):
                    place = np.searchsorted(rounding.grids[grid], level)
                    if place < len(rounding.grids[grid]) and rounding.grids[grid][place] == level:
                        low.append(rounding.edges[grid][place])
                        high.append(rounding.edges[grid][place + 1])
                        share.append(index * (N_UNITS + 1) + grid)
                start.append(len(low))
        return cls(
            on=bool(low),
            start=np.array(start, np.int64),
            low=np.array(low, np.float64),
            high=np.array(high, np.float64),
            share=np.array(share, np.int64),
            own=np.repeat(np.arange(len(roundings)) * (N_UNITS + 1), max_levels),
            kind=np.array([rounding.kind if rounding.units else -1 for rounding in roundings], np.int64),
            grid_of=np.array([rounding.grid_of for rounding in roundings], np.int64),
        )

    def by_report(self, code: I64) -> tuple[F64, F64, I64]:
        """(grid, report) both ends of bins on coarser grids, and ``own``, of reports with these codes; none if off."""
        low, high = (np.full((N_UNITS, len(code) if self.on else 0), np.inf) for _ in range(2))
        if self.on:
            for place in range(N_UNITS):
                mine = np.flatnonzero(self.start[code] + place < self.start[code + 1])
                bins = self.start[code[mine]] + place
                grid = self.share[bins] - self.own[code[mine]] - 1
                low[grid, mine], high[grid, mine] = self.low[bins], self.high[bins]
        return low, high, self.own[code[: low.shape[1]]]


ROUNDED_NAMES = [entry.name for entry in CLASSWIDE[ROUNDED : ROUNDED + len(UNITS) * N_UNITS]]
"""The hyperparameters that are shares of units, in the order of ``UNITS``."""


def rounded_names(roundings: Sequence[Rounding]) -> set[str]:
    """Those of them that some component's scale has."""
    found = {(rounding.kind, unit) for rounding in roundings for unit in rounding.units}
    return {ROUNDED_NAMES[kind * N_UNITS + UNITS[kind].index(unit)] for kind, unit in found}


def draw_shares(roundings: Sequence[Rounding], rng: np.random.Generator, theta: Floats) -> None:
    """Put shares from their hyperprior into the coordinates of hyperparameters, for kinds of scales that there are."""
    for kind in sorted({rounding.kind for rounding in roundings if rounding.units}):
        shares = np.clip(rng.dirichlet(PRIOR)[:-1], SMALLEST, 1 - SMALLEST)
        theta[ROUNDED + kind * N_UNITS :][:N_UNITS] = np.log(shares / (1 - shares))


def shares_of(hyper: Floats) -> Floats:
    """(…, kind, unit) the share of each unit, and at last of any grade, from the coordinates of hyperparameters."""
    coordinates = hyper[..., ROUNDED : ROUNDED + len(UNITS) * N_UNITS]
    shares = 1 / (1 + np.exp(-coordinates.reshape(*hyper.shape[:-1], len(UNITS), N_UNITS)))
    return np.concatenate([shares, np.maximum(1 - shares.sum(axis=-1, keepdims=True), 0.0)], axis=-1)


def weights_of(roundings: Sequence[Rounding], hyper: Floats) -> Floats:
    """(…, component, grid) the probability of each grid, from the coordinates of hyperparameters; none if all fixed."""
    weights = np.zeros((*hyper.shape[:-1], len(roundings), N_UNITS + 1))
    if not any(rounding.units for rounding in roundings):
        weights[..., 0] = 1.0
        return weights
    shares = shares_of(hyper)
    for index, rounding in enumerate(roundings):
        for unit, grid in enumerate(rounding.grid_of):
            weights[..., index, grid] += shares[..., rounding.kind, unit]
    return weights


class Coarser(NamedTuple):
    """A grid on which some grades are rounded: how probably, its levels, and the ends of its bins."""

    weight: float
    levels: NDArray[np.int64]
    edges: Floats


def all_grids(edges: Floats, coarser: Sequence[Coarser]) -> list[Coarser]:
    """A component's coarser grids after that of all grades, whose bins have the given ends."""
    return [Coarser(1 - sum(grid.weight for grid in coarser), np.arange(len(edges) - 1), edges), *coarser]


def coarser_grids(roundings: Sequence[Rounding], weights: Floats) -> list[list[Coarser]]:
    """Each component's coarser grids, with the mean of their weights (…, component, grid)."""
    mean = weights.reshape(-1, *weights.shape[-2:]).mean(axis=0)
    return [
        [
            Coarser(float(mean[index, grid]), rounding.grids[grid], rounding.edges[grid])
            for grid in range(1, len(rounding.grids))
        ]
        for index, rounding in enumerate(roundings)
    ]
