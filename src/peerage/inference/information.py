"""What a grader's report tells about a true grade: information, in the units of a reliability: (16) of docs/model.md.

A report is the bin into which y = s + b + ε falls, with s ~ N(μ, σ²) and ε ~ N(0, 1/p). What it takes off the variance
of the true grade s is, as a precision,

    p*(p, b) = 1 / E Var(s | report) − 1/σ².

Because s and y are jointly normal, E(s | y) is linear in y, and with ρ = σ²/(σ² + 1/p) and the bins' edges in standard
units of y,

    E Var(s | report) = σ² (1 − ρ q),    q = Σ (φ(low) − φ(high))² / (Φ(high) − Φ(low)),

so that p* = ρ q / (σ² (1 − ρ q)). Without rounding q = 1 and p* = p. Somebody whose reports all fall into one bin,
because of a large bias, has q = 0, however reliable.

People know reliabilities, so p* is told as the reliability of an unbiased grader whose reports tell as much: J⁻¹(p*),
where J(p) = p*(p, 0). A bias may also move reports to where bins tell more apart; this does not count, because J
flattens, and under coarse rubrics no unbiased grader tells as much: nobody's reports are worth more than their
reliability.

All of this believes the model. A student who gives the same grades to everything may also be taken for a precise
grader of works that are all alike; :mod:`peerage.inference.checking.suspicions` finds such students, and they count
nothing.

A halo (an error that the components of a review share) leaves each component's p* as it is, if 1/p is the whole
variance of its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.special import ndtr

from peerage.rubric import Component

Floats = NDArray[np.float64]

_LEAST_MASS = 1e-15
_PRECISIONS = np.geomspace(1e-3, 256.0, 101)
_BIASES = np.linspace(-6.0, 6.0, 121)


def information(precision: Floats, bias: Floats, mean: float, sd: float, edges: Floats) -> Floats:
    """What reports of some precisions and biases take off the variance of a true grade N(mean, sd²), as a precision.

    ``edges`` are the ends of the bins, the outer ones infinite. Everything is on the model's scale.

    >>> whole = np.array([-np.inf, 0.5, 1.5, 2.5, 3.5, 4.5, np.inf])
    >>> information(np.ones(3), np.array([0.0, 1.0, -1.0]), 3.7, 0.8, whole).round(2)
    array([0.84, 0.65, 0.9 ])
    """
    variance = sd**2
    spread = np.sqrt(variance + 1 / precision)
    at = (edges - mean - bias[..., None]) / spread[..., None]
    mass = np.diff(ndtr(at), axis=-1)
    gap = np.diff(np.exp(-(at**2) / 2), axis=-1)
    told = np.sum(np.where(mass > _LEAST_MASS, gap**2 / np.maximum(mass, _LEAST_MASS), 0.0), axis=-1) / (2 * np.pi)
    share = variance / spread**2 * told
    return np.asarray(share / (variance * (1 - share)))


@dataclass(frozen=True, eq=False)
class Information:
    """The equivalent reliability of every reliability and bias, as a share of the reliability: (precisions, biases)."""

    share: Floats

    @classmethod
    def of(cls, components: Sequence[Component], means: Sequence[float], sds: Sequence[float]) -> Information:
        """A table for a class whose components have true grades of these means and standard deviations.

        A grader grades all components, so that the table has their mean.
        """
        precision, bias = np.meshgrid(_PRECISIONS, _BIASES, indexing="ij")
        total = np.zeros(precision.shape)
        for component, mean, sd in zip(components, means, sds, strict=True):
            told = information(precision, bias, mean, sd, component.edges)
            unbiased = information(_PRECISIONS, np.zeros(len(_PRECISIONS)), mean, sd, component.edges)
            known, known_precision = np.append(0.0, unbiased), np.append(0.0, _PRECISIONS)
            total += np.minimum(np.interp(told, known, known_precision) / precision, 1.0)
        return cls(total / len(components))

    def equivalent(self, reliability: NDArray[np.floating], bias: NDArray[np.floating]) -> Floats:
        """The reliabilities of unbiased graders whose reports tell as much."""
        logs = np.log(_PRECISIONS)
        row = (np.log(np.maximum(reliability, _PRECISIONS[0])) - logs[0]) / (logs[1] - logs[0])
        column = (bias - _BIASES[0]) / (_BIASES[1] - _BIASES[0])
        share = map_coordinates(self.share, [row, np.broadcast_to(column, row.shape)], order=1, mode="nearest")
        return np.asarray(reliability * share)
