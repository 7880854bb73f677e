"""Predicting reviews in one draw of the model in which components share merit and halo: kernels.

Merits, efforts and halos are drawn anew given everything else. A review is predicted from the others with its true
grades and its own halo summed out (docs/model.md, leave-one-out).
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.cell_products import Int, expected_effort, find_report
from peerage.inference.censored.grader_updates import count_effortful
from peerage.inference.censored.habits import effort_prior_of
from peerage.inference.checking.leave_one_out_kernels import (
    MAX_COLLAPSED,
    Bools,
    Parts,
    Prediction,
    Scale,
    any_of,
    expected_report,
    log_mixture,
    moments,
)
from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.hyperparameters import HALO
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import TINY, log_sum, multiply, total_of
from peerage.inference.shared.collapsed_reviews import load_nodes, weigh_nodes
from peerage.inference.shared.halos import load_halo_logs, weigh_halo
from peerage.inference.shared.merits_and_grades import draw_from_few_logs
from peerage.inference.shared.shared_arrays import Given, State, Work
from peerage.inference.shared.shared_priors import halo_row, odds_index, refresh
from peerage.inference.shared.shared_products import load_others_from_logs

_SPACING = 1.3
"""How far apart nodes of a halo are, in standard deviations that a review leaves to it if all else is known.

The error of a sum at evenly spaced nodes in place of a normal integral is then some 1e-5.
"""


@jit
def leave_out_shared(
    rng: np.random.Generator,
    given: Given,
    state: State,
    work: Work,
    reliability: F64,
    bias: F64,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict reviews; ``reliability`` are the residual precisions."""
    reports = given.reports
    refresh(given, state.hyper, state.habit, work.scratch)
    _draw_merits(rng, given, state, work)
    _draw_efforts(rng, given, state, work, parts.seen)
    for submission in range(len(reports.submission_cells) - 1):
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        if any_of(parts.wanted, reports.submission_reviews, begin, end):
            for position in range(begin, end):
                review = np.int64(reports.submission_reviews[position])
                if parts.wanted[review]:
                    _predict(review, submission, given, state, work, reliability, bias, scale, parts, out)


@jit
def _draw_merits(rng: np.random.Generator, given: Given, state: State, work: Work) -> None:
    """Draw each submission's merit given its true grades."""
    reports, weights = given.reports, work.level_weights
    if not given.sharing.has_merit:
        return
    for submission in range(len(reports.submission_cells) - 1):
        for k in range(len(weights)):
            weights[k] = given.sharing.log_merit[k]
            for cell in range(reports.submission_cells[submission], reports.submission_cells[submission + 1]):
                mass = given.beliefs.true_grade[reports.cell_component[cell], k, state.true_grade[cell]]
                weights[k] += math.log(max(mass, 1e-37))
        state.merit[submission] = draw_from_few_logs(rng, weights)


@jit
def _draw_efforts(rng: np.random.Generator, given: Given, state: State, work: Work, seen: Bools) -> None:
    """Draw the efforts and halos of all seen reviews given the true grades; note where their likelihoods are."""
    reports, tables, sharing = given.reports, given.tables, given.sharing
    odds, reach = odds_index(state.hyper, sharing), sharing.halo.shape[1] // 2
    for review in range(len(reports.review_grader)):
        grader = np.int64(reports.review_grader[review])
        row = halo_row(np.int64(state.reliability[grader]), odds, sharing)
        base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
        careful, careless, size, total = 0.0, 0.0, sharing.halo.shape[1], 0.0
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            careless += given.beliefs.log_low_effort[report]
            start = tables.report_row[report] + base + reach
            careful += tables.log_mass[start + state.true_grade[reports.report_cell[report]]]
        if sharing.has_halo[grader]:
            total = weigh_halo(review, sharing.halo[row], base, given, state, work)
            if total >= TINY:
                careful = math.log(total)
            else:
                load_halo_logs(review, sharing.log_halo[row], base, given, state, work.logs)
                careful = log_sum(work.logs, size)
                total = 0.0
                for i in range(size):
                    work.part[i] = math.exp(max(work.logs[i] - careful, -80.0))
                    total += work.part[i]
        probability = state.effort[grader]
        if 0.0 < probability < 1.0:
            gap = careless - careful + math.log((1.0 - probability) / probability)
            probability = 1.0 / (1.0 + math.exp(min(gap, 700.0)))
        state.effortful[review] = seen[review] and rng.random() < probability
        state.halo[review] = reach
        if sharing.has_halo[grader] and state.effortful[review]:
            target, chosen = rng.random() * total, 0
            while chosen < size - 1 and target >= work.part[chosen]:
                target -= work.part[chosen]
                chosen += 1
            state.halo[review] = chosen
        work.offset[review] = base + state.halo[review]
    for owner in range(len(state.bias)):
        work.effortful[owner] = count_effortful(owner, reports.grader_reviews, state.effortful)


