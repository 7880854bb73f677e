"""Φ-pairing: what two reports of one work have in common, less what two reports of different works have.

How often grades x and y meet on one work, J(x, y), and how often each is given, M(x), are counted in one half of the
tasks and used in the other. A pair earns K(x, y) = ∂Φ(J / (M ⊗ M)) on its common task and pays Φ*(K(x', y')) for
another task of each. Where a grade was not seen at all, K = 0. Where both were seen, but never together, KL and H² have
no bound, and the loss is enormous: they need many reviews.

G. Schoenebeck and F.-Y. Yu, "Learning and Strongly Truthful Multi-Task Peer Prediction", ITCS 2021.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.mechanisms.divergences import DIVERGENCES, Divergence
from peerage.mechanisms.mechanism_contract import Score, TaskMechanism
from peerage.mechanisms.pairing import paired_scores
from peerage.mechanisms.task_reports import Floats, Integers, TaskReports

NEEDS = "students who review three submissions or more in an assignment"


def phi_pairing(divergence: Divergence) -> Score:
    """The score of Φ-pairing with one divergence."""

    def score(reports: TaskReports, rng: np.random.Generator) -> Floats:
        half = halves(reports, rng)
        ratio, seen = joint_ratio(reports, half)
        table, level = np.where(seen, divergence.slope(ratio), 0.0), reports.level
        return paired_scores(
            reports, rng, lambda i, j, task: table[half[task], level[i], level[j]], divergence.conjugate
        )

    return score


def halves(reports: TaskReports, rng: np.random.Generator) -> Integers:
    """(tasks,) 0 or 1, each for one half of the tasks at random."""
    return rng.permutation(reports.n_tasks) % 2


def joint_ratio(reports: TaskReports, half: Integers) -> tuple[Floats, NDArray[np.bool_]]:
    """(halves, levels, levels) J / (M ⊗ M) for use in each half, from the other; and where both grades were seen."""
    (first, second), size = reports.pairs, reports.task_size
    source = 1 - half
    joint, marginal = np.zeros((2, reports.n_levels, reports.n_levels)), np.zeros((2, reports.n_levels))
    task = reports.task[first]
    for one, two in ((first, second), (second, first)):
        np.add.at(joint, (source[task], reports.level[one], reports.level[two]), 1 / (size * (size - 1.0))[task])
    several = np.flatnonzero(size[reports.task] > 1)
    task = reports.task[several]
    np.add.at(marginal, (source[task], reports.level[several]), 1 / size[task])
    n_tasks = np.maximum(marginal.sum(axis=1), 1.0)
    product = (marginal[:, :, None] * marginal[:, None, :]) / n_tasks[:, None, None]
    seen = product > 0
    return np.where(seen, joint / np.where(seen, product, 1.0), 0.0), seen


PHI_PAIRING = tuple(
    TaskMechanism(f"phi-{divergence.key}", "Schoenebeck and Yu (2021)", NEEDS, phi_pairing(divergence))
    for divergence in DIVERGENCES
)
