"""The arrays that the kernels read and write where reports before rounding are drawn along with all else."""

from __future__ import annotations

from typing import NamedTuple

from peerage.inference.features.heaping import CoarseBins
from peerage.inference.numerics.arrays import F64, I32, I64, Flags
from peerage.inference.numerics.by_reference import by_reference


@by_reference
class Places(NamedTuple):
    """Who graded what: reviews are sorted by grader, a review's reports and a submission's cells are contiguous.

    ``cell_centre`` is the usual report on each cell's component, around which graders stretch or narrow the scale.
    ``review_drift`` is where the drift of each review's bias stands among all. ``review_pattern`` tells reviews apart
    by which components they grade: those are the rows of ``patterns``.
    """

    grader_reviews: I64
    review_reports: I64
    review_grader: I32
    report_cell: I32
    submission_cells: I64
    cell_component: I32
    submission_start: I64
    submission_reviews: I32
    cell_centre: F64
    review_drift: I64
    review_pattern: I64
    patterns: Flags


@by_reference
class Levels(NamedTuple):
    """The grades: ends of each report's bin, its place in tables by component and level, and all cut-points.

    ``careless`` is each report's place in the table of probabilities without effort, whose second half is for reports
    that say "this or less". ``coarse`` are the bins of reports that are rounded more coarsely, by grade; rows of
    ``coarse_low`` and ``coarse_high`` have them by report, one for each coarser grid, with both ends beyond all numbers
    where the grid lacks the grade; ``coarse_own`` is the place of the finest grid's weight.
    """

    low: F64
    high: F64
    code: I64
    careless: I64
    cut_start: I64
    cuts: F64
    coarse: CoarseBins
    coarse_low: F64
    coarse_high: F64
    coarse_own: I64


@by_reference
class Errors(NamedTuple):
    """What the error of each report is made of.

    It is ``loading`` times the review's halo, and an error of its own whose precision is the grader's reliability times
    ``own``. Those of graders without a halo are all their own. ``shared`` is the product of the two.
    """

    own: F64
    loading: F64
    shared: F64


@by_reference
class Beliefs(NamedTuple):
    """The priors as they stand; a chain that learns them refills its own copy.

    ``merit`` is the share q; ``slope_sd`` is the spread of slopes, and ``step_sd`` that of the steps of biases. Rows of
    ``reliability`` (shape and rate) and of ``bias`` (mean and standard deviation) are of groups of graders.
    ``low_effort`` has the log probability of each level of each component without effort, and below these that of each
    level or less; ``rounding`` has the probability of each of a component's grids, one component after the other.
    """

    grade_mean: F64
    grade_sd: F64
    merit: F64
    errors: Errors
    reliability: F64
    bias: F64
    slope_sd: F64
    step_sd: F64
    effort: F64
    low_effort: F64
    rounding: F64


@by_reference
class Clamps(NamedTuple):
    """What is not inferred: flags for each grader and cell, and the ends of the bin of a true grade that is fixed."""

    effort: Flags
    reliability: Flags
    bias: Flags
    any_grade: bool
    grade: Flags
    grade_low: F64
    grade_high: F64


@by_reference
class Graders(NamedTuple):
    """What is known of graders beforehand: whose prior they have, whose reviews have a halo, and who has a slope.

    ``walk`` is where each grader's drifts begin among all; 0 for those whose bias does not drift.
    """

    group: I32
    has_halo: Flags
    has_slope: Flags
    walk: I64


@by_reference
class Habits(NamedTuple):
    """Who may have a habit, and which.

    Row k of ``favourite`` has the level of each component that habit k keeps to; row 0, no habit, has none. ``used``
    are, from ``start`` on for each grader, the habits that some of the grader's reports keep to, and the last.
    ``may_jump`` are those who give one grade so often that it may be a habit or a bias.
    """

    may_have: Flags
    may_jump: Flags
    favourite: I64
    start: I64
    used: I32


@by_reference
class Learning(NamedTuple):
    """Whether priors are learned, and what their updates need to know of the class.

    ``n_weeks`` is over how many assignments biases drift, 1 if they do not. ``largest_tau_l`` is the bound of log τ_ℓ.
    """

    on: bool
    has_staff: bool
    can_shift: bool
    has_merit: bool
    has_halo: bool
    has_slopes: bool
    n_weeks: int
    bias_spread: F64
    mean_report: F64
    largest_tau_l: float


@by_reference
class Stored(NamedTuple):
    """The cells as which draws are kept: where each grid starts, its step and its last cell."""

    grade: F64
    log_reliability: F64
    bias: F64


@by_reference
class Given(NamedTuple):
    """All that a chain conditions on."""

    places: Places
    levels: Levels
    beliefs: Beliefs
    clamps: Clamps
    graders: Graders
    habits: Habits
    learning: Learning
    stored: Stored


@by_reference
class State(NamedTuple):
    """Where a chain stands: numbers on the model's scale.

    ``latent`` is the report before rounding. Halo and latent reports of a review without effort mean nothing: they are
    drawn when they are needed. ``drift`` is how far a bias is from its mean in each assignment; its first entry, 0, is
    that of all whose bias does not drift.
    """

    true_grade: F64
    reliability: F64
    bias: F64
    effort: F64
    effortful: Flags
    hyper: F64
    hyper_width: F64
    centre: F64
    habit: I32
    merit: F64
    halo: F64
    latent: F64
    slope: F64
    drift: F64


@by_reference
class Cells(NamedTuple):
    """Each true grade's precision given merit and halos, its mean times that, and what reviews alone say of it.

    ``noise`` is the noise with which it will be drawn.
    """

    precision: F64
    weighted: F64
    noise: F64
    reported: F64
    variance: F64


@by_reference
class EffortCells(NamedTuple):
    """The density of one grader's effort, laid out in cells.

    Rows of ``prior`` have what is known beforehand, without a habit and with one, up to factors with the logarithms
    ``log_prior``; ``masses`` what is known once the grader's reviews are taken into account.
    """

    prior: F64
    log_prior: F64
    masses: F64


@by_reference
class Work(NamedTuple):
    """Scratch memory.

    ``predicted`` has a column for each report of one grader: mean, root of the precision, tail and mass of its bin with
    the true grade summed out, the same after a jump from row 4 on, and then what these are made from. ``logs`` has, for
    each review of one grader, its log probability with effort, that after a jump, and that without effort under each
    habit; ``halo`` the halos after one, ``kept_halo`` those that will be put back.
    """

    cells: Cells
    predicted: F64
    logs: F64
    halo: F64
    kept_halo: F64
    shares: F64
    efforts: EffortCells
    habit_masses: F64
    matrix: F64
    vector: F64
    grader_sums: F64
    products: F64
    parts: F64
    slope_sums: F64
    walk_sums: F64
    level_counts: F64
    exceeding: I64
    effortful: I64
