"""The arrays that several samplers read and write.

A *cell* is one component of one submission; a *report* is one component's grade in a review.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.by_reference import by_reference

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


@by_reference
class Reports(NamedTuple):
    """Who graded what: reviews are sorted by grader, a review's reports and a submission's cells are contiguous.

    ``authors`` are, with correlation, the graders whose reliability shifts a submission's prior; else nobody's does.
    """

    grader_reviews: I64
    review_reports: I64
    review_grader: I32
    review_submission: I32
    report_cell: I32
    submission_cells: I64
    cell_component: I32
    submission_start: I64
    submission_reviews: I32
    author_start: I64
    authors: I32
    authored_start: I64
    authored: I32


@by_reference
class BinClamps(NamedTuple):
    """What is not inferred: flags for each grader, the bin of each cell (a row of ``bins``, or -1)."""

    effort: Flags
    reliability: Flags
    bias: Flags
    cell_bin: I32
    bins: F32
    reliability_value: F64


@by_reference
class Sums(NamedTuple):
    """Running sums over kept sweeps: conditional probabilities, not draws, wherever an update computed them."""

    level_mass: F64
    effortful: F64
    influence: F64


@by_reference
class DrawRows(NamedTuple):
    """Kept draws, one row a sweep: numbers, or cells of grids."""

    true_grade: NDArray[np.unsignedinteger | np.float32]
    reliability: NDArray[np.unsignedinteger | np.float32]
    bias: NDArray[np.unsignedinteger | np.float32]
    effort: F32
    effortful_count: I64
    hyper: F64
    habit: NDArray[np.uint8]
    slope: F32
    drift: F32


def starts_of(owner: NDArray[np.integer], count: int) -> I64:
    """Where each owner's entries begin once a list is sorted by owner, and where the last ones end.

    ``owner`` may be in any order; each is below ``count``.
    """
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
