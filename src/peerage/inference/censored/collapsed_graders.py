"""Updates of graders with the true grades summed out, in the censored model: equations (6) and (7) of docs/model.md.

Given the true grades, a grader's reliability, bias and efforts can move little: grades that were drawn to suit the old
values hold them in place. Here each grader in turn is updated given the other graders alone:

1. reliability and bias together, with the grader's efforts summed out too: they are reflected at their centre, plus
   noise, and the reflection is accepted or refused by the probability of the grader's reports;
2. the effort probability, with the efforts summed out, and then the effort of each review.

The true grades are drawn anew before anything conditions on them. Successive values on opposite sides of a centre
average out, so that means settle in few sweeps; the updates given the true grades see to the spread.

Centres are averages over sweeps of the burn-in. A reflection is as probable as the way back: the indexes before and
after add up to a number that does not depend on where the grader stands.
"""

from __future__ import annotations

import numpy as np

from peerage.inference.censored.cell_products import Int, find_report, load_author_means, load_special_prior, log_ratio
from peerage.inference.censored.censored_arrays import Given, State, Tables, Work
from peerage.inference.numerics.arrays import F64, I32, I64, Flags, Reports, Sums
from peerage.inference.numerics.effort_density import chance_of_effort, draw_effort, fill_prior, log_mixed
from peerage.inference.numerics.hyperparameters import AUTHORS
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import TINY, copy_into, multiply, sums_of_products

MAX_SUMMED = 12
"""Of submissions that more graders reviewed, the true grades are not summed out, but taken as they stand."""

RELIABILITY, BIAS, COUNT = 0, 2, 4
"""Columns of a grader's centre: the mean and the variance of each index, and how many sweeps they are averages of."""

_SMALL = 1e-250
"""Products of probabilities are turned into logarithms when they are smaller than this."""

_ENOUGH = 30.0
"""Sweeps over which a centre must have been averaged before it is used."""

_MEMORY = 100.0
"""Sweeps over which a centre is averaged at most: the start is to be forgotten."""

_NOISE = 0.5
"""How far, in standard deviations, a reflection falls from the point opposite."""


@jit
def update_graders(
    rng: np.random.Generator,
    keep: bool,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
) -> None:
    """Update all graders, one after the other; unless ``keep``, take their values into the centres first.

    A reflection is accepted by equation (7); the effort and the efforts follow by equations (7) and (6). Each is
    weighed given the others as they stand, so the order does not matter as long as true grades are drawn after all of
    them.
    """
    tables, offset = given.tables, work.offset
    if given.learning.correlated:
        load_author_means(given, state, work.author_mean)
    for grader in range(len(offset)):
        offset[grader] = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
    for grader in range(len(offset)):
        if not keep:
            _average(state.centre[grader], state.reliability[grader], state.bias[grader])
        reliability, bias = _reflected(grader, rng, has_bias, given, state)
        moves = reliability != state.reliability[grader] or bias != state.bias[grader]
        if not (moves or has_effort):
            continue
        weigh_reviews(grader, reliability, bias, given, state, work)
        after = 0
        if moves and np.log(rng.random()) < _log_odds(grader, reliability, bias, has_effort, given, state, work):
            state.reliability[grader], state.bias[grader] = reliability, bias
            offset[grader] = reliability * tables.row_length[grader] + tables.from_bias[bias]
            after = 1
        if has_effort:
            _draw_efforts(grader, after, rng, keep, given, state, sums, work)


@jit
def _average(centre: F64, reliability: Int, bias: Int) -> None:
    """Take a grader's present values into the centre."""
    centre[COUNT] = min(centre[COUNT] + 1.0, _MEMORY)
    weight = 1.0 / centre[COUNT]
    for column, value in ((RELIABILITY, reliability), (BIAS, bias)):
        gap = value - centre[column]
        centre[column] += weight * gap
        centre[column + 1] += weight * ((1.0 - weight) * gap * gap - centre[column + 1])