@jit
def _load_others(report: Int, review: Int, submission: Int, given: Given, state: State, work: Work) -> float:
    """Prior times the likelihoods of the other effortful reports on a report's cell; ``work.ends`` has their range."""
    reports, tables, running, ends = given.reports, given.tables, work.running[0], work.ends[0]
    cell = np.int64(reports.report_cell[report])
    component, merit = reports.cell_component[cell], state.merit[submission]
    low, high = given.beliefs.support[component, merit]
    for i in range(low, high):
        running[i] = given.beliefs.true_grade[component, merit, i]
    if given.clamps.cell_bin[cell] >= 0:
        for i in range(low, high):
            running[i] *= given.clamps.bins[given.clamps.cell_bin[cell], i]
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        other = reports.submission_reviews[position]
        if other != review and state.effortful[other]:
            theirs = find_report(other, cell, reports.review_reports, reports.report_cell)
            if theirs >= 0:
                multiply(running, tables.mass, tables.report_row[theirs] + work.offset[other], low, high)
    total = total_of(running, low, high)
    if total < TINY:
        low, high = 0, len(running)
        total = load_others_from_logs(cell, submission, review, given, state, work)
    ends[0], ends[1] = low, high
    return total


@jit
def _predict(
    review: Int,
    submission: Int,
    given: Given,
    state: State,
    work: Work,
    reliability: F64,
    bias: F64,
    scale: Scale,
    parts: Parts,
    out: Prediction,
) -> None:
    """Predict a review from the others."""
    reports, tables, sharing = given.reports, given.tables, given.sharing
    grader, running, ends = np.int64(reports.review_grader[review]), work.running[0], work.ends[0]
    begin, end = reports.review_reports[review], reports.review_reports[review + 1]
    n_graders = reports.submission_start[submission + 1] - reports.submission_start[submission]
    effort = state.effort[grader]
    if not given.clamps.effort[grader]:
        n_others = parts.n_seen[grader] - parts.seen[review]
        others = work.effortful[grader] - state.effortful[review]
        effort = expected_effort(others, n_others, effort_prior_of(grader, state.habit, given.beliefs.effort))
    shared = math.exp(state.hyper[HALO]) if sharing.has_halo[grader] else 0.0
    first, spacing, log_total, nodes = sharing.halo.shape[1] // 2, 1, 0.0, work.nodes[0, 0]
    nodes[0] = 1.0
    places = np.array([0, 1])
    if sharing.has_halo[grader]:
        sd = _SPACING / math.sqrt(reliability[grader] * (end - begin + 1.0 / shared))
        spacing = max(int(sd / given.learning.step), 1)
        first %= spacing
        row = halo_row(np.int64(state.reliability[grader]), odds_index(state.hyper, sharing), sharing)
        log_total = math.log(load_nodes(first, spacing, row, sharing, nodes))
        places[1] = (sharing.halo.shape[1] - 1 - first) // spacing + 1
    base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]] + first
    careful = careless = 0.0
    for report in range(begin, end):
        cell = np.int64(reports.report_cell[report])
        careless += given.beliefs.log_low_effort[report]
        centre, variance, total = tables.true_grade_points[state.true_grade[cell]], 0.0, 1.0
        if n_graders > MAX_COLLAPSED:
            # So many graded this that its true grade hardly depends on the review.
            ends[0], ends[1] = state.true_grade[cell], state.true_grade[cell] + 1
            running[ends[0]] = 1.0
        else:
            total = _load_others(report, review, submission, given, state, work)
            centre, variance = moments(running, tables.mass, np.int64(-1), ends, tables.true_grade_points)
        start = tables.report_row[report] + base
        careful += weigh_nodes(running, total, tables.mass, start, spacing, places, ends[0], ends[1], nodes)
        variance += (1.0 + shared) / reliability[grader]
        component = np.int64(reports.cell_component[cell])
        habit = np.int64(state.habit[grader])
        out.mean[report] = expected_report(component, effort, centre + bias[grader], variance, habit, scale)
    careful += math.log(max(nodes[: places[1]].sum(), 1e-300)) - log_total
    out.log_mass[review] = log_mixture(effort, careful, careless)
    out.log_density[review] = out.log_mass[review]
