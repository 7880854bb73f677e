"""The arrays of the uncensored model's sampler."""

from __future__ import annotations

from typing import NamedTuple

from peerage.inference.numerics.arrays import F64, I32, I64, BinClamps, Flags, Reports
from peerage.inference.numerics.by_reference import by_reference


@by_reference
class Beliefs(NamedTuple):
    """Priors; rows of graders are by group. Authors' reliabilities have log masses on a grid instead of a Gamma."""

    mean: F64
    precision: F64
    reliability_shape: F64
    reliability_rate: F64
    author_group: int
    log_author_reliability: F64
    reliability_edges: F64
    bias_precision: F64
    bias_mean: F64
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
    can_shift: bool
    report_component: I32


@by_reference
class Given(NamedTuple):
    """All that a chain conditions on; ``bins`` of the clamps hold the two ends of each fixed bin."""

    reports: Reports
    value: F64
    beliefs: Beliefs
    clamps: BinClamps
    learning: Learning


@by_reference
class State(NamedTuple):
    """Where a chain stands: values on the model's scale; learned hyperparameters by coordinate."""

    true_grade: F64
    reliability: F64
    bias: F64
    effort: F64
    effortful: Flags
    hyper: F64
    hyper_width: F64


@by_reference
class Work(NamedTuple):
    """Scratch memory, and the cut-points of each component: ``cuts[cut_start[c]:cut_start[c + 1]]``.

    ``counts`` and ``squares`` hold what a grader's effortful reports say of the reliability, and then of the bias.
    """

    precision: F64
    weighted: F64
    logs: F64
    effortful: I64
    cut_start: I64
    cuts: F64
    counts: F64
    squares: F64
    grade_sums: F64
    author_sums: F64
    exceeding: I64
