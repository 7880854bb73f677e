"""Output agreement: how many of the others gave the same grade."""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.task_reports import Floats, TaskReports


def score(reports: TaskReports, _rng: np.random.Generator) -> Floats:
    """The share of the work's other reports that say the same."""
    first, second = reports.pairs
    return reports.mean_over_peers((reports.level[first] == reports.level[second]).astype(float))


OUTPUT_AGREEMENT = TaskMechanism(
    "output-agreement",
    "von Ahn and Dabbish (2004)",
    "two reviews of a submission, and few grades to choose from",
    score,
)
