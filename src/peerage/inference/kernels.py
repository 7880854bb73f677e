"""The sweeps of the censored model: Gibbs updates on grids, compiled.

Arrays in, arrays out. True grades, reliabilities and biases are indexes into their grids (see ``likelihood``). A
*cell* is one component of one submission; a *report* is one component's grade in a review.

One sweep updates

1. for each submission, each grader's effort z given all other efforts, with the true grades and the grader's effort
   probability summed out, and then at once the true grades given all z;
2. for each grader, reliability, bias and effort probability.

Integers are made 64 bits wide where they are passed on, lest a kernel be compiled once for each width. Products of
likelihoods are taken in 32 bits. Where all of a product is so small that 32 bits cannot hold it (reliable
graders who contradict each other), the same quantity is computed from logarithms in 64 bits.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.arrays import F32, F64, I64, Draws, Given, State, Sums, Work
from peerage.inference.graders import count_effortful, draw_biases, draw_efforts, draw_reliabilities
from peerage.inference.hyper import draw_idle_centres
from peerage.inference.jit import jit
from peerage.inference.learning import learn_low_effort, refresh
from peerage.inference.learning_grades import learn_true_grades, reliability_of
from peerage.inference.vectors import (
    REORDER,
    TINY,
    copy_into,
    log_sum,
    multiply,
    sum_of_products,
    sum_of_quotients,
    total_of,
)

Int = int | np.int64

MAX_COLLAPSED = 24
"""Up to this many graders of a submission, efforts are updated with its true grades summed out."""

IMPOSSIBLE = -1e30


@jit
def sweep(
    rng: np.random.Generator,
    sweeps: int,
    first: int,
    keep: bool,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    draws: Draws,
    work: Work,
) -> None:
    """Run ``sweeps`` sweeps in place; if ``keep``, add to the sums and write the draws from row ``first`` on."""
    learned = given.learning.on
    if learned:
        refresh(given.learning, given.beliefs, state.hyper, work.scratch)
    for index in range(sweeps):
        _submissions(rng, keep, has_effort, given, state, sums, work)
        if learned:
            learn_true_grades(rng, not keep, given, state, work.scratch)
            if has_effort:
                learn_low_effort(rng, not keep, given, state, work.scratch)
            else:
                draw_idle_centres(rng, state.hyper)
        draw_reliabilities(rng, not keep, given, state, work)
        if has_bias:
            draw_biases(rng, not keep, given, state, work)
        if has_effort:
            draw_efforts(rng, not keep, given, state, work)
        if keep:
            _add_influence(given, state, sums)
            _write(first + index, state, draws)


@jit
def _submissions(
    rng: np.random.Generator, keep: bool, has_effort: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw the efforts on each submission, with its true grades summed out, and then its true grades.

    ``running`` holds, for each cell, the prior times the likelihoods of all effortful reports; sums without a review's
    own are sums of quotients. All of this is one function because calling one with so many arrays takes longer than
    its work; only rare cases are left to others.
    """
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    running, priors, ends, totals, offset = work.running, work.priors, work.ends, work.totals, work.offset
    for grader in range(len(offset)):
        row = state.reliability[grader] * tables.row_length[grader]
        offset[grader] = row + tables.from_bias[state.bias[grader]]
        work.effortful[grader] = count_effortful(grader, given.reports.grader_reviews, state.effortful)
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        first, last = reports.submission_cells[submission], reports.submission_cells[submission + 1]
        correlated = reports.author_start[submission + 1] > reports.author_start[submission]
        for cell in range(first, last):
            if correlated or clamps.cell_bin[cell] >= 0:
                load_special_prior(cell, submission, given, state, work)
                ends[cell - first, 0], ends[cell - first, 1] = 0, running.shape[1]
            else:
                component = reports.cell_component[cell]
                copy_into(priors[cell - first], beliefs.true_grade[component])
                ends[cell - first, 0], ends[cell - first, 1] = beliefs.support[component]
        collapse = has_effort and end - begin <= MAX_COLLAPSED
        if has_effort and not collapse:
            _efforts_given_grades(submission, rng, keep, given, state, sums, work)
        for c in range(last - first):
            copy_into(running[c], priors[c])
        for position in range(begin, end):
            review = reports.submission_reviews[position]
            if state.effortful[review]:
                shift = offset[reports.review_grader[review]]
                for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                    c = reports.report_cell[report] - first
                    multiply(running[c], tables.mass, tables.report_row[report] + shift, ends[c])
        if collapse:
            for c in range(last - first):
                totals[c] = total_of(running[c], ends[c, 0], ends[c, 1])
            for position in range(begin, end):
                review = np.int64(reports.submission_reviews[position])
                grader = reports.review_grader[review]
                was_effortful = state.effortful[review]
                probability = state.effort[grader]
                if not clamps.effort[grader]:
                    n_others = reports.grader_reviews[grader + 1] - reports.grader_reviews[grader] - 1
                    probability = expected_effort(work.effortful[grader] - was_effortful, n_others, beliefs.effort)
                if 0.0 < probability < 1.0:
                    log_odds = np.log(probability / (1.0 - probability))
                    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                        c = reports.report_cell[report] - first
                        start = tables.report_row[report] + offset[grader]
                        with_report = without = totals[c]
                        if was_effortful:
                            without = sum_of_quotients(running[c], tables.mass, start, ends[c])
                        else:
                            with_report = sum_of_products(running[c], tables.mass, start, ends[c])
                        if min(with_report, without) > TINY:
                            log_odds += np.log(with_report / without)
                        else:
                            log_odds += log_ratio(report, review, submission, given, state, work)
                        log_odds -= beliefs.log_low_effort[report]
                    probability = 1.0 / (1.0 + np.exp(-log_odds))
                effortful = rng.random() < probability
                if keep:
                    sums.effortful[review] += probability
                if effortful != was_effortful:
                    state.effortful[review] = effortful
                    work.effortful[grader] += 1 if effortful else -1
                    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                        c = reports.report_cell[report] - first
                        start = tables.report_row[report] + offset[grader]
                        if effortful:
                            multiply(running[c], tables.mass, start, ends[c])
                        else:
                            # What has underflowed cannot be brought back by division: start again.
                            copy_into(running[c], priors[c])
                            for other in reports.submission_reviews[begin:end]:
                                if state.effortful[other]:
                                    for r in range(reports.review_reports[other], reports.review_reports[other + 1]):
                                        if reports.report_cell[r] == first + c:
                                            shift = offset[reports.review_grader[other]]
                                            multiply(running[c], tables.mass, tables.report_row[r] + shift, ends[c])
                        totals[c] = total_of(running[c], ends[c, 0], ends[c, 1])
        for cell in range(first, last):
            weights = running[cell - first]
            begun = tables.level_start[reports.cell_component[cell]]
            n_levels = tables.level_start[reports.cell_component[cell] + 1] - begun
            edges = tables.level_edges[begun + reports.cell_component[cell] :]
            total = _level_sums(weights, edges, n_levels, work.sums)
            if total < TINY:
                _load_from_logs(cell, submission, given, state, work)
                total = _level_sums(weights, edges, n_levels, work.sums)
            state.true_grade[cell] = _draw_within_levels(rng.random() * total, weights, edges, n_levels, work.sums)
            if keep:
                for cut in range(n_levels - 1):
                    moved = tables.cut_shares[begun + cut] * weights[tables.cut_cells[begun + cut]]
                    work.sums[cut] += moved
                    work.sums[cut + 1] -= moved
                for level in range(n_levels):
                    sums.level_mass[cell, level] += work.sums[level] / total


