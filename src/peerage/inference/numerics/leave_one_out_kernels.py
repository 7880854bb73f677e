"""Predicting each review from all the others, or those that a fit has not seen, in one draw: what samplers share.

The efforts are drawn anew given everything else, and true grades are summed out, so that all that is left in the draw
of the review which is predicted is what it taught about its grader (see ``leave_one_out``), and nothing if it was not
seen. This is equation (18) of docs/model.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.arrays import F64, I64, Reports
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.effort_counts import count_effortful, expected_effort
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import below

Int = int | np.int64
Bools = NDArray[np.bool_]


@by_reference
class Scale(NamedTuple):
    """Each report's component, level and bin; where expected grades of each component rise, and what they are else.

    A report before rounding that lies above the cut ``cuts[c, j]`` of component c has an expected grade that is higher
    by ``rises[c, j]``, coarser grids being weighed by how probable they are. ``low_effort`` are the masses of grades
    without effort, ``careless`` the expected ones; ``favourite`` has the grades of each habit, and ``highest`` is the
    highest grade of all.
    """

    report_component: I64
    report_level: I64
    low: F64
    high: F64
    cuts: F64
    rises: F64
    low_effort: F64
    careless: F64
    favourite: F64
    highest: float


@by_reference
class Parts(NamedTuple):
    """Which reviews the fit has seen, how many of these each grader has, and which ones are to be predicted."""

    seen: Bools
    n_seen: I64
    wanted: Bools


@by_reference
class Prediction(NamedTuple):
    """What a draw predicts.

    Of each review, the log of the density that the fit used and of the probability of its bins; of each report, the
    expected grade, which takes 16 bits where those of all draws are held.
    """

    log_density: F64
    log_mass: F64
    mean: NDArray[np.floating[Any]]


@jit(makes_arrays=True)
def wanted_submissions(reports: Reports, wanted: Bools) -> I64:
    """The submissions of which a review is to be predicted."""
    return np.unique(reports.review_submission[wanted]).astype(np.int64)


@jit(makes_arrays=True)
def wanted_reviews(submission: int, reports: Reports, wanted: Bools) -> I64:
    """The reviews of a submission that are to be predicted."""
    begin, end = reports.submission_start[submission], reports.submission_start[submission + 1]
    reviews = reports.submission_reviews[begin:end].astype(np.int64)
    return reviews[wanted[reviews]]


@jit
def count_efforts_seen(grader_reviews: I64, seen: Bools, effortful: Bools, counts: I64) -> None:
    """Count each grader's effortful reviews; those that have not been seen count as none."""
    for review in range(len(seen)):
        effortful[review] &= seen[review]
    for grader in range(len(counts)):
        counts[grader] = count_effortful(grader, grader_reviews, effortful)


@jit
def effort_by_others(
    review: Int, grader: Int, clamped: Bools, effort: F64, effortful: Bools, counts: I64, prior: F64, parts: Parts
) -> float:
    """The probability that a review is made with effort, by its grader's others: the mean of equation (13).

    It stands before the products of equation (18). An effort that is fixed stays as it is.
    """
    if clamped[grader]:
        return float(effort[grader])
    n_others = parts.n_seen[grader] - parts.seen[review]
    return expected_effort(counts[grader] - effortful[review], n_others, (float(prior[0]), float(prior[1])))


@jit
def expected_report(component: Int, effort: float, centre: float, variance: float, scale: Scale) -> float:
    """The expected grade of a report whose value is normal if effortful, and else as equation (2) has it."""
    careful, root = scale.highest, 1.0 / math.sqrt(variance)
    for place in range(scale.cuts.shape[1]):
        careful -= scale.rises[component, place] * below((scale.cuts[component, place] - centre) * root)
    return float(effort * careful + (1.0 - effort) * scale.careless[component])
