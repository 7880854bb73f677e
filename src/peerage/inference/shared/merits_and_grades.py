"""True grades and merits, drawn together for each submission (docs/model.md, equations S5 and S6)."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.cell_products import Int, find_report
from peerage.inference.censored.censored_sweep import draw_within_levels, level_sums
from peerage.inference.numerics.arrays import F32, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import REORDER, multiply
from peerage.inference.shared.shared_arrays import Given, State, Work
from peerage.inference.shared.shared_products import dot, exponentiate_into, log_likelihoods

_ENOUGH = np.float32(1e-12)
"""Likelihoods whose largest value is smaller are computed from logarithms."""


@jit
def draw_grades(rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work) -> None:
    """Draw each submission's merit with its true grades summed out, and then these; likelihoods have been loaded."""
    cells = given.reports.submission_cells
    for submission in range(len(cells) - 1):
        if given.sharing.has_merit:
            state.merit[submission] = _draw_merit(submission, rng, given, work)
        for cell in range(cells[submission], cells[submission + 1]):
            _draw_grade(cell, submission, rng, keep, given, state, sums, work)


@jit
def load_likelihoods(given: Given, state: State, work: Work) -> None:
    """The likelihood of each cell's effortful reports, for each true grade."""
    cells = given.reports.submission_cells
    for submission in range(len(cells) - 1):
        for cell in range(cells[submission], cells[submission + 1]):
            _load_likelihood(cell, submission, given, state, work)


@jit
def _load_likelihood(cell: Int, submission: Int, given: Given, state: State, work: Work) -> None:
    """The likelihood of a cell's effortful reports for each true grade (equation S2)."""
    reports, tables, clamps = given.reports, given.tables, given.clamps
    c = cell - reports.submission_cells[submission]
    running = work.likelihood[cell]
    size = len(running)
    for i in range(np.uint64(size)):
        running[i] = 1.0
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        if not state.effortful[review]:
            continue
        report = reports.review_reports[review] + c
        if report >= reports.review_reports[review + 1] or reports.report_cell[report] != cell:
            report = find_report(review, cell, reports.review_reports, reports.report_cell)
            if report < 0:
                continue
        multiply(running, tables.mass, tables.report_row[report] + work.offset[review], 0, size)
    if clamps.cell_bin[cell] >= 0:
        share = clamps.bins[clamps.cell_bin[cell]]
        for i in range(np.uint64(size)):
            running[i] *= share[i]
    if _largest(running) < _ENOUGH:
        log_likelihoods(cell, submission, np.int64(-1), given, state, work)
        exponentiate_into(work.logs, running)


@jit(fastmath=REORDER)
def _largest(values: F32) -> float:
    top = np.float32(0.0)
    for i in range(np.uint64(len(values))):
        top = max(top, values[i])
    return float(top)


@jit
def _draw_merit(submission: Int, rng: np.random.Generator, given: Given, work: Work) -> int:
    """Draw a submission's merit with its true grades summed out (equation S5)."""
    beliefs, sharing, weights = given.beliefs, given.sharing, work.level_weights
    first, last = given.reports.submission_cells[submission], given.reports.submission_cells[submission + 1]
    n_merits = len(weights)
    for k in range(n_merits):
        weights[k] = sharing.log_merit[k]
    for cell in range(first, last):
        component, likelihood = given.reports.cell_component[cell], work.likelihood[cell]
        for k in range(n_merits):
            low, high = beliefs.support[component, k]
            weights[k] += math.log(max(dot(beliefs.true_grade[component, k], likelihood, low, high), 1e-37))
    return draw_from_few_logs(rng, weights)


@jit
def draw_from_few_logs(rng: np.random.Generator, logs: np.ndarray) -> int:
    """An index drawn with probability proportional to exp(logs); destroys ``logs``."""
    top, total = logs.max(), 0.0
    for k in range(len(logs)):
        logs[k] = math.exp(logs[k] - top)
        total += logs[k]
    target, chosen = rng.random() * total, 0
    while chosen < len(logs) - 1 and target >= logs[chosen]:
        target -= logs[chosen]
        chosen += 1
    return chosen


@jit
def _draw_grade(
    cell: Int,
    submission: Int,
    rng: np.random.Generator,
    keep: bool,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
) -> None:
    """Draw a true grade given its submission's merit (equation S6), and add up the probabilities of its levels."""
    tables, component = given.tables, np.int64(given.reports.cell_component[cell])
    weights = work.likelihood[cell]
    prior = given.beliefs.true_grade[component, state.merit[submission]]
    for i in range(np.uint64(len(weights))):
        weights[i] *= prior[i]
    begun = tables.level_start[component]
    n_levels = tables.level_start[component + 1] - begun
    edges = tables.level_edges[begun + component :]
    total = level_sums(weights, edges, n_levels, work.sums)
    if total < 1e-30:
        log_likelihoods(cell, submission, np.int64(-1), given, state, work)
        for i in range(len(weights)):
            work.logs[i] += math.log(max(prior[i], 1e-37))
        exponentiate_into(work.logs, weights)
        total = level_sums(weights, edges, n_levels, work.sums)
    state.true_grade[cell] = draw_within_levels(rng.random() * total, weights, edges, n_levels, work.sums)
    if keep:
        for cut in range(n_levels - 1):
            moved = tables.cut_shares[begun + cut] * weights[tables.cut_cells[begun + cut]]
            work.sums[cut] += moved
            work.sums[cut + 1] -= moved
        for level in range(n_levels):
            sums.level_mass[cell, level] += work.sums[level] / total
