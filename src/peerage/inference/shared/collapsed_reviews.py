"""Updates of graders with the true grades and each review's own halo summed out (docs/model.md, equations S7 to S9).

Given the true grades and halos, a grader's reliability, bias and efforts can move little: what was drawn to suit the
old values holds them in place. Here each grader in turn is updated given the other graders and all merits:

1. reliability and bias together, with the grader's efforts and halos summed out too: they are reflected at their
   centre, plus noise (as in ``collapsed_graders``), in every other sweep on average;
2. the effort probability, with the efforts and halos summed out, and then the effort and the halo of each review.

To sum over every value of a halo would take too long. The sum is over *nodes*: the values that are a whole number of
spacings away from the present one. An update within such a set, which holds the present value, is exact; the update
given the true grades (``halos``) moves a halo to all other values. A review without effort has no halo: one is drawn
from the prior just before.
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.censored.cell_products import Int, find_report
from peerage.inference.censored.collapsed_graders import (
    MAX_SUMMED,
    average,
    chance_of_effort,
    draw_effort,
    log_mixed,
    reflected,
)
from peerage.inference.censored.habits import HOW_OFTEN, SHARE, draw_habit, effort_prior_of, jump, propose_jump
from peerage.inference.numerics.arrays import F32, F64, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.likelihood import BLOCK
from peerage.inference.numerics.vectors import REORDER, TINY, multiply, total_of
from peerage.inference.shared.shared_arrays import Given, Sharing, State, Work
from peerage.inference.shared.shared_priors import halo_row, node_spacing, odds_index
from peerage.inference.shared.shared_products import load_others_from_logs

_SMALL, _LARGE = 1e-100, 1e100
"""Products of probabilities that are smaller are multiplied by the latter, and a note is taken."""

_NEGLIGIBLE = 1e-5
"""Values of halo with a smaller prior mass are left out."""

_FAINT = np.float32(1e-8)
"""True grades with a smaller part of the weight are left out."""


@jit
def load_offsets(given: Given, state: State, offset: np.ndarray) -> None:
    """Where each review's part of a table starts."""
    tables, owner = given.tables, given.reports.review_grader
    for review in range(len(offset)):
        grader = owner[review]
        base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
        offset[review] = base + state.halo[review]


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
    """Update all graders, one after the other; unless ``keep``, take their values into the centres first."""
    tables, reports, sharing = given.tables, given.reports, given.sharing
    load_offsets(given, state, work.offset)
    odds = odds_index(state.hyper, sharing)
    n_components = len(reports.report_cell) / len(reports.review_grader)
    spacing = node_spacing(state.hyper, n_components, given.learning.step, sharing)
    for grader in range(len(state.bias)):
        if not keep:
            average(state.centre[grader], state.reliability[grader], state.bias[grader])
        reliability: Int = np.int64(state.reliability[grader])
        bias: Int = np.int64(state.bias[grader])
        jumps, ratio = given.learning.may_jump[grader] and rng.random() < 0.5, 0.0
        if jumps:
            reliability, bias, ratio = propose_jump(grader, rng, given, state)
        elif rng.random() < 0.5:
            reliability, bias = reflected(grader, rng, has_bias, given, state)
        moves = reliability != state.reliability[grader] or bias != state.bias[grader]
        if not (moves or has_effort or sharing.has_halo[grader]):
            continue
        if sharing.has_halo[grader]:
            _impute_halos(grader, rng, odds, given, state)
        weigh_reviews(grader, reliability, bias, moves, spacing, odds, given, state, work)
        after = 0
        if jumps and moves:
            moved = jump(grader, 3, ratio, rng, given, state, work)
        else:
            moved = moves and np.log(rng.random()) < log_odds(grader, reliability, bias, has_effort, given, state, work)
        if moved:
            state.reliability[grader], state.bias[grader] = reliability, bias
            after = 1
        if has_effort:
            _draw_efforts(grader, after, rng, keep, given, state, sums, work)
        _draw_halos(grader, after, spacing, rng, given, state, work)
        base = state.reliability[grader] * tables.row_length[grader] + tables.from_bias[state.bias[grader]]
        for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
            work.offset[review] = base + state.halo[review]