@jit
def expected_effort(effortful: int, count: int, prior: F64) -> float:
    """The probability of one more effort after ``effortful`` of ``count`` reviews, effort probability summed out."""
    return float((prior[0] + effortful) / (prior[0] + prior[1] + count))


@jit(fastmath=REORDER)
def _level_sums(weights: F32, edges: I64, n_levels: int, out: F64) -> float:
    """Sums of the weights by rubric level; returns their total."""
    total = 0.0
    for level in range(n_levels):
        out[level] = total_of(weights, edges[level], edges[level + 1])
        total += out[level]
    return total


@jit
def _draw_within_levels(target: float, weights: F32, edges: I64, n_levels: int, levels: F64) -> int:
    """The grid cell at which the running sum of the weights passes ``target``: the level first, then the cell."""
    level = 0
    while level < n_levels - 1 and target >= levels[level]:
        target -= levels[level]
        level += 1
    i = edges[level]
    while i < edges[level + 1] - 1 and target >= weights[i]:
        target -= weights[i]
        i += 1
    return int(i)


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
def _load_from_logs(cell: Int, submission: Int, given: Given, state: State, work: Work) -> None:
    """A cell's product, scaled so that its largest entry is 1, from logarithms."""
    _log_product(cell, submission, np.int64(-1), given, state, work.offset, work.logs)
    row, size = cell - given.reports.submission_cells[submission], work.running.shape[1]
    top = work.logs[:size].max()
    for i in range(size):
        work.running[row, i] = np.exp(work.logs[i] - top)


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


@jit
def _efforts_given_grades(
    submission: int, rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw the efforts on a submission that very many graded, given its true grades."""
    reports, tables, beliefs = given.reports, given.tables, given.beliefs
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        review = reports.submission_reviews[position]
        grader = reports.review_grader[review]
        was_effortful = state.effortful[review]
        probability = state.effort[grader]
        if not given.clamps.effort[grader]:
            n_others = reports.grader_reviews[grader + 1] - reports.grader_reviews[grader] - 1
            probability = expected_effort(work.effortful[grader] - was_effortful, n_others, beliefs.effort)
        if 0.0 < probability < 1.0:
            log_odds = np.log(probability / (1.0 - probability))
            for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
                start = tables.report_row[report] + work.offset[grader]
                log_odds += tables.log_mass[start + state.true_grade[reports.report_cell[report]]]
                log_odds -= beliefs.log_low_effort[report]
            probability = 1.0 / (1.0 + np.exp(-log_odds))
        state.effortful[review] = rng.random() < probability
        work.effortful[grader] += np.int64(state.effortful[review]) - np.int64(was_effortful)
        if keep:
            sums.effortful[review] += probability


@jit
def _add_influence(given: Given, state: State, sums: Sums) -> None:
    """Add effort times reliability of every review."""
    reports = given.reports
    for grader in range(len(reports.grader_reviews) - 1):
        reliability = reliability_of(grader, given.clamps, given.tables.reliability_points, state.reliability)
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            if state.effortful[review]:
                sums.influence[review] += reliability


@jit
def _write(row: int, state: State, draws: Draws) -> None:
    """Copy the state into a row of the draws."""
    for cell in range(len(state.true_grade)):
        draws.true_grade[row, cell] = state.true_grade[cell]
    for grader in range(draws.effort.shape[1]):
        draws.reliability[row, grader] = state.reliability[grader]
        draws.bias[row, grader] = state.bias[grader]
        draws.effort[row, grader] = state.effort[grader]
    effortful = 0
    for review in range(len(state.effortful)):
        effortful += state.effortful[review]
    draws.effortful_count[row] = effortful
    for index in range(len(state.hyper)):
        draws.hyper[row, index] = state.hyper[index]
