"""The rubric: which grades are legal for each component, in what order, and what they are worth.

The model works on one scale: each component's grades are mapped linearly onto 0 to 5, so that priors mean the same for
every rubric. Cut-points lie midway between neighbouring grades, and a value on a cut-point belongs to the higher
grade ("half rounds up").
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import ArrayLike, NDArray

from peerage.errors import InputError, Problem
from peerage.support.files.textfile import read_text, read_toml

RUBRIC_NAME = "rubric.toml"
"""The file that is found beside grades without being named."""

MODEL_MAXIMUM = 5.0
"""The upper end of the model's scale; the lower end is 0."""

MAXIMUM_LEVELS = 1001
"""How many grades a component can have."""

LARGEST_GRADE = 1e6
SMALLEST_GAP = 1e-6
"""Grades are at most this large, and two that differ by less than this are the same."""

LISTED_LEVELS = 7
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that ids and names cannot have, because workbooks and text files cannot hold them."""

_RANGE = re.compile(r"\s*(\S+)\s+to\s+(\S+)\s+by\s+(\S+)\s*")


@dataclass(frozen=True)
class Component:
    """One component of a rubric: its legal grades in ascending order and, optionally, their points."""

    name: str
    grades: tuple[float, ...]
    points: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for problem in _component_problems(self):
            raise InputError(f"component {self.name!r}: {problem}")

    @property
    def n_levels(self) -> int:
        """How many legal grades there are."""
        return len(self.grades)

    @property
    def smallest_gap(self) -> float:
        """The smallest distance between two neighbouring grades."""
        return float(np.diff(self.values).min())

    @property
    def legend(self) -> str:
        """The grades in words: all of a few, or ``0 to 100 by 1``."""
        if self.n_levels <= LISTED_LEVELS:
            return ", ".join(f"{grade:g}" for grade in self.grades)
        ends = f"{self.grades[0]:g} to {self.grades[-1]:g}"
        gaps = np.diff(self.values)
        even = np.allclose(gaps, gaps[0], rtol=1e-6, atol=0)
        return f"{ends} by {gaps[0]:g}" if even else f"{self.n_levels} grades from {ends}"

    @property
    def worth(self) -> tuple[float, ...]:
        """The points of each grade; without points, a grade is worth itself."""
        return self.grades if self.points is None else self.points

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The grades as an array, in the rubric's own units."""
        values = np.array(self.grades)
        values.setflags(write=False)
        return values

    @cached_property
    def scaled(self) -> NDArray[np.float64]:
        """The grades on the scale of 0 to 5."""
        scaled = self.to_model(self.values)
        scaled.setflags(write=False)
        return scaled

    @cached_property
    def cuts(self) -> NDArray[np.float64]:
        """The cut-points between neighbouring grades, on the model's scale."""
        cuts = (self.scaled[1:] + self.scaled[:-1]) / 2
        cuts.setflags(write=False)
        return cuts

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The ends of the grades' bins on the model's scale; the first and the last are open."""
        edges = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        edges.setflags(write=False)
        return edges

    def to_model(self, grade: ArrayLike) -> NDArray[np.float64]:
        """Map a grade from the rubric's units onto the scale of 0 to 5."""
        low, high = self.grades[0], self.grades[-1]
        return np.asarray((np.asarray(grade, dtype=float) - low) * (MODEL_MAXIMUM / (high - low)))

    def from_model(self, value: ArrayLike) -> NDArray[Any]:
        """Map values from the scale of 0 to 5 back to the rubric's units; in 32 bits, if they are."""
        low, high = self.grades[0], self.grades[-1]
        return np.asarray(low + np.asarray(value) * ((high - low) / MODEL_MAXIMUM))

    def level_of(self, value: ArrayLike) -> NDArray[np.intp]:
        """The index of the grade nearest to a value in the rubric's units; half rounds up."""
        cuts = (self.values[1:] + self.values[:-1]) / 2
        return np.asarray(np.searchsorted(cuts, np.asarray(value, dtype=float), side="right"))