@jit
def _reflected(grader: int, rng: np.random.Generator, has_bias: bool, given: Given, state: State) -> tuple[Int, Int]:
    """Where a grader's reliability and bias are to move; where they are, if that is off the grid or nothing moves.

    It is a proposal for equation (7).
    """
    centre, clamps = state.centre[grader], given.clamps
    old_reliability, old_bias = np.int64(state.reliability[grader]), np.int64(state.bias[grader])
    reliability, bias = old_reliability, old_bias
    if centre[COUNT] < _ENOUGH:
        return reliability, bias
    if not clamps.reliability[grader] and given.beliefs.group[grader] != AUTHORS:
        reliability = _opposite(rng, centre[RELIABILITY], centre[RELIABILITY + 1]) - old_reliability
        if not 0 <= reliability < len(given.tables.reliability_points):
            return old_reliability, old_bias
    if has_bias and not clamps.bias[grader]:
        bias = _opposite(rng, centre[BIAS], centre[BIAS + 1]) - old_bias
        if not 0 <= bias < given.beliefs.bias.shape[1]:
            return old_reliability, old_bias
    return reliability, bias


@jit
def _opposite(rng: np.random.Generator, mean: float, variance: float) -> int:
    """The sum of an index and that of the cell to which it is reflected."""
    return int(np.floor(2.0 * mean + _NOISE * np.sqrt(variance) * rng.standard_normal() + 0.5))


@jit
def weigh_reviews(grader: int, reliability: Int, bias: Int, given: Given, state: State, work: Work) -> None:
    """Log probabilities of each of a grader's reviews, in the rows of ``work.review_logs``.

    They make the brackets of equation (7): with effort as the grader stands, with effort if the grader had another
    reliability and bias, and without effort.
    """
    reports, tables, offset = given.reports, given.tables, work.offset
    before, after = offset[grader], reliability * tables.row_length[grader] + tables.from_bias[bias]
    first = reports.grader_reviews[grader]
    for review in range(first, reports.grader_reviews[grader + 1]):
        logs, submission = work.review_logs[review - first], reports.review_submission[review]
        if reports.submission_start[submission + 1] - reports.submission_start[submission] <= MAX_SUMMED:
            n_others = _gather_others(review, submission, reports, state.effortful, offset, work.others)
            logs[0], logs[1] = _weigh_summed_out(review, submission, before, after, n_others, given, state, work)
        else:
            logs[0], logs[1] = _weigh_as_drawn(review, before, after, reports, tables, state.true_grade)
        careless = 0.0
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            careless += given.beliefs.log_low_effort[report]
        logs[2] = careless


@jit
def _gather_others(review: Int, submission: Int, reports: Reports, effortful: Flags, offset: I64, others: I64) -> int:
    """Put the other effortful reviews of a work into ``others``; returns how many there are.

    A row has the review, the first of its reports and the one after the last, and where its grader's likelihoods are.
    """
    n_others = 0
    for position in range(reports.submission_start[submission], reports.submission_start[submission + 1]):
        other = reports.submission_reviews[position]
        if other != review and effortful[other]:
            others[n_others, 0] = other
            others[n_others, 1] = reports.review_reports[other]
            others[n_others, 2] = reports.review_reports[other + 1]
            others[n_others, 3] = offset[reports.review_grader[other]]
            n_others += 1
    return n_others


@jit
def _weigh_as_drawn(
    review: Int, before: Int, after: Int, reports: Reports, tables: Tables, true_grade: I32
) -> tuple[float, float]:
    """Log probabilities of a review, with effort, given the true grades as they stand: L of equation (3)."""
    log_before = log_after = 0.0
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        place = tables.report_row[report] + true_grade[reports.report_cell[report]]
        log_before += tables.log_mass[place + before]
        log_after += tables.log_mass[place + after]
    return log_before, log_after


