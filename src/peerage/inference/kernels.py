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

from peerage.inference.arrays import F32, F64, I64, Draws, Flags, Given, State, Sums, Work
from peerage.inference.hyper import count_efforts, effort_prior, learn_effort
from peerage.inference.jit import jit
from peerage.inference.learning import (
    AUTHORS,
    learn_bias,
    learn_low_effort,
    learn_reliability,
    learn_true_grades,
    refresh,
    reliability_of,
)

Int = int | np.int64

MAX_COLLAPSED = 24
"""Up to this many graders of a submission, efforts are updated with its true grades summed out."""

IMPOSSIBLE = -1e30
TINY = 1e-15
"""Sums of products below this are computed from logarithms.

Masses are at least 1e-20 (``censored``). Where a product underflows (1e-38), the product without one report's mass is
below 1e-18, and what is lost of its sum is small beside this.
"""
_REORDER = {"reassoc", "contract", "nsz"}
_PENDING = 16


@jit
def copy_into(target: F32, source: F32) -> None:
    """Copy a vector.

    Here and below indexes are unsigned: numba looks out for negative ones, and loops that do so are not vectorised.
    """
    for i in range(np.uint64(len(target))):
        target[i] = source[i]


@jit
def multiply(target: F32, table: F32, start: int, ends: I64) -> None:
    """Multiply a part of a vector by the table's entries, of which the vector's first belongs to that at ``start``."""
    first = np.uint64(start)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        target[i] *= table[first + i]


@jit
def _add(target: F32, table: F32, start: int, size: int) -> None:
    """Add the table's entries from ``start`` on to a vector."""
    first = np.uint64(start)
    for i in range(np.uint64(size)):
        target[i] += table[first + i]


@jit(fastmath=_REORDER)
def sum_of_products(weights: F32, table: F32, start: int, ends: I64) -> float:
    """Sum of a part of a vector times the table's entries."""
    first = np.uint64(start)
    total = np.float32(0.0)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        total += weights[i] * table[first + i]
    return float(total)


@jit(fastmath=_REORDER)
def sum_of_quotients(weights: F32, table: F32, start: int, ends: I64) -> float:
    """Sum of a part of a vector divided by the table's entries."""
    first = np.uint64(start)
    total = np.float32(0.0)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        total += weights[i] / table[first + i]
    return float(total)


@jit(fastmath=_REORDER)
def total_of(weights: F32, begin: int, end: int) -> float:
    """Sum of a part of a vector."""
    total = np.float32(0.0)
    for i in range(np.uint64(begin), np.uint64(end)):
        total += weights[i]
    return float(total)


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
        _reliabilities(rng, not keep, given, state, work)
        if has_bias:
            _biases(rng, not keep, given, state, work)
        if has_effort:
            _efforts(rng, not keep, given, state, work)
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
def count_effortful(grader: int, grader_reviews: I64, effortful: Flags) -> int:
    """How many of a grader's reviews are effortful."""
    count = 0
    for review in range(grader_reviews[grader], grader_reviews[grader + 1]):
        count += effortful[review]
    return count


@jit
def expected_effort(effortful: int, count: int, prior: F64) -> float:
    """The probability of one more effort after ``effortful`` of ``count`` reviews, effort probability summed out."""
    return float((prior[0] + effortful) / (prior[0] + prior[1] + count))


@jit(fastmath=_REORDER)
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
    without = _log_sum(logs, size)
    for i in range(size):
        logs[i] += tables.log_mass[start + i]
    return _log_sum(logs, size) - without


@jit
def _log_sum(logs: F64, size: int) -> float:
    """Log of the sum of exp(logs)."""
    top = logs[:size].max()
    total = 0.0
    for i in range(size):
        total += np.exp(logs[i] - top)
    return float(np.log(total) + top)


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


@jit(fastmath=_REORDER)
def _draw_from_logs(rng: np.random.Generator, logs: F64, size: int) -> int:
    """An index drawn with probability proportional to exp(logs); destroys ``logs``."""
    top = logs[0]
    for i in range(1, size):
        top = max(top, logs[i])
    total = 0.0
    for i in range(size):
        gap = logs[i] - top
        logs[i] = np.exp(gap) if gap > -40.0 else 0.0
        total += logs[i]
    target = rng.random() * total
    chosen = 0
    for i in range(size):
        if logs[i] > 0.0:
            chosen = i
            target -= logs[i]
            if target < 0.0:
                break
    return chosen


