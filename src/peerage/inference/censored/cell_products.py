"""Products of a cell's prior and its effortful reports' likelihoods, where 32 bits or a plain prior do not do.

A *cell* is one component of one submission. Where all of a product is so small that 32 bits cannot hold it (reliable
graders who contradict each other), the same quantity is computed from logarithms in 64 bits. These are the products of
equations (6) and (8) of docs/model.md. They are called for few cells, so that plain loops over the grid do.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.censored.censored_arrays import Beliefs, Given, State, Work
from peerage.inference.censored.learning_grades import reliability_of
from peerage.inference.numerics.arrays import F32, F64, I32, I64, BinClamps
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import copy_into, log_sum

Int = int | np.int64

IMPOSSIBLE = -1e30


@jit
def find_report(review: Int, cell: Int, review_reports: I64, report_cell: I32) -> int:
    """The report on a cell in a review; -1 if it has none."""
    for report in range(review_reports[review], review_reports[review + 1]):
        if report_cell[report] == cell:
            return int(report)
    return -1


@jit
def _author_mean(component: Int, submission: Int, given: Given, state: State) -> float:
    """The prior mean of a true grade that depends on its authors' reliabilities, equation (4)."""
    reports, beliefs = given.reports, given.beliefs
    begin, end = reports.author_start[submission], reports.author_start[submission + 1]
    mean = beliefs.author_mean[component] - beliefs.author_slope[component] * beliefs.author_origin[0]
    for position in range(begin, end):
        author = np.int64(reports.authors[position])
        reliability = reliability_of(author, given.clamps, given.tables.reliability_points, state.reliability)
        mean += beliefs.author_slope[component] * reliability / (end - begin)
    return float(mean)


@jit
def _log_prior(cell: Int, submission: Int, given: Given, state: State, out: F64) -> None:
    """Log prior, up to a constant, of a cell's true grade: equation (4) where it has authors, else equation (1)."""
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    component = reports.cell_component[cell]
    size = len(tables.true_grade_points)
    if reports.author_start[submission + 1] > reports.author_start[submission]:
        mean = _author_mean(component, submission, given, state)
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
def load_author_means(given: Given, state: State, means: F64) -> None:
    """The prior mean, equation (4), of each cell whose submission has authors that shift it: once for a whole sweep."""
    reports = given.reports
    for submission in range(len(reports.submission_cells) - 1):
        if reports.author_start[submission + 1] > reports.author_start[submission]:
            for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
                means[cell] = _author_mean(np.int64(reports.cell_component[cell]), submission, given, state)


@jit
def load_special_prior(
    cell: Int, component: Int, correlated: bool, mean: float, points: F64, beliefs: Beliefs, clamps: BinClamps, out: F32
) -> None:
    """A prior that is not the component's own: shifted to a mean by its authors, equation (4), cut to a bin, or both.

    It is called for each report; to pass all tuples of arrays would take longer than its work.
    """
    if correlated:
        fill_normal(points, mean, beliefs.author_precision[component], out)
    else:
        copy_into(out, beliefs.true_grade[component])
    if clamps.cell_bin[cell] >= 0:
        for i in range(len(out)):
            out[i] *= clamps.bins[clamps.cell_bin[cell], i]


@jit
def fill_normal(points: F64, mean: float, precision: float, out: F32) -> None:
    """exp(−precision·(x − mean)²/2) on evenly spaced points; zero where that is less than a billionth.

    From the point next to the mean outwards each value is the one before times a factor, which itself changes by a
    factor: exponentials of every point would take longer than all else.
    """
    size, step = len(points), points[1] - points[0]
    start = min(max(int(np.floor((mean - points[0]) / step + 0.5)), 0), size - 1)
    bend = np.exp(-precision * step * step)
    for i in range(size):
        out[i] = 0.0
    for direction in (1, -1):
        gap = direction * (points[start] - mean)
        value = np.exp(-0.5 * precision * gap * gap)
        factor = np.exp(-0.5 * precision * step * (2.0 * gap + step))
        i = start
        while 0 <= i < size and value > 1e-9:
            out[i] = value
            value *= factor
            factor *= bend
            i += direction


@jit
def _log_product(cell: Int, submission: Int, skipped: Int, given: Given, state: State, offset: I64, out: F64) -> None:
    """Log of the prior times the likelihood of the cell's effortful reports but those of review ``skipped``.

    This is the product of equation (8), or with a review skipped that of equation (6).
    """
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


@jit(makes_arrays=True)
def load_from_logs(cell: Int, submission: Int, given: Given, state: State, work: Work) -> None:
    """A cell's product, equation (8), scaled so that its largest entry is 1, from logarithms."""
    _log_product(cell, submission, np.int64(-1), given, state, work.offset, work.logs)
    size = work.running.shape[1]
    top = work.logs[:size].max()
    for i in range(size):
        work.running[0, i] = np.exp(work.logs[i] - top)


@jit
def log_ratio(report: Int, review: Int, submission: Int, given: Given, state: State, work: Work) -> float:
    """Log of A in equation (6), an effortful report given the others, true grade summed out, from logarithms."""
    reports, tables = given.reports, given.tables
    size, logs = len(tables.true_grade_points), work.logs
    _log_product(np.int64(reports.report_cell[report]), submission, review, given, state, work.offset, logs)
    start = tables.report_row[report] + work.offset[reports.review_grader[review]]
    without = log_sum(logs, size)
    for i in range(size):
        logs[i] += tables.log_mass[start + i]
    return log_sum(logs, size) - without
