"""The sweeps of the censored model: Gibbs updates on grids, compiled. Equations are those of docs/model.md.

Arrays in, arrays out. True grades, reliabilities and biases are indexes into their grids (see ``likelihood``). A
*cell* is one component of one submission; a *report* is one component's grade in a review.

One sweep updates

1. each grader's reliability and bias, effort probability and efforts, with all true grades summed out (``collapsed``);
2. all true grades;
3. each grader's reliability, bias and effort probability given the true grades, and learned priors with these.

Integers are made 64 bits wide where they are passed on, lest a kernel be compiled once for each width. Products of
likelihoods are taken in 32 bits. Where all of a product is so small that 32 bits cannot hold it (reliable
graders who contradict each other), the same quantity is computed from logarithms in 64 bits.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.censored.cell_products import find_report, load_from_logs, load_special_prior
from peerage.inference.censored.censored_arrays import Given, State, Work
from peerage.inference.censored.collapsed_graders import update_graders
from peerage.inference.censored.grader_updates import draw_biases, draw_efforts, draw_reliabilities
from peerage.inference.censored.learning_graders import learn_low_effort, refresh
from peerage.inference.censored.learning_grades import learn_true_grades, reliability_of
from peerage.inference.numerics.arrays import F32, F64, I64, DrawRows, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import REORDER, TINY, clear_outside, multiply_by_four, total_of_few
from peerage.inference.numerics.write_draws import write_draws


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
    draws: DrawRows,
    work: Work,
) -> None:
    """Run ``sweeps`` sweeps in place; if ``keep``, add to the sums and write the draws from row ``first`` on.

    They leave the joint density, equation (5), as it is: true grades are drawn between what sums them out and what
    conditions on them.
    """
    learned = given.learning.on
    if learned:
        refresh(given, state.hyper, work.scratch)
    for index in range(sweeps):
        update_graders(rng, keep, has_effort, has_bias, given, state, sums, work)
        _true_grades(rng, keep, given, state, sums, work)
        if learned:
            learn_true_grades(rng, not keep, given, state, work.scratch)
            if has_effort:
                learn_low_effort(rng, not keep, given, state, work.scratch)
        draw_reliabilities(rng, not keep, given, state, work)
        if has_bias:
            draw_biases(rng, not keep, given, state, work)
        if has_effort:
            draw_efforts(rng, not keep, given, state, work)
        if keep:
            _add_influence(given, state, sums)
            write_draws(first + index, state, draws)


@jit
def _true_grades(rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work) -> None:
    """Draw each submission's true grades, equation (8): the prior times the likelihoods of all effortful reports.

    Rows of likelihoods are multiplied four at a time over the cells that the prior leaves, so that one pass over memory
    serves four reports; the sums by level that the draw needs are the level masses that the results report.
    """
    reports, tables, beliefs, clamps = given.reports, given.tables, given.beliefs, given.clamps
    running, offset, ones = work.running[0], work.offset, len(tables.log_mass)
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        first, last = reports.submission_cells[submission], reports.submission_cells[submission + 1]
        correlated = reports.author_start[submission + 1] > reports.author_start[submission]
        for cell in range(first, last):
            component = np.int64(reports.cell_component[cell])
            weights = beliefs.true_grade[component]
            low, high = beliefs.support[component]
            if correlated or clamps.cell_bin[cell] >= 0:
                mean, weights = work.author_mean[cell], work.priors[cell - first]
                load_special_prior(
                    cell, component, correlated, mean, tables.true_grade_points, beliefs, clamps, weights
                )
                low, high = 0, len(running)
            clear_outside(running, low, high)
            count, start = 0, (ones, ones, ones, ones)
            for position in range(begin, end):
                review = reports.submission_reviews[position]
                if not state.effortful[review]:
                    continue
                report = reports.review_reports[review] + cell - first
                if report >= reports.review_reports[review + 1] or reports.report_cell[report] != cell:
                    report = find_report(review, cell, reports.review_reports, reports.report_cell)
                    if report < 0:
                        continue
                row = tables.report_row[report] + offset[reports.review_grader[review]]
                start = (row, start[0], start[1], start[2])
                count += 1
                if count % 4 == 0:
                    multiply_by_four(running, weights, tables.mass, start, low, high)
                    weights, start = running, (ones, ones, ones, ones)
            if count % 4 > 0 or count == 0:
                multiply_by_four(running, weights, tables.mass, start, low, high)
            weights = running
            begun = tables.level_start[reports.cell_component[cell]]
            n_levels = tables.level_start[reports.cell_component[cell] + 1] - begun
            edges = tables.level_edges[begun + reports.cell_component[cell] :]
            total = level_sums(weights, edges, n_levels, work.sums)
            if total < TINY:
                load_from_logs(cell, submission, given, state, work)
                total = level_sums(weights, edges, n_levels, work.sums)
            state.true_grade[cell] = draw_within_levels(rng.random() * total, weights, edges, n_levels, work.sums)
            if keep:
                for cut in range(n_levels - 1):
                    moved = tables.cut_shares[begun + cut] * weights[tables.cut_cells[begun + cut]]
                    work.sums[cut] += moved
                    work.sums[cut + 1] -= moved
                for level in range(n_levels):
                    sums.level_mass[cell, level] += work.sums[level] / total


@jit(fastmath=REORDER)
def level_sums(weights: F32, edges: I64, n_levels: int, out: F64) -> float:
    """Sums of the weights by rubric level; returns their total."""
    total = 0.0
    for level in range(n_levels):
        out[level] = total_of_few(weights, edges[level], edges[level + 1])
        total += out[level]
    return total


@jit
def draw_within_levels(target: float, weights: F32, edges: I64, n_levels: int, levels: F64) -> int:
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
def _add_influence(given: Given, state: State, sums: Sums) -> None:
    """Add effort times reliability of every review, equation (S7) without halos: what desired weights rest on."""
    reports = given.reports
    for grader in range(len(reports.grader_reviews) - 1):
        reliability = reliability_of(grader, given.clamps, given.tables.reliability_points, state.reliability)
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            if state.effortful[review]:
                sums.influence[review] += reliability
