"""One submission's search for weights, in whole numbers.

Weights are whole percents that add up to 100. A component's average is compared with a cut-point midway between two
neighbouring grades by the sign of Σ W (report − cut) over those who graded it: a product of integers once the
denominators are cleared, so that "half rounds up" holds exactly. Desired weights and the bound on their change are
whole millionths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ModelError
from peerage.gradebook.book import MISSING
from peerage.rubric import MODEL_MAXIMUM, Component

WHOLE = 100
"""What the weights of a submission add up to."""

MILLION = 1_000_000
PERCENT = MILLION // WHOLE
"""A millionth is the unit of desired weights; a percent has this many."""

DECIMALS = 10
"""Grades are taken with as many decimals as they are written with."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WeightLimits:
    """How far weights may lie from the desired ones, and how small they may be.

    Attributes
    ----------
    shift: the largest difference from the desired weight, in millionths (the paper's S)
    least: the least weight above zero, in percents (the paper's T)
    """

    shift: int
    least: int

    @classmethod
    def of(cls, largest_shift: float, least_weight: float) -> WeightLimits:
        """The limits as whole numbers; a weight above zero is one percent at least."""
        return cls(round(largest_shift * MILLION), max(1, ceil(Fraction(round(least_weight * MILLION), PERCENT))))


@dataclass(frozen=True, eq=False)
class WeightProblem:
    """What is known about a submission's reports, each grader a column.

    Attributes
    ----------
    desired: (graders,) desired weights in millionths
    excess: (questions, graders) report − cut-point in whole units of the component, zero where a grader did not grade
        it; a question is whether a component's average reaches a cut-point between its lowest and highest report
    first: (components + 1,) where each component's questions begin
    lowest: (components,) the level of the lowest report: the level when no question is answered with yes
    mass: (questions + components,) probabilities of the levels from lowest to highest report, component by component
    covers: (sets, graders) for each component that some did not grade, those who did: one of them has to count
    """

    desired: Integers
    excess: Integers
    first: Integers
    lowest: Integers
    mass: Floats
    covers: NDArray[np.bool_]

    @property
    def n_graders(self) -> int:
        """How many graders there are."""
        return len(self.desired)

    def levels(self, weights: Integers) -> Integers:
        """(components,): the levels of the rounded averages."""
        reached = np.append(0, np.cumsum(self.excess @ weights >= 0))
        return np.asarray(self.lowest + reached[self.first[1:]] - reached[self.first[:-1]])

    def objective(self, weights: Integers, penalty: float) -> float:
        """The probabilities of the grades, added up, less the penalty for the distance from the desired weights."""
        offset = self.first[:-1] + np.arange(len(self.lowest))
        won = self.mass[offset + self.levels(weights) - self.lowest].sum()
        return float(won - penalty * np.abs(weights * PERCENT - self.desired).sum() / MILLION)

    def ranges(self, limits: WeightLimits) -> tuple[Integers, Integers, NDArray[np.bool_]]:
        """The lowest and highest weight above zero of each grader, and whether zero is allowed too."""
        low = np.maximum(-((limits.shift - self.desired) // PERCENT), limits.least)
        high = np.minimum((self.desired + limits.shift) // PERCENT, WHOLE)
        return low, high, self.desired <= limits.shift

    def admits(self, weights: Integers, limits: WeightLimits) -> bool:
        """Whether weights obey every rule."""
        low, high, may_be_zero = self.ranges(limits)
        fits = np.where(weights == 0, may_be_zero, (low <= weights) & (weights <= high))
        return bool(fits.all() and weights.sum() == WHOLE and (self.covers @ weights > 0).all())


def pose(
    levels: NDArray[np.int16],
    components: Sequence[Component],
    masses: Sequence[Floats],
    desired: Integers,
    bias: Integers | None = None,
) -> WeightProblem:
    """The problem of a submission from its reports' levels (graders, components); somebody graded each.

    With ``bias``, in tenths on the model's scale, each grader's is taken off the reports.
    """
    excess = [np.zeros((0, len(levels)), np.int64)]
    lowest, mass, covers = [], [np.zeros(0)], []
    for column, component, probabilities in zip(levels.T, components, masses, strict=True):
        graded = column != MISSING
        grades, cuts, tenth = whole_grades(component.grades, bias is not None)
        values = grades[column] - (0 if bias is None else bias * tenth)
        reached = np.searchsorted(cuts, values[graded], side="right")
        low, high = int(reached.min()), int(reached.max())
        excess.append(np.where(graded, values - cuts[low:high, None], 0))
        lowest.append(low)
        mass.append(probabilities[low : high + 1])
        if not graded.all():
            covers.append(graded)
    return WeightProblem(
        desired=desired,
        excess=np.concatenate(excess),
        first=np.cumsum([len(rows) for rows in excess]),
        lowest=np.array(lowest, dtype=np.int64),
        mass=np.concatenate(mass),
        covers=np.array(covers, dtype=bool).reshape(len(covers), len(levels)),
    )


@lru_cache(maxsize=256)
def whole_grades(grades: tuple[float, ...], adjusted: bool = False) -> tuple[Integers, Integers, int]:
    """A component's grades, its cut-points and, if it is needed, a bias of a tenth, as whole numbers of one unit."""
    exact = [exactly(grade) for grade in grades]
    cuts = [(low + high) / 2 for low, high in pairwise(exact)]
    tenth = tenth_of(grades) if adjusted else Fraction(0)
    # What matters are differences, so the lowest grade may serve as zero.
    differences = [value - exact[0] for value in (*exact, *cuts)] + [tenth]
    unit = lcm(*(value.denominator for value in differences))
    whole = [int(value * unit) for value in differences]
    divisor = gcd(*whole)
    whole = [value // divisor for value in whole]
    # Biases may move a report by more than the range of the grades.
    if max(whole) * WHOLE * (4 if adjusted else 1) >= 2**63:
        raise ModelError(f"grades such as {grades[1]} have too many digits to subtract biases from them")
    numbers = np.array(whole, dtype=np.int64)
    return numbers[: len(grades)], numbers[len(grades) : -1], whole[-1]


@lru_cache(maxsize=256)
def tenth_of(grades: tuple[float, ...]) -> Fraction:
    """What a tenth on the model's scale is in a component's own units."""
    return (exactly(grades[-1]) - exactly(grades[0])) / round(10 * MODEL_MAXIMUM)


@lru_cache(maxsize=4096)
def exactly(grade: float) -> Fraction:
    """A grade as the decimal number that is written for it."""
    return Fraction(f"{grade:.{DECIMALS}f}")


def desired_weights(influence: Floats) -> Integers:
    """Weights in proportion to the graders' influence, in millionths; equal if nobody has any."""
    total = influence.sum()
    shares = influence / total if total > 0 else np.full(len(influence), 1 / max(len(influence), 1))
    return np.asarray(np.rint(shares * MILLION).astype(np.int64))
