"""The four Φ-divergences by which pairing mechanisms measure how much two reports have in common.

With a = P(x, y) / (P(x) P(y)), two reports of the same work are worth ∂Φ(a), and two of different works, which have
nothing in common, cost its conjugate Φ*(∂Φ(a)). The expectation of the difference is the Φ-mutual information.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peerage.mechanisms.task_reports import Floats

IMPOSSIBLE = -1e9
"""What a pair of reports costs that was never seen, where the divergence has no bound."""


@dataclass(frozen=True)
class Divergence:
    """A convex function Φ through its slope ∂Φ and its conjugate Φ*; ``key`` names it on the command line."""

    key: str
    name: str
    slope: Callable[[Floats], Floats]
    conjugate: Callable[[Floats], Floats]


def _logarithm(a: Floats) -> Floats:
    return np.asarray(1 + np.log(np.maximum(a, np.finfo(float).tiny)))


def _kl(a: Floats) -> Floats:
    return np.where(a > 0, _logarithm(a), IMPOSSIBLE)


def _hellinger(a: Floats) -> Floats:
    return np.where(a > 0, 1 - np.maximum(a, np.finfo(float).tiny) ** -0.5, IMPOSSIBLE)


TVD = Divergence("tvd", "total variation distance", lambda a: 0.5 * np.sign(a - 1), lambda b: b)
KL = Divergence("kl", "Kullback–Leibler divergence", _kl, lambda b: np.exp(b - 1))
CHI2 = Divergence("chi2", "χ²", lambda a: 2 * a, lambda b: b**2 / 4 + 1)
H2 = Divergence("h2", "squared Hellinger distance", _hellinger, lambda b: b / (1 - b))

DIVERGENCES = (TVD, KL, CHI2, H2)