@jit
def _exponentiate(logs: F64, out: F32, size: int) -> None:
    """Fill ``out`` with exp(logs), divided by the largest."""
    top = logs[0]
    for i in range(1, size):
        top = max(top, logs[i])
    for i in range(size):
        gap = np.float32(logs[i] - top)
        out[i] = np.exp(gap) if gap > np.float32(-40.0) else np.float32(0.0)


@jit(fastmath=_REORDER)
def _weigh(prior: F32, likelihood: F32, out: F32) -> float:
    """Fill ``out`` with products; returns their sum."""
    total = np.float32(0.0)
    for i in range(np.uint64(len(prior))):
        out[i] = prior[i] * likelihood[i]
        total += out[i]
    return float(total)


@jit
def _draw_from_product(rng: np.random.Generator, prior: F32, likelihood: F32, weights: F32) -> int:
    """An index drawn with probability proportional to prior × likelihood; -1 if all products are too small."""
    total = _weigh(prior, likelihood, weights)
    if total < TINY:
        return -1
    target = rng.random() * total
    chosen = 0
    for i in range(len(prior)):
        if weights[i] > 0.0:
            chosen = i
            target -= weights[i]
            if target < 0.0:
                break
    return chosen


@jit
def _flush(part: F32, logs: F64, size: int) -> None:
    for i in range(size):
        logs[i] += part[i]
        part[i] = 0.0