@dataclass(frozen=True)
class Rubric:
    """The components of a rubric, in order.

    >>> rubric = Rubric.from_dict({"Structure": {"grades": [0, 1, 2]}, "Code": {"grades": "0 to 3 by 0.5"}})
    >>> rubric["Code"].n_levels
    7
    """

    components: tuple[Component, ...]

    def __post_init__(self) -> None:
        if not self.components:
            raise InputError("a rubric needs at least one component")
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated:
            raise InputError(f"a rubric cannot have two components of one name: {', '.join(repeated)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The components' names, in order."""
        return tuple(component.name for component in self.components)

    def __len__(self) -> int:
        return len(self.components)

    def __getitem__(self, name: str) -> Component:
        return self.components[self.names.index(name)]

    @classmethod
    def uniform(cls, names: Iterable[str], grades: Sequence[float]) -> Rubric:
        """A rubric all of whose components have the same grades."""
        return cls(tuple(Component(name, tuple(map(float, grades))) for name in names))

    @classmethod
    def from_dict(cls, components: Mapping[str, Mapping[str, Any]], *, file: str = "") -> Rubric:
        """Build a rubric from what a TOML file's ``[components]`` table holds."""
        problems = []
        built = []
        for name, entry in components.items():
            try:
                built.append(_component_from_entry(name, entry))
            except InputError as error:
                problems += [Problem(problem.message, problem.remedy, file) for problem in error.problems]
        if problems:
            raise InputError(problems)
        return cls(tuple(built))

    @classmethod
    def from_toml(cls, text: str, *, file: str = "") -> Rubric:
        """Read a rubric from TOML text; ``file`` names its origin in messages."""
        document = read_toml(text, file)
        components = document.get("components")
        if not isinstance(components, dict) or not components:
            remedy = "write a section such as [components.Structure] with grades = [0, 1, 2, 3]"
            raise InputError(Problem("no components found", remedy, file))
        return cls.from_dict(components, file=file)

    @classmethod
    def read(cls, path: str | Path) -> Rubric:
        """Read a rubric file (TOML)."""
        path = Path(path)
        return cls.from_toml(read_text(path), file=path.name)

    def to_toml(self) -> str:
        """The rubric as TOML text, readable by :meth:`from_toml`."""
        entries = {}
        for component in self.components:
            entry: dict[str, Any] = {"grades": [tidy(grade) for grade in component.grades]}
            if component.points is not None:
                entry["points"] = [tidy(points) for points in component.points]
            entries[component.name] = entry
        return tomli_w.dumps({"components": entries})


def tidy(number: float) -> int | float:
    """A whole number as an int, so that it prints as ``3`` and not ``3.0``."""
    number = float(number)
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _component_problems(component: Component) -> Iterable[str]:
    grades, points = component.grades, component.points
    if not component.name.strip():
        yield "its name is empty"
    elif component.name != component.name.strip() or FORBIDDEN.search(component.name):
        yield "its name has spaces around it or control characters in it"
    if len(grades) < 2:
        yield "it needs at least two grades"
    elif len(grades) > MAXIMUM_LEVELS:
        yield f"it has {len(grades)} grades; at most {MAXIMUM_LEVELS} are supported"
    if not all(math.isfinite(grade) for grade in grades):
        yield "its grades must be finite numbers"
    elif any(second <= first for first, second in pairwise(grades)):
        yield "its grades must ascend without repetition"
    elif any(second - first < SMALLEST_GAP / 2 for first, second in pairwise(grades)):
        yield f"its grades must differ by at least {SMALLEST_GAP:f}"
    elif any(abs(grade) > LARGEST_GRADE for grade in grades):
        yield f"its grades must lie between -{LARGEST_GRADE:,.0f} and {LARGEST_GRADE:,.0f}"
    if points is not None and len(points) != len(grades):
        yield f"it has {len(grades)} grades but {len(points)} points; give each grade its points"
    if points is not None and not all(math.isfinite(value) for value in points):
        yield "its points must be finite numbers"
    elif points is not None and any(abs(value) > LARGEST_GRADE for value in points):
        yield f"its points must lie between -{LARGEST_GRADE:,.0f} and {LARGEST_GRADE:,.0f}"


def _component_from_entry(name: str, entry: Any) -> Component:
    if not isinstance(entry, Mapping) or "grades" not in entry:
        raise InputError(Problem(f"component {name!r} has no grades", "add grades = [0, 1, 2, 3] or '0 to 3 by 1'"))
    unknown = sorted(set(entry) - {"grades", "points"})
    if unknown:
        known = "a component has grades and points only"
        raise InputError(Problem(f"component {name!r} has the unknown key {unknown[0]!r}", known))
    grades = entry["grades"]
    listed = _grades_from_range(name, grades) if isinstance(grades, str) else _numbers(name, "grades", grades)
    points = entry.get("points")
    return Component(name, listed, None if points is None else _numbers(name, "points", points))


def _numbers(name: str, what: str, values: Any) -> tuple[float, ...]:
    if not isinstance(values, Sequence) or any(
        isinstance(value, bool) or not isinstance(value, int | float) for value in values
    ):
        raise InputError(Problem(f"component {name!r}: {what} must be a list of numbers", "write [0, 1, 2, 3]"))
    try:
        return tuple(float(value) for value in values)
    except OverflowError:
        raise InputError(Problem(f"component {name!r}: {what} must be finite numbers", "write [0, 1, 2, 3]")) from None


def _grades_from_range(name: str, text: str) -> tuple[float, ...]:
    remedy = "write '0 to 3 by 0.5'"
    match = _RANGE.fullmatch(text)
    try:
        low, high, step = (float(part) for part in match.groups()) if match else (math.nan,) * 3
    except ValueError:
        low = high = step = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(step) and step > 0 and high > low):
        raise InputError(Problem(f"component {name!r}: the range {text!r} is not understood", remedy))
    # Of numbers that are this large, not even the difference is one.
    count = round((high - low) / step) if (high - low) / step < MAXIMUM_LEVELS else MAXIMUM_LEVELS
    if count < 1 or abs(low + count * step - high) > 1e-9 * max(1.0, abs(high)) or count >= MAXIMUM_LEVELS:
        raise InputError(Problem(f"component {name!r}: the steps of {text!r} do not end at {high:g}", remedy))
    return tuple(round(low + index * step, 10) for index in range(count + 1))
