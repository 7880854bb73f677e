"""Products of a cell's prior and its effortful reports' likelihoods, where 32 bits or a plain prior do not do.

A *cell* is one component of one submission. Where all of a product is so small that 32 bits cannot hold it (reliable
graders who contradict each other), the same quantity is computed from logarithms in 64 bits.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.arrays import F64, I32, I64, Given, State, Work
from peerage.inference.jit import jit
from peerage.inference.learning_grades import reliability_of
from peerage.inference.vectors import log_sum

Int = int | np.int64

IMPOSSIBLE = -1e30


@jit
def expected_effort(effortful: int, count: int, prior: F64) -> float:
    """The probability of one more effort after ``effortful`` of ``count`` reviews, effort probability summed out."""
    return float((prior[0] + effortful) / (prior[0] + prior[1] + count))


@jit
def find_report(review: Int, cell: Int, review_reports: I64, report_cell: I32) -> int:
    """The report on a cell in a review; -1 if it has none."""
    for report in range(review_reports[review], review_reports[review + 1]):
        if report_cell[report] == cell:
            return int(report)
    return -1


@jit
def _log_prior(cell: Int, submission: Int, given: Given, state: State, out: F64) -> None:
    """The logarithm, up to a constant, of the prior of a cell's true grade."""
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    component = reports.cell_component[cell]
    size = len(tables.true_grade_points)
    n_authors = reports.author_start[submission + 1] - reports.author_start[submission]
    if n_authors:
        mean = beliefs.author_mean[component] - beliefs.author_slope[component] * beliefs.author_origin[0]
        for position in range(reports.author_start[submission], reports.author_start[submission + 1]):
            reliability = reliability_of(
                np.int64(reports.authors[position]), clamps, tables.reliability_points, state.reliability
            )
            mean += beliefs.author_slope[component] * reliability / n_authors
        for i in range(size):
            out[i] = -0.5 * beliefs.author_precision[component] * (tables.true_grade_points[i] - mean) ** 2
    else:
        for i in range(size):
            out[i] = beliefs.log_true_grade[component, i]
    if clamps.cell_bin[cell] >= 0:
        for i in range(size):
            share = clamps.bins[clamps.cell_bin[cell], i]
            out[i] += np.log(share) if share > 0 else IMPOSSIBLE


@jit
def load_special_prior(cell: Int, submission: Int, given: Given, state: State, work: Work) -> None:
    """Start a cell's product with a prior that is not the component's own: shifted by its authors, or cut to a bin."""
    _log_prior(cell, submission, given, state, work.logs)
    row = cell - given.reports.submission_cells[submission]
    for i in range(work.running.shape[1]):
        work.priors[row, i] = np.exp(work.logs[i]) if work.logs[i] > -20.0 else 0.0


@jit
def _log_product(cell: Int, submission: Int, skipped: Int, given: Given, state: State, offset: I64, out: F64) -> None:
    """Log of the prior times the likelihood of the cell's effortful reports but those of review ``skipped``."""
    reports, tables = given.reports, given.tables
    _log_prior(cell, submission, given, state, out)
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        if review == skipped or not state.effortful[review]:
            continue
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            if reports.report_cell[report] == cell:
                start = tables.report_row[report] + offset[reports.review_grader[review]]
                for i in range(len(tables.true_grade_points)):
                    out[i] += tables.log_mass[start + i]


@jit
def load_from_logs(cell: Int, submission: Int, given: Given, state: State, work: Work) -> None:
    """A cell's product, scaled so that its largest entry is 1, from logarithms."""
    _log_product(cell, submission, np.int64(-1), given, state, work.offset, work.logs)
    size = work.running.shape[1]
    top = work.logs[:size].max()
    for i in range(size):
        work.running[0, i] = np.exp(work.logs[i] - top)


@jit
def log_ratio(report: Int, review: Int, submission: Int, given: Given, state: State, work: Work) -> float:
    """Log probability of an effortful report given the other effortful ones, true grade summed out, from logarithms."""
    reports, tables = given.reports, given.tables
    size, logs = len(tables.true_grade_points), work.logs
    _log_product(np.int64(reports.report_cell[report]), submission, review, given, state, work.offset, logs)
    start = tables.report_row[report] + work.offset[reports.review_grader[review]]
    without = log_sum(logs, size)
    for i in range(size):
        logs[i] += tables.log_mass[start + i]
    return log_sum(logs, size) - without
