"""The censored model's engine: likelihood tables, priors on grids, where a chain starts, and its kernel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.censored.censored_arrays import Beliefs, Given, Learning, Scratch, State, Tables, Work
from peerage.inference.censored.censored_leave_out import leave_out
from peerage.inference.censored.censored_sweep import sweep
from peerage.inference.censored.collapsed_graders import MAX_SUMMED
from peerage.inference.censored.learning_grades import cut_to_support
from peerage.inference.layout import AUTHOR, Layout
from peerage.inference.numerics.arrays import DrawRows
from peerage.inference.numerics.hyperparameters import effort_prior
from peerage.inference.numerics.likelihood import (
    LOG_FLOOR,
    Grid,
    Grids,
    log_bin_masses,
    log_gamma_cell_masses,
    log_normal_cell_masses,
    low_effort_masses,
)
from peerage.inference.starting_points import first_hyperparameters
from peerage.rubric import MODEL_MAXIMUM, Rubric

__all__ = [
    "ON_GRID",
    "SWEEPS_LOCALLY",
    "State",
    "initial_state",
    "leave_out",
    "new_draws",
    "new_work",
    "prepare",
    "sweep",
]

ON_GRID, SWEEPS_LOCALLY = True, False

_SMALLEST_MASS = np.float32(1e-20)
"""Kept away from zero, so that a product can be divided by it; smaller ones are computed from logarithms."""

_FEW_LEVELS = 25
"""A scale with more grades than this has tables of those only that occur."""


def prepare(layout: Layout) -> Given:
    """Everything that the kernels condition on."""
    clamps = layout.clamps(fixed_bins(layout))
    return Given(layout.reports, tables_of(layout), beliefs_of(layout), clamps, learning_of(layout))


def initial_state(layout: Layout, given: Given, rng: np.random.Generator, chain: int = 0) -> State:
    """A dispersed start: true grades near the reports' means, all else drawn from the prior."""
    grids = layout.grids
    spread = layout.report_means + 0.5 * rng.standard_normal(layout.n_cells)
    nearest = np.searchsorted(grids.true_grade.edges, spread) - 1
    true_grade = np.clip(nearest, 0, len(grids.true_grade) - 1).astype(np.int32)
    for cell in np.flatnonzero(given.clamps.cell_bin >= 0):
        true_grade[cell] = np.argmax(given.clamps.bins[given.clamps.cell_bin[cell]])
    beliefs, known = given.beliefs, layout.known
    reliability = _draw_rows(beliefs.log_reliability[layout.group], rng)
    reliability[~np.isnan(known.reliability)] = 0
    bias = _draw_rows(beliefs.log_bias[layout.group], rng)
    bias[~np.isnan(known.bias)] = len(grids.bias)
    theta, width = first_hyperparameters(layout, rng, chain)
    alpha, beta = effort_prior(theta) if layout.model.learned else beliefs.effort
    effort = np.where(np.isnan(known.effort), rng.beta(alpha, beta, layout.n_graders), known.effort)
    effortful = rng.random(layout.book.n_reviews) < effort[layout.reports.review_grader]
    centre = np.zeros((layout.n_graders, 5))
    return State(true_grade, reliability, bias, effort, effortful, theta, width, centre)


def new_draws(layout: Layout, count: int) -> DrawRows:
    """Room for ``count`` draws, as grid indexes: 16 bits whatever the grids, so that one compiled sweep serves all."""
    return DrawRows(
        np.zeros((count, layout.n_cells), np.uint16),
        np.zeros((count, layout.n_graders), np.uint16),
        np.zeros((count, layout.n_graders), np.uint16),
        np.zeros((count, layout.n_graders), np.float32),
        np.zeros(count, np.int64),
        np.zeros((count, layout.n_hyper)),
        np.zeros((count, layout.n_graders), np.uint8),
        np.ones((count, layout.n_graders), np.float32),
        np.zeros((count, layout.walks.n_entries), np.float32),
    )


def new_work(layout: Layout) -> Work:
    """Scratch memory for one chain."""
    grids = layout.grids
    cells = int(np.diff(layout.reports.submission_cells).max())
    size = len(grids.true_grade)
    longest = max(size, len(grids.reliability), len(grids.bias), layout.max_levels)
    n_components = len(layout.book.rubric)
    scratch = Scratch(
        np.zeros((layout.n_graders, max(len(grids.reliability), len(grids.bias))), np.float32),
        np.zeros(longest),
        np.zeros((n_components, size)),
        np.zeros((n_components + 1, 6)),
        np.zeros((n_components, layout.max_levels)),
        np.zeros((n_components, layout.max_levels)),
        np.zeros((3, int(np.diff(layout.reports.grader_reviews).max())), np.int64),
    )
    return Work(
        np.zeros((cells, size), np.float32),
        np.zeros((cells, size), np.float32),
        np.zeros(layout.n_cells),
        np.zeros((cells, 2), np.int64),
        np.zeros(cells),
        np.zeros(layout.n_graders, np.int64),
        np.zeros(layout.n_graders, np.int64),
        np.zeros((MAX_SUMMED, 4), np.int64),
        np.zeros((int(np.diff(layout.reports.grader_reviews).max()), 4)),
        np.zeros((2, 32)),
        np.zeros(longest, np.float32),
        np.zeros(longest),
        np.zeros(layout.max_levels),
        scratch,
    )