@jit
def _impute_halos(grader: int, rng: np.random.Generator, odds: int, given: Given, state: State) -> None:
    """Draw the halos of a grader's reviews without effort from their prior (equation S4)."""
    masses = given.sharing.halo[halo_row(state.reliability[grader], odds, given.sharing)]
    for review in range(given.reports.grader_reviews[grader], given.reports.grader_reviews[grader + 1]):
        if not state.effortful[review]:
            state.halo[review] = draw_mass(rng, masses)


@jit
def draw_mass(rng: np.random.Generator, masses: F32) -> int:
    """An index drawn by masses that add up to 1."""
    target = rng.random()
    chosen = 0
    while chosen < len(masses) - 1 and target >= masses[chosen]:
        target -= masses[chosen]
        chosen += 1
    return chosen


@jit
def load_nodes(first: Int, spacing: int, row: int, sharing: Sharing, out: F64) -> float:
    """The prior masses of the nodes that start at ``first``; returns their sum."""
    total = 0.0
    for place, value in enumerate(range(first, sharing.halo.shape[1], spacing)):
        out[place] = sharing.halo[row, value]
        total += out[place]
    return total


@jit(fastmath=REORDER)
def _weigh_four(weights: F32, table: F32, start: Int, spacing: int, low: Int, high: Int, nodes: F64) -> None:
    """Multiply four nodes by sums of weights times the likelihood; one pass takes less than four."""
    a = np.uint64(start)
    b, c, d = a + np.uint64(spacing), a + np.uint64(2 * spacing), a + np.uint64(3 * spacing)
    one, other, third, fourth = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for i in range(np.uint64(low), np.uint64(high)):
        one += weights[i] * table[a + i]
        other += weights[i] * table[b + i]
        third += weights[i] * table[c + i]
        fourth += weights[i] * table[d + i]
    nodes[0] *= one
    nodes[1] *= other
    nodes[2] *= third
    nodes[3] *= fourth


@jit(fastmath=REORDER)
def _weigh_one(weights: F32, table: F32, start: Int, low: Int, high: Int) -> float:
    first, total = np.uint64(start), np.float32(0.0)
    for i in range(np.uint64(low), np.uint64(high)):
        total += weights[i] * table[first + i]
    return float(total)


@jit
def weigh_nodes(
    weights: F32, total: float, table: F32, start: int, spacing: int, ends: np.ndarray, low: Int, high: Int, nodes: F64
) -> float:
    """Multiply the nodes by the probability of a report if its true grade has such weights; returns a log of scale."""
    place, last = ends[0], ends[1]
    while place + 4 <= last:
        _weigh_four(weights, table, start + place * spacing, spacing, low, high, nodes[place:])
        place += 4
    while place < last:
        nodes[place] *= _weigh_one(weights, table, start + place * spacing, low, high)
        place += 1
    top = 0.0
    for place in range(ends[0], last):
        nodes[place] /= total
        top = max(top, nodes[place])
    if top > _SMALL:
        return 0.0
    for place in range(ends[0], last):
        nodes[place] *= _LARGE
    return -math.log(_LARGE)


@jit
def _without_faint(weights: F32, least: np.floating, low: int, high: int) -> tuple[int, int]:
    """A part of a vector that holds all weights that matter: a whole number of the processor's vectors."""
    first, last = low, high
    while first < last - 1 and weights[first] < least:
        first += 1
    while last > first + 1 and weights[last - 1] < least:
        last -= 1
    width = (last - first + BLOCK - 1) // BLOCK * BLOCK
    begin = max(min(first, high - width), low)
    return begin, min(begin + width, high)