@jit
def _reliabilities(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all reliabilities, after the hyperparameters of their prior if these are learned.

    Reliabilities that are tied to their owners' grades depend on each other if a submission has several authors, so
    each of them is drawn at once.
    """
    clamped, group, size = given.clamps.reliability, given.beliefs.group, len(given.tables.reliability_points)
    for grader in range(len(clamped)):
        if not clamped[grader] and group[grader] != AUTHORS:
            _load_reliability_logs(grader, given, state, work)
            _exponentiate(work.logs, work.scratch.likelihood[grader], size)
    if given.learning.on:
        learn_reliability(rng, adapt, given, state, work.scratch)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _draw_reliability(grader, rng, given, state, work)


@jit
def _draw_reliability(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's reliability given the likelihoods that have been loaded."""
    group, chosen = given.beliefs.group[grader], -1
    if group != AUTHORS:
        prior = given.beliefs.reliability[group]
        chosen = _draw_from_product(rng, prior, work.scratch.likelihood[grader], work.part)
    if chosen < 0:
        chosen = _draw_reliability_from_logs(grader, rng, given, state, work)
    state.reliability[grader] = chosen


@jit
def _load_reliability_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports for each reliability."""
    reports, tables = given.reports, given.tables
    size = len(tables.reliability_points)
    logs, part, by_reliability = work.logs, work.part, tables.log_mass_by_reliability
    for i in range(size):
        logs[i] = 0.0
        part[i] = 0.0
    offset = tables.from_bias[state.bias[grader]]
    pending = 0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            continue
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            start = tables.report_column[report] + (offset + state.true_grade[reports.report_cell[report]]) * size
            _add(part, by_reliability, start, size)
            pending += 1
            if pending == _PENDING:
                _flush(part, logs, size)
                pending = 0
    _flush(part, logs, size)


@jit
def _draw_reliability_from_logs(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> int:
    """Draw a reliability that is tied to its owner's grades, or far from what its prior expects."""
    reports, tables, beliefs, logs = given.reports, given.tables, given.beliefs, work.logs
    size = len(tables.reliability_points)
    _load_reliability_logs(grader, given, state, work)
    for i in range(size):
        logs[i] += beliefs.log_reliability[beliefs.group[grader], i]
    if reports.authored_start[grader + 1] > reports.authored_start[grader]:
        linear, quadratic = _authored_terms(grader, given, state)
        for i in range(size):
            point = tables.reliability_points[i]
            logs[i] += point * (linear - 0.5 * quadratic * point)
    return _draw_from_logs(rng, logs, size)


@jit
def _authored_terms(grader: int, given: Given, state: State) -> tuple[float, float]:
    """What an author's own true grades say of the author's reliability p: ``linear·p − quadratic·p²/2``."""
    reports, tables, beliefs = given.reports, given.tables, given.beliefs
    linear = 0.0
    quadratic = 0.0
    for position in range(reports.authored_start[grader], reports.authored_start[grader + 1]):
        submission = reports.authored[position]
        begin, end = reports.author_start[submission], reports.author_start[submission + 1]
        others = 0.0
        for place in range(begin, end):
            if reports.authors[place] != grader:
                author = np.int64(reports.authors[place])
                others += reliability_of(author, given.clamps, tables.reliability_points, state.reliability)
        others /= end - begin
        for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
            component = reports.cell_component[cell]
            slope = beliefs.author_slope[component] / (end - begin)
            gap = tables.true_grade_points[state.true_grade[cell]] - beliefs.author_mean[component]
            gap -= beliefs.author_slope[component] * (others - beliefs.author_origin[0])
            linear += beliefs.author_precision[component] * slope * gap
            quadratic += beliefs.author_precision[component] * slope * slope
    return linear, quadratic


@jit
def _biases(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all biases, after the hyperparameters of their prior if these are learned."""
    clamped, size = given.clamps.bias, given.beliefs.bias.shape[1]
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _load_bias_logs(grader, given, state, work)
            _exponentiate(work.logs, work.scratch.likelihood[grader], size)
    if given.learning.on:
        learn_bias(rng, adapt, given, state, work.scratch)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _draw_bias(grader, rng, given, state, work)


@jit
def _draw_bias(grader: int, rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw a grader's bias given the likelihoods that have been loaded."""
    group, size = given.beliefs.group[grader], given.beliefs.bias.shape[1]
    chosen = _draw_from_product(rng, given.beliefs.bias[group], work.scratch.likelihood[grader], work.part)
    if chosen < 0:
        _load_bias_logs(grader, given, state, work)
        for i in range(size):
            work.logs[i] += given.beliefs.log_bias[group, i]
        chosen = _draw_from_logs(rng, work.logs, size)
    state.bias[grader] = chosen


@jit
def _load_bias_logs(grader: int, given: Given, state: State, work: Work) -> None:
    """Log likelihood of a grader's effortful reports for each bias."""
    reports, tables = given.reports, given.tables
    size = given.beliefs.bias.shape[1]
    logs, part, by_bias = work.logs, work.part, tables.log_mass_by_bias
    for i in range(size):
        logs[i] = 0.0
        part[i] = 0.0
    offset = state.reliability[grader] * tables.row_length[grader]
    pending = 0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            continue
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            start = tables.report_row[report] + offset
            start += tables.from_true_grade[state.true_grade[reports.report_cell[report]]]
            _add(part, by_bias, start, size)
            pending += 1
            if pending == _PENDING:
                _flush(part, logs, size)
                pending = 0
    _flush(part, logs, size)


@jit
def _efforts(rng: np.random.Generator, adapt: bool, given: Given, state: State, work: Work) -> None:
    """Draw all effort probabilities, after the hyperparameters of their prior if these are learned."""
    reviews, prior, clamped = given.reports.grader_reviews, given.beliefs.effort, given.clamps.effort
    if given.learning.on:
        count_efforts(reviews, work.effortful, clamped, work.scratch.exceeding)
        learn_effort(rng, adapt, state.hyper, state.hyper_width, work.scratch.exceeding)
        prior[0], prior[1] = effort_prior(state.hyper)
    for grader in range(len(clamped)):
        if not clamped[grader]:
            _draw_effort(grader, rng, given, state)


@jit
def _draw_effort(grader: int, rng: np.random.Generator, given: Given, state: State) -> None:
    """Draw a grader's effort probability given the efforts."""
    reviews, prior = given.reports.grader_reviews, given.beliefs.effort
    effortful = count_effortful(grader, reviews, state.effortful)
    count = reviews[grader + 1] - reviews[grader]
    state.effort[grader] = rng.beta(prior[0] + effortful, prior[1] + count - effortful)


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