def _draw_rows(log_masses: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int32]:
    """One index for each row of log masses."""
    masses = np.exp(log_masses - log_masses.max(axis=1, keepdims=True))
    cumulative = np.cumsum(masses, axis=1)
    targets = rng.random(len(masses)) * cumulative[:, -1]
    return np.asarray((cumulative <= targets[:, None]).sum(axis=1), dtype=np.int32)


def fixed_bins(layout: Layout) -> NDArray[np.float32]:
    """For each cell with a fixed true grade, the share of each grid cell that lies in its bin."""
    edges = layout.grids.true_grade.edges
    rows = []
    for cell in np.flatnonzero(layout.fixed_level >= 0):
        low, high = layout.bin_of(cell)
        overlap = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
        rows.append(np.clip(overlap / np.diff(edges), 0, 1))
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(edges) - 1)


def beliefs_of(layout: Layout) -> Beliefs:
    priors, grids = layout.priors, layout.grids
    mu_s, sigma_s = layout.true_grade_prior
    log_true_grade = np.maximum(log_normal_cell_masses(grids.true_grade.edges, mu_s, sigma_s), LOG_FLOOR)
    gammas = [(priors.alpha_tau, priors.beta_tau), (priors.alpha_tau_ta, priors.beta_tau_ta)]
    log_reliability = [log_gamma_cell_masses(grids.reliability.edges, *gamma) for gamma in gammas]
    correlation = layout.correlation
    author = log_normal_cell_masses(grids.reliability.edges, correlation.origin, correlation.sd)
    students, tas = log_reliability
    rows = [students, tas, students, students, np.maximum(author, LOG_FLOOR)]  # by role, then authors
    sigma_b = priors.sigma_b if layout.has_bias else 1.0
    log_bias = np.maximum(log_normal_cell_masses(grids.bias.edges, 0.0, sigma_b), LOG_FLOOR)
    log_biases = np.tile(log_bias, (AUTHOR + 1, 1))
    true_grade = np.exp(log_true_grade).astype(np.float32)
    support = np.zeros((len(true_grade), 2), np.int64)
    for row, ends in zip(true_grade, support, strict=True):
        cut_to_support(row, ends)
    return Beliefs(
        true_grade=true_grade,
        support=support,
        log_true_grade=log_true_grade,
        reliability=np.exp(np.array(rows)).astype(np.float32),
        log_reliability=np.array(rows),
        bias=np.exp(log_biases).astype(np.float32),
        log_bias=log_biases,
        group=layout.group,
        effort=np.array([priors.alpha_e, priors.beta_e]),
        log_low_effort=log_low_effort(layout),
        author_mean=correlation.mean,
        author_slope=correlation.slope,
        author_origin=np.array([correlation.origin]),
        author_precision=correlation.precision,
    )


def log_low_effort(layout: Layout) -> NDArray[np.float64]:
    """(reports,) log probability of each report if no effort was made."""
    priors = layout.priors
    out = np.empty(len(layout.report_level))
    for index, component in enumerate(layout.book.rubric.components):
        centre = layout.true_grade_prior[0][index]
        masses = low_effort_masses(component.cuts, centre, priors.tau_l, priors.epsilon, MODEL_MAXIMUM)
        mine = layout.report_component == index
        out[mine] = np.log(np.maximum(masses, np.exp(LOG_FLOOR)))[layout.report_level[mine]]
    return out


def learning_of(layout: Layout) -> Learning:
    grids = layout.grids
    cuts = [component.cuts for component in layout.book.rubric.components]
    return Learning(
        on=layout.model.learned,
        correlated=layout.model.correlation,
        has_staff=layout.has_staff,
        bias_spread=layout.bias_spread,
        mean_report=layout.mean_reports,
        largest_tau_l=layout.largest_tau_l,
        true_grade_edges=grids.true_grade.edges,
        bias_edges=grids.bias.edges,
        reliability_points=grids.reliability.points,
        log_reliability_points=np.log(grids.reliability.points),
        cut_start=np.cumsum([0] + [len(entry) for entry in cuts]).astype(np.int64),
        cuts=np.concatenate(cuts),
        report_level=layout.report_level,
        report_component=layout.report_component,
    )


class _Block(NamedTuple):
    """Log likelihoods of one scale's levels, in each layout; the last is None if the reliability is fixed."""

    by_true_grade: NDArray[np.float32]
    by_bias: NDArray[np.float32]
    by_reliability: NDArray[np.float32] | None