@jit
def _weigh_summed_out(
    review: Int, submission: Int, before: Int, after: Int, n_others: int, given: Given, state: State, work: Work
) -> tuple[float, float]:
    """Log probabilities of a review, with effort, given the others that were gathered: sums of A of equation (6).

    Most works have few reviewers: the rows of up to three others, the prior and both of the grader's rows are taken in
    one pass, so that A is known for both without writing a product to memory.
    """
    reports, tables, beliefs = given.reports, given.tables, given.beliefs
    running, others, ones = work.running[0], work.others, len(tables.log_mass)
    correlated = reports.author_start[submission + 1] > reports.author_start[submission]
    log_before = log_after = 0.0
    product_before = product_after = 1.0
    begins = reports.review_reports[review]
    for report in range(begins, reports.review_reports[review + 1]):
        cell, row = reports.report_cell[report], tables.report_row[report]
        component = np.int64(reports.cell_component[cell])
        weights, (low, high) = beliefs.true_grade[component], beliefs.support[component]
        if correlated or given.clamps.cell_bin[cell] >= 0:
            mean, weights = work.author_mean[cell], work.priors[cell - reports.submission_cells[submission]]
            points, low, high = tables.true_grade_points, 0, len(running)
            load_special_prior(np.int64(cell), component, correlated, mean, points, beliefs, given.clamps, weights)
        count, first, second, third = 0, ones, ones, ones
        for k in range(n_others):
            theirs = _same_cell(others[k], report - begins, cell, reports.review_reports, reports.report_cell)
            if theirs < 0:
                continue
            start = tables.report_row[theirs] + others[k, 3]
            count += 1
            if count == 1:
                first = start
            elif count == 2:
                second = start
            elif count == 3:
                third = start
            else:
                if count == 4:
                    copy_into(running, weights)
                    weights = running
                multiply(weights, tables.mass, start, low, high)
        total, with_before, with_after = sums_of_products(
            weights, tables.mass, first, second, third, row + before, row + after, low, high
        )
        if min(total, with_before, with_after) > TINY:
            product_before *= with_before / total
            product_after *= with_after / total
            if min(product_before, product_after) < _SMALL:
                log_before, product_before = log_before + np.log(product_before), 1.0
                log_after, product_after = log_after + np.log(product_after), 1.0
        else:
            grader = reports.review_grader[review]
            log_before += log_ratio(report, review, submission, given, state, work)
            work.offset[grader] = after
            log_after += log_ratio(report, review, submission, given, state, work)
            work.offset[grader] = before
    return log_before + np.log(product_before), log_after + np.log(product_after)


@jit
def _same_cell(other: I64, place: Int, cell: Int, review_reports: I64, report_cell: I32) -> int:
    """Another review's report on a cell, which most often stands at the same place among its reports; -1 if none."""
    theirs = other[1] + place
    if theirs < other[2] and report_cell[theirs] == cell:
        return int(theirs)
    return find_report(other[0], cell, review_reports, report_cell)


@jit
def _log_odds(
    grader: int, reliability: Int, bias: Int, has_effort: bool, given: Given, state: State, work: Work
) -> float:
    """How much more probable, in logs, a grader's reviews are with other values: a ratio of equation (7)."""
    beliefs, group = given.beliefs, given.beliefs.group[grader]
    total = 0.0
    if reliability != state.reliability[grader]:
        logs = beliefs.log_reliability[group]
        total += logs[reliability] - logs[state.reliability[grader]]
    if bias != state.bias[grader]:
        total += beliefs.log_bias[group, bias] - beliefs.log_bias[group, state.bias[grader]]
    effort = state.effort[grader] if has_effort else 1.0
    for place in range(given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]):
        before, after, careless = work.review_logs[place, 0], work.review_logs[place, 1], work.review_logs[place, 2]
        total += log_mixed(effort, after, careless) - log_mixed(effort, before, careless)
    return total


@jit
def _draw_efforts(
    grader: int, after: int, rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw a grader's effort probability, with the efforts summed out, and then the effort of each review.

    These are equation (7) as a function of e, and the odds of equation (6).
    """
    logs, begun = work.review_logs, given.reports.grader_reviews[grader]
    count = given.reports.grader_reviews[grader + 1] - begun
    if not given.clamps.effort[grader]:
        for place in range(count):
            logs[place, 3] = chance_of_effort(0.5, logs[place, after], logs[place, 2])
        prior = float(given.beliefs.effort[0]), float(given.beliefs.effort[1])
        before, masses = work.effort_masses[0], work.effort_masses[1]
        fill_prior(prior, before)
        state.effort[grader] = draw_effort(rng, state.effort[grader], logs[:count, 3], prior, before, masses)
    work.effortful[grader] = 0
    for place in range(count):
        probability = chance_of_effort(state.effort[grader], logs[place, after], logs[place, 2])
        state.effortful[begun + place] = rng.random() < probability
        work.effortful[grader] += state.effortful[begun + place]
        if keep:
            sums.effortful[begun + place] += probability
