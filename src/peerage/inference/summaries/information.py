"""What a grader's report tells about a true grade: information, in the units of a reliability.

This is equation (16) of docs/model.md.

With probability e a report is the bin into which y = m + a(s − m) + b + ε falls, with s ~ N(μ, σ²) and ε ~ N(0, 1/p);
otherwise it is one without effort, which falls into bin k with probability L_k whatever the work. What a report takes
off the variance of the true grade s is, as a precision,

    p*(p, b, a, e) = 1 / E Var(s | report) − 1/σ².

Because s and y are jointly normal, E(s | y) is linear in y. With χ = a²σ²/(a²σ² + 1/p), the bins' edges in standard
units of y, and P_k = Φ(high) − Φ(low),

    E Var(s | report) = σ² (1 − χ ψ),    ψ = Σ (e φ(low) − e φ(high))² / (e P_k + (1 − e) L_k),

so that p* = χ ψ / (σ² (1 − χ ψ)). Without rounding and with e = 1, ψ = 1 and p* = a²p. Somebody whose reports all
fall into one bin, because of a large bias, has ψ = 0, however reliable. So has somebody who hardly ever looks, and
whose few good reports nobody can tell from the others: where both kinds look alike, ψ is proportional to e², not to e.

People know reliabilities, so p* is told as the reliability of an unbiased grader of slope 1 who always makes an effort
and whose reports tell as much: J⁻¹(p*), where J(p) = p*(p, 0, 1, 1). A bias may also move reports to where bins tell
more apart; this does not count, because J flattens, and under coarse rubrics no unbiased grader tells as much: nobody's
reports are worth more than a²p. Of fine rubrics, grades between the ends are taken together, into at most 41 bins.

All of this believes the model. A student who gives the same grades to everything may also be taken for a precise
grader of works that are all alike; :mod:`peerage.inference.checking.constant_or_copied_reviews` finds such students,
and they count nothing. Whether reports follow the work as they should is for
:mod:`peerage.inference.summaries.scale_use`.

A halo (an error that the components of a review share) leaves each component's p* as it is, if 1/p is the whole
variance of its error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from peerage.rubric import Component

Floats = NDArray[np.float64]

_LEAST_MASS = 1e-15
_PRECISIONS = np.geomspace(1e-3, 1024.0, 121)
_FINEST = 41
_BLOCK = 5_000
"""How many graders' draws are worked on at a time, which a processor's cache has room for."""


@dataclass(frozen=True, eq=False)
class Traits:
    """Of graders, or of draws of them: arrays of one shape."""

    reliability: Floats
    bias: Floats
    slope: Floats
    effort: Floats

    @classmethod
    def of(
        cls,
        reliability: NDArray[np.floating],
        bias: NDArray[np.floating] | float = 0.0,
        slope: NDArray[np.floating] | float = 1.0,
        effort: NDArray[np.floating] | float = 1.0,
    ) -> Traits:
        """From arrays of any kind, or numbers that all graders share."""
        parts = np.broadcast_arrays(reliability, bias, slope, effort)
        return cls(*(part.astype(float) for part in parts))

    def blocks(self) -> Iterator[Traits]:
        """Flat parts of a size that memory holds."""
        parts = [part.ravel() for part in (self.reliability, self.bias, self.slope, self.effort)]
        for start in range(0, len(parts[0]), _BLOCK):
            yield Traits(*(part[start : start + _BLOCK] for part in parts))


@dataclass(frozen=True, eq=False)
class GradedComponent:
    """The true grades of a component, and how it is graded; on the model's scale.

    Attributes
    ----------
    mean, sd: of the true grades
    centre: the usual report, around which graders stretch or narrow the scale
    edges: the ends of the bins of reports, the outer ones infinite
    low: the probability of each bin without effort
    steps: from each bin's grade to the next
    """

    mean: float
    sd: float
    centre: float
    edges: Floats
    low: Floats
    steps: Floats

    @classmethod
    def of(cls, component: Component, mean: float, sd: float, centre: float, low: Floats) -> GradedComponent:
        """Of a component whose grades have probabilities ``low`` without effort; of fine ones, several are one bin."""
        last = component.n_levels - 1
        starts = np.unique([0, *range(1, last, -(-last // _FINEST)), last])
        bounds = np.append(starts, component.n_levels)
        sizes = np.diff(bounds)
        grades = np.add.reduceat(component.scaled, starts) / sizes
        masses = np.add.reduceat(low[: component.n_levels], starts)
        return cls(mean, sd, centre, component.edges[bounds], masses, np.diff(grades))

    def judge(self, graders: Traits) -> tuple[Floats, Floats]:
        """What a report takes off the variance of a true grade, as a precision, and the slope of reports against it.

        >>> whole = Component("Whole", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0))
        >>> work = GradedComponent.of(whole, 3.7, 0.8, 3.7, np.full(6, 1 / 6))
        >>> told, _ = work.judge(Traits.of(np.ones(3), np.array([0.0, 1.0, -1.0])))
        >>> told.round(2)
        array([0.84, 0.65, 0.9 ])
        """
        seen = (graders.slope * self.sd) ** 2
        spread = np.sqrt(seen + 1 / graders.reliability)
        usual = self.centre + graders.slope * (self.mean - self.centre) + graders.bias
        at = (_by_bin(self.edges[1:-1], usual) - usual) / spread
        density, none = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi), np.zeros((1, *usual.shape))
        mass = graders.effort * np.diff(ndtr(at), axis=0, prepend=none, append=none + 1)
        mass += (1 - graders.effort) * _by_bin(self.low, usual)
        told = (graders.effort * np.diff(density, axis=0, prepend=none, append=none)) ** 2
        told /= np.maximum(mass, _LEAST_MASS)
        share = seen / spread**2 * np.where(mass > _LEAST_MASS, told, 0.0).sum(axis=0)
        slope = graders.effort * graders.slope * np.tensordot(self.steps, density, axes=1) / spread
        return share / (self.sd**2 * (1 - share)), slope

    @cached_property
    def _unbiased(self) -> tuple[Floats, Floats]:
        """What reports of unbiased graders who use the scale and make every effort tell, and the least reliability."""
        told, _ = self.judge(Traits.of(_PRECISIONS))
        told, reliabilities = np.append(0.0, told), np.append(0.0, _PRECISIONS)
        # Where grades are few, very precise reports may tell less again: all are in one bin. Then the least will do.
        new = np.append(True, told[1:] > np.maximum.accumulate(told)[:-1])
        return told[new], reliabilities[new]

    def equivalent(self, graders: Traits) -> tuple[Floats, Floats]:
        """The reliability of unbiased graders who use the scale, make every effort and tell as much; and the slope."""
        told, slope = self.judge(graders)
        known = np.interp(told, *self._unbiased)
        return np.minimum(known, graders.slope**2 * graders.reliability), slope


def _by_bin(values: Floats, graders: Floats) -> Floats:
    """Values of bins, along an axis before those of graders: loops over graders are long, those over bins short."""
    return values.reshape(-1, *(1 for _ in graders.shape))


def equivalents(works: list[GradedComponent], graders: Traits) -> tuple[Floats, Floats]:
    """Of graders who grade all components: the equivalent reliability and the slope of reports, in the mean."""
    told, slope = [], []
    for part in graders.blocks():
        by_component = [work.equivalent(part) for work in works]
        told.append(np.mean([one for one, _ in by_component], axis=0))
        slope.append(np.mean([one for _, one in by_component], axis=0))
    shape = graders.reliability.shape
    return np.concatenate(told).reshape(shape), np.concatenate(slope).reshape(shape)