@lru_cache(maxsize=32)
def _block(
    grids: Grids, cuts: tuple[float, ...], levels: tuple[int, ...], reliability: float | None, bias: float | None
) -> _Block:
    """Tabulate the likelihood of some levels; fits of one class to many settings find the tables made already."""
    precision = grids.reliability.points if reliability is None else np.array([reliability])
    x = grids.lattice if bias is None else grids.without_bias + bias
    logs = log_bin_masses(np.array(cuts), np.array(levels), x, precision).astype(np.float32)
    by_true_grade = logs[..., grids.true_grade_order] if bias is None else logs
    by_bias = logs[..., grids.bias_order] if bias is None else logs
    by_reliability = np.ascontiguousarray(by_true_grade.transpose(0, 2, 1)) if reliability is None else None
    return _Block(by_true_grade, by_bias, by_reliability)


def tables_of(layout: Layout) -> Tables:
    """Likelihood tables in blocks, one for each scale and each combination of fixed reliability and bias on it."""
    grids, rubric, known = layout.grids, layout.book.rubric, layout.known
    report_row, report_column = np.zeros((2, len(layout.report_level)), np.int64)
    blocks: list[_Block] = []
    rows = columns = 0
    for mine, cuts, reliability, bias in _report_groups(layout):
        levels = tuple(range(len(cuts) + 1))
        if len(levels) > _FEW_LEVELS:
            levels = tuple(np.unique(layout.report_level[mine]).tolist())
        block = _block(grids, cuts, levels, reliability, bias)
        blocks.append(block)
        position = np.searchsorted(levels, layout.report_level[mine])
        size = block.by_true_grade[0].size
        report_row[mine] = rows + position * size
        report_column[mine] = columns + position * size
        rows += block.by_true_grade.size
        columns += 0 if block.by_reliability is None else block.by_reliability.size
    log_mass = _flat([block.by_true_grade for block in blocks])
    level_start, level_edges, cut_cells, cut_shares = _level_edges(grids.true_grade, rubric)
    return Tables(
        # A row of ones after the last stands in where kernels take more rows than there are reports.
        mass=np.append(np.maximum(np.exp(log_mass), _SMALLEST_MASS), np.ones(len(grids.true_grade), np.float32)),
        log_mass=log_mass,
        log_mass_by_bias=log_mass if grids.b_stride == 1 else _flat([block.by_bias for block in blocks]),
        log_mass_by_reliability=_flat([b.by_reliability for b in blocks if b.by_reliability is not None]),
        report_row=report_row,
        report_column=report_column,
        row_length=np.where(np.isnan(known.bias), len(grids.lattice), len(grids.without_bias)),
        from_bias=grids.from_bias,
        from_true_grade=grids.from_true_grade,
        from_true_grade_by_reliability=len(grids.reliability) * np.arange(len(grids.true_grade)),
        true_grade_points=grids.true_grade.points,
        reliability_points=grids.reliability.points,
        level_start=level_start,
        level_edges=level_edges,
        cut_cells=cut_cells,
        cut_shares=cut_shares,
    )


def _report_groups(
    layout: Layout,
) -> Iterator[tuple[NDArray[np.intp], tuple[float, ...], float | None, float | None]]:
    """Reports that share a scale and their grader's fixed reliability and bias (None where inferred)."""
    grader = layout.reports.review_grader[layout.report_review]
    scales = {tuple(component.cuts.tolist()): component for component in layout.book.rubric.components}
    numbers = {scale: number for number, scale in enumerate(scales)}
    scale = np.array([numbers[tuple(component.cuts.tolist())] for component in layout.book.rubric.components])
    fixed = np.stack([layout.known.reliability, layout.known.bias], axis=1)
    # NaN differs from itself, so what is inferred is marked by infinity here.
    kinds, kind = np.unique(np.nan_to_num(fixed, nan=np.inf), axis=0, return_inverse=True)
    code = scale[layout.report_component] * len(kinds) + kind.ravel()[grader]
    for value in np.unique(code):
        reliability, bias = (None if np.isinf(entry) else float(entry) for entry in kinds[value % len(kinds)])
        cuts = list(scales)[value // len(kinds)]
        yield np.flatnonzero(code == value), cuts, reliability, bias


def _flat(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate([np.zeros(0, np.float32), *(part.ravel() for part in parts)])


def _level_edges(
    grid: Grid, rubric: Rubric
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Which grid cells belong to which level, and how the cells on cut-points are shared out."""
    starts = np.cumsum([0] + [component.n_levels for component in rubric.components]).astype(np.int64)
    edges, cells, shares = [], np.zeros(starts[-1], np.int64), np.zeros(starts[-1])
    for start, component in zip(starts, rubric.components, strict=False):
        cuts = component.cuts
        edges.append(np.concatenate([[0], np.searchsorted(grid.points, cuts), [len(grid)]]))
        on_cut = np.clip(np.searchsorted(grid.edges, cuts, side="right") - 1, 0, len(grid) - 1)
        low, high = grid.edges[on_cut], grid.edges[on_cut + 1]
        above = grid.points[on_cut] >= cuts
        part = slice(start, start + len(cuts))
        cells[part] = on_cut
        shares[part] = np.where(above, cuts - low, cuts - high) / (high - low)
    return starts, np.concatenate(edges).astype(np.int64), cells, shares