@jit
def _trim(nodes: F64, count: int, ends: np.ndarray) -> None:
    """The nodes between which all lie whose prior mass matters."""
    first, last = 0, count
    while first < last - 1 and nodes[0, first] < _NEGLIGIBLE and nodes[1, first] < _NEGLIGIBLE:
        first += 1
    while last > first + 1 and nodes[0, last - 1] < _NEGLIGIBLE and nodes[1, last - 1] < _NEGLIGIBLE:
        last -= 1
    ends[0], ends[1] = first, last


@jit
def weigh_reviews(
    grader: int,
    reliability: Int,
    bias: Int,
    moves: bool,
    spacing: int,
    odds: int,
    given: Given,
    state: State,
    work: Work,
) -> None:
    """Log probabilities of each of a grader's reviews, in the rows of ``work.review_logs`` (equation S8).

    With effort as the grader stands and if the grader had another reliability and bias, then the same without effort.
    ``work.nodes`` keeps what each node has of them. All of this is one function because calling one with so many arrays
    takes longer than its work; only rare cases are left to others.
    """
    reports, tables, beliefs, sharing = given.reports, given.tables, given.beliefs, given.sharing
    running, others = work.running[0], work.others
    row_length = tables.row_length[grader]
    bases = (
        state.reliability[grader] * row_length + tables.from_bias[state.bias[grader]],
        reliability * row_length + tables.from_bias[bias],
    )
    rows = (halo_row(state.reliability[grader], odds, sharing), halo_row(reliability, odds, sharing))
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        place = review - reports.grader_reviews[grader]
        submission = reports.review_submission[review]
        begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
        summed = end - begin <= MAX_SUMMED
        n_others = 0
        if summed:
            for position in range(begin, end):
                other = reports.submission_reviews[position]
                if other != review and state.effortful[other]:
                    others[n_others, 0] = other
                    others[n_others, 1] = reports.review_reports[other]
                    others[n_others, 2] = reports.review_reports[other + 1]
                    others[n_others, 3] = work.offset[other]
                    n_others += 1
        nodes, ends = work.nodes[place], work.ends[place]
        first, count = np.int64(state.halo[review]), 1
        nodes[0, 0] = nodes[1, 0] = 1.0
        log_totals = (0.0, 0.0)
        if sharing.has_halo[grader]:
            count = (sharing.halo.shape[1] - 1 - first % spacing) // spacing + 1
            first %= spacing
            before = load_nodes(first, spacing, rows[0], sharing, nodes[0])
            after = load_nodes(first, spacing, rows[1], sharing, nodes[1]) if moves else before
            log_totals = (math.log(before), math.log(after))
        if not moves:
            nodes[1, :count] = 0.0
        _trim(nodes, count, ends)
        log_before = log_after = careless = 0.0
        for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
            cell, row = reports.report_cell[report], tables.report_row[report] + first
            careless += beliefs.log_low_effort[report]
            low, high, total = int(state.true_grade[cell]), int(state.true_grade[cell]) + 1, 1.0
            if summed:
                component = np.int64(reports.cell_component[cell])
                prior = beliefs.true_grade[component, state.merit[submission]]
                low, high = beliefs.support[component, state.merit[submission]]
                for i in range(np.uint64(low), np.uint64(high)):
                    running[i] = prior[i]
                if given.clamps.cell_bin[cell] >= 0:
                    share = given.clamps.bins[given.clamps.cell_bin[cell]]
                    for i in range(np.uint64(low), np.uint64(high)):
                        running[i] *= share[i]
                for k in range(n_others):
                    theirs = others[k, 1] + report - reports.review_reports[review]
                    if theirs >= others[k, 2] or reports.report_cell[theirs] != cell:
                        theirs = find_report(others[k, 0], cell, reports.review_reports, reports.report_cell)
                        if theirs < 0:
                            continue
                    multiply(running, tables.mass, tables.report_row[theirs] + others[k, 3], low, high)
                total = total_of(running, low, high)
                if total < TINY:
                    total = load_others_from_logs(np.int64(cell), submission, review, given, state, work)
                    low, high = 0, len(running)
                low, high = _without_faint(running, np.float32(total) * _FAINT, low, high)
            else:
                running[low] = 1.0
            log_before += weigh_nodes(running, total, tables.mass, row + bases[0], spacing, ends, low, high, nodes[0])
            if moves:
                log_after += weigh_nodes(
                    running, total, tables.mass, row + bases[1], spacing, ends, low, high, nodes[1]
                )
        logs = work.review_logs[place]
        logs[0] = log_before + math.log(max(nodes[0, ends[0] : ends[1]].sum(), 1e-300))
        logs[1] = log_after + math.log(max(nodes[1, ends[0] : ends[1]].sum(), 1e-300)) if moves else logs[0]
        logs[2], logs[3] = careless + log_totals[0], careless + log_totals[1]


