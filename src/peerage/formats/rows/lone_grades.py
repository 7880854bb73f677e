"""Grades too far from all others of their component to be taken for an end of its scale, as 55 among 0 to 5.

A scale is inferred from the lowest to the highest grade seen, so one slip of the finger would stretch it for everybody.
A grade is taken for a slip only if scales that people use do not explain it. They begin at 0, or go as far below 0 as
above; few graders may use their ends, but whoever does comes near the grades of others. So a low grade that is not
negative is never one (0 among 70 to 95), and a high one only if it is above 10 and more than twice as high as all
others: scales up to 10 are so common that a class of ones and twos may well be graded on one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.rubric import LARGEST_GRADE, MAXIMUM_LEVELS

Values = NDArray[np.float64]

ONE_IN = 20
"""Lone grades are at most one in so many of the component's, or a single one: more of them are how people grade."""

FEWEST = 6
"""Of fewer grades it cannot be told which lie far from the others."""

ENOUGH = 10
"""Among fewer others than this, a lone grade has to lie further away in proportion: any of few may be a rare one."""

LONE_SIGNS = 2
"""Up to so many grades have a sign of their own by mistake: ``-4`` for 4, or -1 for a grade that was not given."""

COMMON = 10.0
"""Scales from 0 up to here are common, whatever part of them a class uses."""

AROUND_ZERO = 3.0
"""Scales from below 0 to above end here at most, where it takes few grades to tell: -1 to 1, -2 to 2, -3 to 3."""


class LoneGrades(NamedTuple):
    """Which grades are lone, and the lowest and the highest of the others."""

    lone: NDArray[np.bool_]
    low: float
    high: float


def impossible(seen: Values) -> LoneGrades:
    """The grades that cannot be of one scale with the others.

    They are further from the others than these extend, 0 included, or alone in being negative. Where most of the
    others are 0, as for a bonus that few get, a high grade proves nothing.
    """
    return _lone(seen, surely=True)


def doubtful(seen: Values) -> LoneGrades:
    """The grades that a scale may have, but that leave a large part of it empty."""
    return _lone(seen, surely=False)


@dataclass(frozen=True, eq=False)
class _Others:
    """A stretch of the distinct grades, in order; ``below`` counts the grades up to each of the distinct ones.

    ``surely`` says that what is far has to be impossible, not only doubtful.
    """

    distinct: Values
    below: NDArray[np.intp]
    first: int
    last: int
    surely: bool

    @property
    def number(self) -> int:
        """How many grades are in the stretch."""
        return int(self.below[self.last] - (self.below[self.first - 1] if self.first else 0))

    def has_far_above(self) -> bool:
        """Whether the next higher grade is far from the stretch."""
        beyond = int(self.below[-1] - self.below[self.last])
        return self._is_far(self.distinct[self.last + 1], self.distinct[self.first], self.distinct[self.last], beyond)

    def has_far_below(self) -> bool:
        """The same of the next lower grade: as in a mirror at 0."""
        beyond = int(self.below[self.first - 1])
        return self._is_far(
            -self.distinct[self.first - 1], -self.distinct[self.last], -self.distinct[self.first], beyond
        )

    def _is_far(self, grade: float, low: float, high: float, beyond: int) -> bool:
        """Whether a grade above some from ``low`` to ``high`` is far; so many grades are as high, or higher."""
        top, bottom = max(high, 0.0), min(low, 0.0)
        if grade <= top:
            return False
        if high <= 0 and beyond <= LONE_SIGNS and self.number >= ENOUGH and max(grade, -low) > AROUND_ZERO:
            return True
        gaps = np.diff(self.distinct[self.first : self.last + 1])
        if (len(gaps) > 0 and grade - top <= gaps.min()) or (self.surely and grade <= COMMON):
            return False
        reach = 1.0 if self.surely else 0.5
        return (grade - top) * min(self.number, ENOUGH) > ENOUGH * reach * (top - bottom)


def _lone(seen: Values, *, surely: bool) -> LoneGrades:
    """Start from the middle of the grades, and add the next ones until there are none or only some that are far."""
    grades = np.clip(np.asarray(seen, dtype=float), -2 * LARGEST_GRADE, 2 * LARGEST_GRADE)
    if len(grades) < FEWEST:
        return _none(grades)
    distinct, counts = np.unique(grades, return_counts=True)
    if len(distinct) > 2 * MAXIMUM_LEVELS:
        return _none(grades)  # they are refused for being so many
    below, few = np.cumsum(counts), max(1, len(grades) // ONE_IN)
    first, last = (int(np.searchsorted(below, *cut)) for cut in ((few, "right"), (len(grades) - few, "left")))
    others = _Others(distinct, below, first, last, surely)
    while True:
        if others.last + 1 < len(distinct) and not others.has_far_above():
            others = replace(others, last=others.last + 1)
        elif others.first > 0 and not others.has_far_below():
            others = replace(others, first=others.first - 1)
        else:
            break
    low, high = float(distinct[others.first]), float(distinct[others.last])
    if surely and low * high == 0 and 2 * np.count_nonzero(grades == 0) >= others.number:
        return _none(grades)
    return LoneGrades((grades < low) | (grades > high), low, high)


def _none(grades: Values) -> LoneGrades:
    low, high = (float(grades.min()), float(grades.max())) if len(grades) else (0.0, 0.0)
    return LoneGrades(np.zeros(len(grades), dtype=bool), low, high)
