"""The peer truth serum: agreement counts the more, the rarer the grade has been in earlier assignments."""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.task_reports import Floats, TaskReports


def score(reports: TaskReports, _rng: np.random.Generator) -> Floats:
    """1/R for each peer who says the same, where R is the share of that grade so far, counting each grade once more."""
    first, second = reports.pairs
    so_far = reports.earlier + 1.0
    worth = so_far.sum() / so_far
    return reports.mean_over_peers((reports.level[first] == reports.level[second]) * worth[reports.level[first]])


PEER_TRUTH_SERUM = TaskMechanism(
    "peer-truth-serum",
    "Faltings, Jurca and Radanovic (2017)",
    "two reviews of a submission, and several assignments in the order of the file",
    score,
)
