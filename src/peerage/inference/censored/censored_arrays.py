"""The arrays of the censored model's sampler: true grades, reliabilities and biases are indexes into their grids."""

from __future__ import annotations

from typing import NamedTuple

from peerage.inference.numerics.arrays import F32, F64, I32, I64, BinClamps, Flags, Reports
from peerage.inference.numerics.by_reference import by_reference


@by_reference
class Tables(NamedTuple):
    """Likelihoods of reports, laid out for each update's inner loop, and where each report's part of them starts."""

    mass: F32
    log_mass: F32
    log_mass_by_bias: F32
    log_mass_by_reliability: F32
    report_row: I64
    report_column: I64
    row_length: I64
    from_bias: I64
    from_true_grade: I64
    from_true_grade_by_reliability: I64
    true_grade_points: F64
    reliability_points: F64
    level_start: I64
    level_edges: I64
    cut_cells: I64
    cut_shares: F64


@by_reference
class Beliefs(NamedTuple):
    """Priors on the grids; kernels read them anew in every sweep.

    True grades have a row per component, reliabilities and biases a row per group of graders. With correlation, a
    true grade whose authors have mean reliability p is normal around
    ``author_mean + author_slope·(p − author_origin)``. ``support`` is where a component's true grades have a prior
    mass worth multiplying; the masses are zero elsewhere, for products of tiny numbers are slow.
    """

    true_grade: F32
    support: I64
    log_true_grade: F64
    reliability: F32
    log_reliability: F64
    bias: F32
    log_bias: F64
    group: I32
    effort: F64
    log_low_effort: F64
    author_mean: F64
    author_slope: F64
    author_origin: F64
    author_precision: F64


@by_reference
class Learning(NamedTuple):
    """Whether priors are learned, and what their updates need to know of the class.

    ``bias_spread`` is each group's (see ``hyperparameters``); ``mean_report`` each component's; ``largest_tau_l``
    is the bound of log τ_ℓ.
    """

    on: bool
    correlated: bool
    has_staff: bool
    bias_spread: F64
    mean_report: F64
    largest_tau_l: float
    true_grade_edges: F64
    bias_edges: F64
    reliability_points: F64
    log_reliability_points: F64
    cut_start: I64
    cuts: F64
    report_level: I64
    report_component: I32


@by_reference
class Given(NamedTuple):
    """All that a chain conditions on."""

    reports: Reports
    tables: Tables
    beliefs: Beliefs
    clamps: BinClamps
    learning: Learning


@by_reference
class State(NamedTuple):
    """Where a chain stands; learned hyperparameters by coordinate (``hyper``), with the widths of their moves."""

    true_grade: I32
    reliability: I32
    bias: I32
    effort: F64
    effortful: Flags
    hyper: F64
    hyper_width: F64
    centre: F64


@by_reference
class Scratch(NamedTuple):
    """Scratch memory for the updates of graders and of learned hyperparameters."""

    likelihood: F32
    masses: F64
    grid_counts: F64
    author_sums: F64
    low_effort: F64
    level_counts: F64
    exceeding: I64


@by_reference
class Work(NamedTuple):
    """Scratch memory."""

    running: F32
    priors: F32
    author_mean: F64
    ends: I64
    totals: F64
    offset: I64
    effortful: I64
    others: I64
    review_logs: F64
    effort_masses: F64
    part: F32
    logs: F64
    sums: F64
    scratch: Scratch
