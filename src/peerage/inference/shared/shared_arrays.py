"""The arrays that the kernels read and write where components share merit or halo.

They are those of the censored model, with what is shared added. Priors of true grades have a row for each component
and each value of merit.
"""

from __future__ import annotations

from typing import NamedTuple

from peerage.inference.numerics.arrays import (
    F32,
    F64,
    I32,
    I64,
    Beliefs,
    Clamps,
    Flags,
    Learning,
    Reports,
    Scratch,
    Tables,
)


class Sharing(NamedTuple):
    """What components share: the grids of merit and of halo, and how probable their values are beforehand.

    ``merit`` are the values of Q, ``log_merit`` their log prior masses. Row r of ``halo`` has the prior masses of η
    for one value of κ/p: the one of reliability i and share m has r = i − m + (number of shares) − 1. ``log_halo`` are
    their logarithms, ``log_halo_by_row`` the same with a row for each η. ``log_odds`` are the values of log κ,
    ``log_share`` their log prior masses. ``has_halo`` tells whose reviews have an η.
    """

    has_merit: bool
    is_on: bool
    merit: F64
    log_merit: F64
    halo: F32
    log_halo: F32
    log_halo_by_row: F32
    log_odds: F64
    log_share: F64
    has_halo: Flags


class Given(NamedTuple):
    """All that a chain conditions on."""

    reports: Reports
    tables: Tables
    beliefs: Beliefs
    clamps: Clamps
    learning: Learning
    sharing: Sharing


class State(NamedTuple):
    """Where a chain stands: as in the censored model, with each submission's merit and each review's halo.

    Both are indexes into their grids. The halo of a review without effort means nothing: it is drawn when it is needed.
    """

    true_grade: I32
    reliability: I32
    bias: I32
    effort: F64
    effortful: Flags
    hyper: F64
    hyper_width: F64
    centre: F64
    habit: I32
    merit: I32
    halo: I32


class Work(NamedTuple):
    """Scratch memory.

    ``offset`` is where each review's part of a table starts, ``nodes`` the weights of the values of halo that a review
    may have, with the grader as it stands and after a move. ``likelihood`` is that of each cell's effortful reports,
    ``masses`` and ``support`` are priors of true grades that have been proposed.
    """

    running: F32
    likelihood: F32
    masses: F32
    support: I64
    offset: I64
    effortful: I64
    others: I64
    review_logs: F64
    nodes: F64
    ends: I64
    effort_masses: F64
    habit_masses: F64
    level_weights: F64
    part: F32
    logs: F64
    sums: F64
    scratch: Scratch
