"""Correlated agreement: two grades agree if they meet more often than chance would have it.

A pair earns 1 on its common task if its grades meet there more often than chance, and pays 1 if so do the grades of
another task of each. Which grades do is counted as in Φ-pairing, in the other half of the tasks; what was never seen
does not.

V. Shnayder, A. Agarwal, R. Frongillo and D. Parkes, "Informed Truthfulness in Multi-Task Peer Prediction", EC 2016.
"""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.pairing import paired_scores
from peerage.mechanisms.phi_pairing import NEEDS, halves, joint_ratio
from peerage.mechanisms.task_reports import Floats, TaskReports


def score(reports: TaskReports, rng: np.random.Generator) -> Floats:
    """(reports,) agreement on the common task less agreement on different ones, averaged over peers."""
    half = halves(reports, rng)
    agree, level = (joint_ratio(reports, half)[0] > 1).astype(float), reports.level
    return paired_scores(reports, rng, lambda i, j, task: agree[half[task], level[i], level[j]])


CORRELATED_AGREEMENT = TaskMechanism("correlated-agreement", "Shnayder et al. (2016)", NEEDS, score)
