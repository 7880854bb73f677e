"""Determinant-based mutual information of the reports that two students have in common.

Grades are taken as low or high, split at the class's mean. The tasks that two students share are divided in two at
random; the payment is the product of the determinants of the two tables of how often their judgements meet, averaged
over peers.

Y. Kong, "Dominantly Truthful Multi-Task Peer Prediction with a Constant Number of Tasks", SODA 2020.
"""

from __future__ import annotations

import numpy as np

from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.task_reports import Floats, Integers, TaskReports

FEWEST = 4
"""Twice the number of judgements: two tasks for each determinant."""


def score(reports: TaskReports, rng: np.random.Generator) -> Floats:
    """(reports,) the grader's mean over all peers with enough tasks in common."""
    usual = int(np.abs(reports.scaled - reports.value.mean()).argmin())
    high = (reports.level >= usual).astype(np.int64)
    first, second = reports.pairs
    swap = reports.grader[first] > reports.grader[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    couple = reports.grader[first] * reports.n_graders + reports.grader[second]
    place = rng.permutation(reports.n_tasks)[reports.task[first]]
    order = np.lexsort((place, couple))
    couples, start, count = np.unique(couple[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(start, count)
    half = (rank >= np.repeat(count, count) / 2).astype(np.int64)
    tables = np.zeros((len(couples), 2, 2, 2))
    number = np.repeat(np.arange(len(couples)), count)
    np.add.at(tables, (number, half, high[first[order]], high[second[order]]), 1.0)
    worth = np.prod(tables[..., 0, 0] * tables[..., 1, 1] - tables[..., 0, 1] * tables[..., 1, 0], axis=1)
    return _by_grader(couples, worth, count >= FEWEST, reports)


def _by_grader(couples: Integers, worth: Floats, enough: Integers, reports: TaskReports) -> Floats:
    """(reports,) the mean of what a grader's couples are worth, the same on each of the grader's reports."""
    both = np.concatenate(np.divmod(couples[enough], reports.n_graders))
    counts = np.bincount(both, minlength=reports.n_graders)
    sums = np.bincount(both, np.tile(worth[enough], 2), reports.n_graders)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)[reports.grader]


DMI = TaskMechanism("dmi", "Kong (2020)", f"students who review {FEWEST} submissions in common in an assignment", score)
