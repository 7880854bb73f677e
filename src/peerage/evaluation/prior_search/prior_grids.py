"""Grids of hyperparameters: the paper's two by name, and any other from a TOML file.

::

    mu_s = [3.5, 4]
    sigma_b = [0.1, 0.5, 1]
    "alpha_e, beta_e" = [[5, 5], [8, 2]]
    epsilon = 0.05

A line is an axis: the values of a hyperparameter, or of several that change together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from peerage.errors import InputError, ModelError, Problem
from peerage.gradebook.book import STUDENT, TA, Gradebook
from peerage.model import Model, Priors
from peerage.support.files.textfile import read_text, read_toml

Value = float | tuple[float, ...]

Setting = dict[str, Value]
"""Hyperparameters by name."""

REMEDY = 'write it as name = [value, value] or "name, name" = [[value, value], [value, value]]'

PAPER: dict[str, dict[str, Any]] = {
    "exploratory": {
        "mu_s": [3, 3.5, 4, 4.5],
        "sigma_s": [0.1, 0.2, 0.5, 0.8, 1, 1.6, 2, 3],
        "sigma_b": [0, 0.1, 0.5, 1, 1.5, 2],
        "alpha_e, beta_e": [[2, 8], [5, 5], [8, 2], [9.5, 0.5], [9.9, 0.1]],
        "alpha_tau, beta_tau": [[1, 2], [1, 1], [2, 2], [2, 1], [3, 1]],
        "sigma_tau": [0.1, 0.5, 1, 2, 3, 4, 5, 6, 8],
        "lambda_tau": [0.5, 1, 2, 3, 4],
        "tau_l": [0.5, 1, 2, 3, 4, 6, 8],
        "epsilon": [0, 0.05, 0.1, 0.5],
    },
    "reduced": {
        "mu_s": [3.5, 4],
        "sigma_s": [0.8, 1.6],
        "sigma_b": [0.1, 0.5, 1],
        "alpha_e, beta_e": [[5, 5], [8, 2]],
        "alpha_tau, beta_tau": [[1, 1], [2, 2], [2, 1]],
        "sigma_tau": [0.1, 2, 8],
        "lambda_tau": [1, 2, 4],
        "tau_l": [1, 4],
        "epsilon": 0.05,
    },
}
"""The grids of the paper's appendix D."""


@dataclass(frozen=True)
class PriorAxis:
    """Hyperparameters that change together, and their values."""

    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]

    def setting(self, index: int) -> Setting:
        """The hyperparameters of one place on the axis."""
        return dict(zip(self.names, self.values[index], strict=True))

    def without(self, names: Set[str]) -> PriorAxis:
        """The axis of the other hyperparameters, each combination of their values once."""
        kept = [place for place, name in enumerate(self.names) if name not in names]
        values = dict.fromkeys(tuple(value[place] for place in kept) for value in self.values)
        return PriorAxis(tuple(self.names[place] for place in kept), tuple(values))


@dataclass(frozen=True)
class PriorGrid:
    """Axes, all of whose combinations are settings.

    >>> PriorGrid.of({"mu_s": [3.5, 4], "alpha_e, beta_e": [[5, 5], [8, 2]]}).size
    4
    """

    axes: tuple[PriorAxis, ...]

    @classmethod
    def of(cls, entries: Mapping[str, Any], file: str = "") -> PriorGrid:
        """A grid from values by name; names that change together are joined by a comma."""
        axes = tuple(_axis(key, values, file) for key, values in entries.items())
        names = [name for axis in axes for name in axis.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(Problem(f"{twice[0]} is named twice", "name each hyperparameter once", file))
        return cls(axes)

    @classmethod
    def read(cls, name: str) -> PriorGrid:
        """One of the paper's grids by its name, or the grid in a TOML file."""
        if name in PAPER:
            return cls.of(PAPER[name])
        path = Path(name)
        if not path.exists() and not path.suffix:
            raise InputError(f"there is no grid {name!r}; use {', '.join(PAPER)} or a TOML file")
        return cls.of(read_toml(read_text(path), path.name, REMEDY), path.name)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters that the grid names."""
        return tuple(name for axis in self.axes for name in axis.names)

    @property
    def size(self) -> int:
        """How many settings there are."""
        return math.prod(len(axis.values) for axis in self.axes)

    def without(self, names: Set[str]) -> PriorGrid:
        """The grid without some hyperparameters."""
        axes = (axis.without(names) for axis in self.axes)
        return PriorGrid(tuple(axis for axis in axes if axis.names))

    def all(self) -> list[Setting]:
        """Every setting."""
        return [self._setting(places) for places in itertools.product(*(range(len(axis.values)) for axis in self.axes))]

    def random(self, count: int, seed: int) -> list[Setting]:
        """So many different settings, drawn at random; with a larger count, the same ones come first."""
        if count >= self.size:
            return self.all()
        rng = np.random.default_rng(seed)
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < count:
            drawn[tuple(int(rng.integers(len(axis.values))) for axis in self.axes)] = None
        return [self._setting(places) for places in drawn]

    def one_at_a_time(self, base: Priors) -> list[Setting]:
        """The base, and each setting that differs from it along one axis."""
        start: Setting = {name: getattr(base, name) for name in self.names}
        changed = (start | axis.setting(place) for axis in self.axes for place in range(len(axis.values)))
        return _distinct([start, *changed])

    def _setting(self, places: Iterable[int]) -> Setting:
        return {
            name: value
            for axis, place in zip(self.axes, places, strict=True)
            for name, value in axis.setting(place).items()
        }


def in_words(value: Value) -> str:
    """A value as it is shown; one for each component is joined by semicolons."""
    return ";".join(f"{entry:g}" for entry in (value if isinstance(value, tuple) else (value,)))


def without_effect(book: Gradebook, model: Model) -> set[str]:
    """The hyperparameters that change nothing in this model of this class."""
    idle = set() if model.bias else {"sigma_b"}
    if not model.effort:
        idle |= {"alpha_e", "beta_e", "tau_l", "epsilon"}
    if not np.any(book.roles == TA):
        idle |= {"alpha_tau_ta", "beta_tau_ta"}
    if not model.correlation:
        return idle | {"sigma_tau", "lambda_tau"}
    wrote = {name for names in book.authors for name in names}
    students = {name for name, role in zip(book.graders, book.roles, strict=True) if role == STUDENT}
    return idle | ({"alpha_tau", "beta_tau"} if students <= wrote else set())


def _axis(key: str, values: Any, file: str) -> PriorAxis:
    names = tuple(name.strip() for name in key.split(","))
    listed = values if isinstance(values, list) else [values]
    rows = listed if len(names) > 1 else [[value] for value in listed]
    if not rows or any(not isinstance(row, list) or len(row) != len(names) for row in rows):
        raise InputError(Problem(f"the values of {key} do not fit its name", REMEDY, file))
    try:
        # Priors know which names and values make sense.
        settings = [Priors.paper(**dict(zip(names, row, strict=True))) for row in rows]
    except ModelError as error:
        raise InputError(Problem(str(error), "correct the grid", file)) from None
    return PriorAxis(
        names, tuple(dict.fromkeys(tuple(getattr(setting, name) for name in names) for setting in settings))
    )


def _distinct(settings: Iterable[Setting]) -> list[Setting]:
    return [dict(items) for items in dict.fromkeys(tuple(setting.items()) for setting in settings)]
