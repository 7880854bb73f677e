"""From grades as numbers to levels of a rubric, given or inferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.rubric import LARGEST_GRADE, MAXIMUM_LEVELS, SMALLEST_GAP, Component, Rubric

Values = NDArray[np.float64]
Legal = float | tuple[float, ...]
"""What can be known of a component's grades: the highest, 0 being the lowest, or all of them."""

DECIMALS = 6
"""Grades that agree to so many decimals are the same: spreadsheets compute 0.30000000000000004."""

STEPS = (1.0, 0.5, 0.25, 0.2, 0.1)
"""The steps in which people grade, when only the ends of a scale are known."""


COARSE_STEPS = (10.0, 5.0, *STEPS)
COARSE_TOP = 50.0
"""The same where the highest grade is at least this."""

WHOLE_AND_PARTS = (1.0, 0.5, 0.25)
"""The steps that an instructor would write for grades most of which are on them."""

FEW = 0.1
"""The share of odd decimals up to which they are taken for slips between the grades of such a scale."""

MANY_LEVELS = 25
"""An even scale of more parts of a grade than this is not what an instructor would write for a few odd decimals."""


class InferredScale(NamedTuple):
    """Legal grades; whether they are evenly spaced, and whether a few grades seen lie between them."""

    levels: Values
    is_even: bool = True
    is_loose: bool = False


def up_to(
    name: str, maximum: float, seen: Iterable[float], lowest: float = 0.0, steps: Sequence[float] = STEPS
) -> Component:
    """A component graded from the lowest grade to a maximum, by the largest usual step that holds most grades seen."""
    inside = np.array([grade for grade in seen if lowest <= grade <= maximum])
    scales = [_even(lowest, maximum, step) for step in steps]
    usable = [Component(name, tuple(scale.tolist())) for scale in scales if scale is not None]
    if not usable:
        return Component(name, tuple(np.unique([lowest, maximum, *inside]).tolist()))
    held = [np.count_nonzero(levels_of(component, inside)[1]) for component in usable]
    return usable[int(np.argmax(held))]


def _even(lowest: float, highest: float, step: float) -> Values | None:
    """Evenly spaced grades, if steps lead from the lowest to the highest and are not too many."""
    if (highest - lowest) / step >= MAXIMUM_LEVELS:
        return None
    count = round((highest - lowest) / step)
    if not 1 <= count < MAXIMUM_LEVELS or abs(lowest + count * step - highest) > SMALLEST_GAP:
        return None
    return np.asarray(np.round(lowest + step * np.arange(count + 1), DECIMALS), dtype=float)


def infer_rubric(
    values: Mapping[str, Values], known: Mapping[str, Legal] | None = None
) -> tuple[Rubric, list[Problem], frozenset[str]]:
    """A rubric for the grades seen, notices that say what was inferred, and components with odd grades between.

    What is ``known`` of components need not be inferred.
    """
    unknown = {name: seen for name, seen in values.items() if name not in (known or {})}
    problems = [problem for name, seen in unknown.items() for problem in _unusable(name, _distinct(seen))]
    if problems:
        raise InputError(problems)
    scales = {
        name: _scale(name, np.asarray(seen, dtype=float), (known or {}).get(name)) for name, seen in values.items()
    }
    components = tuple(Component(name, tuple(scale.levels.tolist())) for name, scale in scales.items())
    names: dict[str, list[str]] = {}
    for component in components:
        names.setdefault(component.legend, []).append(component.name)
    legends = "; ".join(f"{', '.join(alike)}: {legend}" for legend, alike in names.items())
    remedy = "give a rubric if other grades are possible"
    notices = [Problem(f"the rubric was inferred from the grades seen ({legends})", remedy, setting="rubric")]
    uneven = [name for name, scale in scales.items() if not scale.is_even]
    if uneven:
        message = (
            f"the grades of {', '.join(map(repr, uneven))} are not evenly spaced; only those seen are taken as legal"
        )
        remedy = "give a rubric; grades that are not on it can be moved to the nearest legal grade"
        notices.append(Problem(message, remedy, setting="snap"))
    return Rubric(components), notices, frozenset(name for name, scale in scales.items() if scale.is_loose)


def _scale(name: str, seen: Values, known: Legal | None) -> InferredScale:
    """The legal grades that an instructor would write for the grades seen, unless more is known."""
    if isinstance(known, tuple):
        return InferredScale(np.array(known))
    if known is not None and is_known(known, seen):
        component = up_to(name, known, seen.tolist(), steps=COARSE_STEPS if known >= COARSE_TOP else STEPS)
        return InferredScale(component.values, is_loose=not levels_of(component, seen)[1].all())
    distinct = _distinct(seen)
    exact = _lattice(distinct)
    if exact is not None:
        gap = exact[1] - exact[0]
        is_usual = abs(gap / WHOLE_AND_PARTS[-1] - round(gap / WHOLE_AND_PARTS[-1])) <= SMALLEST_GAP
        if is_usual and (gap >= 1 or len(exact) <= MANY_LEVELS):
            return InferredScale(exact)
    for step in WHOLE_AND_PARTS:
        steps = seen / step
        odd = np.abs(steps - np.round(steps)) > SMALLEST_GAP
        scale = _even(float(np.floor(steps.min()) * step), float(np.ceil(steps.max()) * step), step)
        if scale is not None and odd.any() and np.mean(odd) <= FEW:
            return InferredScale(scale, is_loose=True)
    return InferredScale(distinct, is_even=False) if exact is None else InferredScale(exact)


def is_known(known: Legal | None, seen: Values) -> bool:
    """Whether what is known of a component's grades holds for those seen, so that nothing is inferred from them."""
    return isinstance(known, tuple) or (known is not None and seen.min() >= 0 and seen.max() <= known)


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
