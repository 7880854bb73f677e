"""From grades as numbers to levels of a rubric, given or inferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.rubric import LARGEST_GRADE, MAXIMUM_LEVELS, SMALLEST_GAP, Component, Rubric

Values = NDArray[np.float64]

DECIMALS = 6
"""Grades that agree to so many decimals are the same: spreadsheets compute 0.30000000000000004."""

STEPS = (1.0, 0.5, 0.25, 0.2, 0.1)
"""The steps in which people grade, when only the ends of a scale are known."""


def up_to(name: str, maximum: float, seen: Iterable[float], lowest: float = 0.0) -> Component:
    """A component graded from the lowest grade to a maximum, by the largest usual step that holds most grades seen."""
    inside = np.array([grade for grade in seen if lowest <= grade <= maximum])
    scales = [_even(lowest, maximum, step) for step in STEPS]
    usable = [Component(name, tuple(scale.tolist())) for scale in scales if scale is not None]
    if not usable:
        return Component(name, tuple(np.unique([lowest, maximum, *inside]).tolist()))
    held = [np.count_nonzero(levels_of(component, inside)[1]) for component in usable]
    return usable[int(np.argmax(held))]


def _even(lowest: float, highest: float, step: float) -> Values | None:
    """Evenly spaced grades, if steps lead from the lowest to the highest and are not too many."""
    count = round((highest - lowest) / step)
    if not 1 <= count < MAXIMUM_LEVELS or abs(lowest + count * step - highest) > SMALLEST_GAP:
        return None
    return np.asarray(np.round(lowest + step * np.arange(count + 1), DECIMALS), dtype=float)


def infer_rubric(values: Mapping[str, Values]) -> tuple[Rubric, list[Problem]]:
    """A rubric for the grades seen, and a notice that says what was inferred."""
    distinct = {name: _distinct(seen) for name, seen in values.items()}
    problems = [problem for name, seen in distinct.items() for problem in _unusable(name, seen)]
    if problems:
        raise InputError(problems)
    components = []
    uneven = []
    for name, seen in distinct.items():
        lattice = _lattice(seen)
        components.append(Component(name, tuple((seen if lattice is None else lattice).tolist())))
        if lattice is None:
            uneven.append(name)
    names: dict[str, list[str]] = {}
    for component in components:
        names.setdefault(component.legend, []).append(component.name)
    scales = "; ".join(f"{', '.join(alike)}: {legend}" for legend, alike in names.items())
    remedy = "give a rubric if other grades are possible"
    notices = [Problem(f"the rubric was inferred from the grades seen ({scales})", remedy, setting="rubric")]
    if uneven:
        message = (
            f"the grades of {', '.join(map(repr, uneven))} are not evenly spaced; only those seen are taken as legal"
        )
        remedy = "give a rubric; grades that are not on it can be moved to the nearest legal grade"
        notices.append(Problem(message, remedy, setting="snap"))
    return Rubric(tuple(components)), notices


def levels_of(component: Component, values: Values) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The level nearest to each value, and whether the value is that legal grade."""
    levels = component.level_of(values)
    return levels, np.abs(component.values[levels] - values) <= SMALLEST_GAP


def _distinct(seen: Values) -> Values:
    """The distinct grades, without the noise of computed ones; ``0.0`` turns -0.0 into 0.0."""
    return np.unique(np.round(np.clip(seen, -2 * LARGEST_GRADE, 2 * LARGEST_GRADE), DECIMALS) + 0.0)


def _unusable(name: str, seen: Values) -> list[Problem]:
    remedy = f"give a rubric that lists the legal grades of {name!r}"
    if len(seen) == 1:
        return [Problem(f"every grade of {name!r} is {seen[0]:g}, so its scale cannot be inferred", remedy)]
    if np.abs(seen).max() > LARGEST_GRADE:
        return [Problem(f"{name!r} has grades beyond {LARGEST_GRADE:,.0f}, too large for a component", remedy)]
    if len(seen) > MAXIMUM_LEVELS:
        message = f"{name!r} has {len(seen):,} different grades, too many for a component"
        return [Problem(message, f"name the components in a rubric, each with at most {MAXIMUM_LEVELS:,} grades")]
    return []


def _lattice(seen: Values) -> Values | None:
    """Evenly spaced grades from the lowest to the highest, by the smallest gap, if they hold all grades seen."""
    steps = np.round((seen - seen[0]) / np.diff(seen).min()).astype(int)
    if steps[-1] >= MAXIMUM_LEVELS:
        return None
    lattice: Values = np.asarray(np.round(np.linspace(seen[0], seen[-1], steps[-1] + 1), DECIMALS), dtype=float)
    return lattice if (np.abs(lattice[steps] - seen) <= SMALLEST_GAP).all() else None