@jit
def log_odds(
    grader: int, reliability: Int, bias: Int, has_effort: bool, given: Given, state: State, work: Work
) -> float:
    """How much more probable, in logs, a grader's reviews are with another reliability and bias, which are weighed."""
    beliefs, group = given.beliefs, given.beliefs.group[grader]
    total = 0.0
    if not given.clamps.bias[grader]:
        total += beliefs.log_bias[group, bias] - beliefs.log_bias[group, state.bias[grader]]
    if not given.clamps.reliability[grader]:
        logs = beliefs.log_reliability[group]
        total += logs[reliability] - logs[state.reliability[grader]]
    effort = state.effort[grader] if has_effort else 1.0
    for place in range(given.reports.grader_reviews[grader + 1] - given.reports.grader_reviews[grader]):
        logs = work.review_logs[place]
        total += log_mixed(effort, logs[1], logs[3]) - log_mixed(effort, logs[0], logs[2])
    return total


@jit
def _draw_efforts(
    grader: int, after: int, rng: np.random.Generator, keep: bool, given: Given, state: State, sums: Sums, work: Work
) -> None:
    """Draw a grader's effort probability, with the efforts summed out, and then the effort of each review."""
    logs, begun = work.review_logs, given.reports.grader_reviews[grader]
    count = given.reports.grader_reviews[grader + 1] - begun
    if given.learning.may_have_habit[grader] and rng.random() < HOW_OFTEN:
        draw_habit(grader, after, 2 + after, rng, given, state, work)
    elif not given.clamps.effort[grader]:
        for place in range(count):
            logs[place, SHARE] = chance_of_effort(0.5, logs[place, after], logs[place, 2 + after])
        prior = effort_prior_of(grader, state.habit, given.beliefs.effort)
        effort = draw_effort(rng, state.effort[grader], logs[:count, SHARE], prior, work.effort_masses)
        state.effort[grader] = effort
    work.effortful[grader] = 0
    for place in range(count):
        probability = chance_of_effort(state.effort[grader], logs[place, after], logs[place, 2 + after])
        state.effortful[begun + place] = rng.random() < probability
        work.effortful[grader] += state.effortful[begun + place]
        if keep:
            sums.effortful[begun + place] += probability


@jit
def _draw_halos(
    grader: int, after: int, spacing: int, rng: np.random.Generator, given: Given, state: State, work: Work
) -> None:
    """Draw the halo of each effortful review among its nodes (equation S9)."""
    if not given.sharing.has_halo[grader]:
        return
    begun = given.reports.grader_reviews[grader]
    for review in range(begun, given.reports.grader_reviews[grader + 1]):
        if state.effortful[review]:
            nodes, ends = work.nodes[review - begun, after], work.ends[review - begun]
            target = rng.random() * nodes[ends[0] : ends[1]].sum()
            chosen = ends[0]
            while chosen < ends[1] - 1 and target >= nodes[chosen]:
                target -= nodes[chosen]
                chosen += 1
            state.halo[review] = state.halo[review] % spacing + chosen * spacing
