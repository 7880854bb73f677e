"""Products of likelihoods from logarithms, where 32 bits do not hold them: reliable graders contradict each other."""

from __future__ import annotations

import numpy as np

from peerage.inference.censored.cell_products import IMPOSSIBLE, Int, find_report
from peerage.inference.numerics.arrays import F32, F64
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import REORDER
from peerage.inference.shared.shared_arrays import Given, State, Work


@jit(fastmath=REORDER)
def dot(weights: F32, likelihood: F32, low: int, high: int) -> float:
    """Sum of products of a part of two vectors."""
    total = np.float32(0.0)
    for i in range(np.uint64(low), np.uint64(high)):
        total += weights[i] * likelihood[i]
    return float(total)


@jit
def log_likelihoods(cell: Int, submission: Int, skipped: Int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a cell's effortful reports but those of review ``skipped``, in ``work.logs``."""
    reports, tables, logs = given.reports, given.tables, work.logs
    size = len(tables.true_grade_points)
    for i in range(size):
        logs[i] = 0.0
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = np.int64(reports.submission_reviews[position])
        if review == skipped or not state.effortful[review]:
            continue
        report = find_report(review, cell, reports.review_reports, reports.report_cell)
        if report >= 0:
            start = tables.report_row[report] + work.offset[review]
            for i in range(size):
                logs[i] += tables.log_mass[start + i]
    if given.clamps.cell_bin[cell] >= 0:
        for i in range(size):
            share = given.clamps.bins[given.clamps.cell_bin[cell], i]
            logs[i] += np.log(share) if share > 0 else IMPOSSIBLE


@jit
def load_others_from_logs(cell: Int, submission: Int, review: Int, given: Given, state: State, work: Work) -> float:
    """Prior times the likelihoods of the other effortful reports, the largest 1, in ``work.running``; their sum."""
    log_likelihoods(cell, submission, review, given, state, work)
    prior = given.beliefs.true_grade[given.reports.cell_component[cell], state.merit[submission]]
    _add_logs(prior, work.logs)
    return exponentiate_into(work.logs, work.running[0])


@jit
def _add_logs(masses: np.ndarray, logs: F64) -> None:
    for i in range(len(masses)):
        logs[i] += np.log(masses[i]) if masses[i] > 0.0 else IMPOSSIBLE


@jit
def exponentiate_into(logs: F64, out: np.ndarray) -> float:
    """Fill ``out`` with exp(logs), divided by the largest; returns their sum."""
    size = len(out)
    top = logs[:size].max()
    total = 0.0
    for i in range(size):
        out[i] = np.exp(max(logs[i] - top, -80.0))
        total += out[i]
    return total
