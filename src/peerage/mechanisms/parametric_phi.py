"""Parametric Φ-pairing: Φ-pairing whose J / (M ⊗ M) comes from a normal model instead of counts.

In PG1 two reports x and y of one work, less the graders' biases, are bivariate normal around the mean of true grades,
with variances v = σ² + noise and covariance σ². So

    log J / (M ⊗ M) = −½ log(1 − σ⁴/v²) − σ² / (2 (v² − σ⁴)) · [σ² (x² + y²) / v − 2 x y].

Biases are estimated; the noise is that of everybody, the variance of what an average of three looks has in Burrell and
Schoenebeck's classes, σ²/3, because reliabilities estimated from few reports make payments worse.

N. Burrell and G. Schoenebeck, "Measurement Integrity in Peer Prediction: A Peer Assessment Case Study", EC 2023.
"""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.class_estimate import estimate
from peerage.mechanisms.divergences import DIVERGENCES, Divergence
from peerage.mechanisms.mechanism_contract import Score, TaskMechanism
from peerage.mechanisms.pairing import paired_scores
from peerage.mechanisms.phi_pairing import NEEDS
from peerage.mechanisms.task_reports import Floats, TaskReports

NOISE = 1 / 3
"""The variance of an unbiased report, as a share of that of true grades."""

_LARGEST = 30.0
"""Logarithms of ratios beyond this, which only a class that the model does not fit has, are cut."""


def parametric_phi(divergence: Divergence) -> Score:
    """The score of parametric Φ-pairing with one divergence."""

    def score(reports: TaskReports, rng: np.random.Generator) -> Floats:
        believed = estimate(reports)
        centred = reports.value - believed.bias[reports.grader] - believed.mean
        return paired_scores(
            reports,
            rng,
            lambda i, j, _task: divergence.slope(normal_ratio(centred[i], centred[j], believed.variance)),
            divergence.conjugate,
        )

    return score


def normal_ratio(x: Floats, y: Floats, variance: float) -> Floats:
    """How much more often two reports meet on one work than on different ones."""
    total = variance * (1 + NOISE)
    rest = total**2 - variance**2
    exponent = -variance / (2 * rest) * (variance * (x**2 + y**2) / total - 2 * x * y)
    return np.asarray(total / np.sqrt(rest) * np.exp(np.clip(exponent, -_LARGEST, _LARGEST)))


PARAMETRIC_PHI = tuple(
    TaskMechanism(f"parametric-{divergence.key}", "Burrell and Schoenebeck (2023)", NEEDS, parametric_phi(divergence))
    for divergence in DIVERGENCES
)
