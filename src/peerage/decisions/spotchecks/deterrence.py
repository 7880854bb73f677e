"""How many spot checks it takes for reading the work to pay.

A *check* compares a review with a grade by staff; a calibration that students cannot tell from other work is one.
What is assumed: students weigh expected marks against effort, know the share of checks, and cannot tell what will be
checked; who passes a check, or is not checked, loses nothing, and who fails loses ``loss`` marks. ``effort`` is what
reading costs, in the same marks: how many a student would give up not to have to.

- With a *fixed* share (X. A. Gao, J. R. Wright and K. Leyton-Brown, "Incentivizing Evaluation with Peer Prediction and
  Limited Access to Ground Truth", 2019) reading pays where share × (how much likelier it is to pass) × loss ≥ effort.
- With two grades, *report-sensitive* checks (H. Zarkoob, H. Fu and K. Leyton-Brown, "Report-Sensitive Spot-Checking in
  Peer-Grading Systems", 2020) take less work: each grade is checked as often as it takes for neither to be worth
  reporting blindly. A reader sees the right grade with known probabilities, and staff are right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.errors import ModelError
from peerage.gradebook.book import STUDENT, Gradebook


class Deterrence(NamedTuple):
    """What a student may expect who does not read: chances and marks over all reviews.

    ``caught`` is the probability to be checked and fail at least once, ``loses`` the marks that not reading costs on
    average, more than reading does, and ``saves`` the effort.
    """

    caught: float
    loses: float
    saves: float

    @property
    def deters(self) -> bool:
        """Whether reading pays."""
        return self.loses >= self.saves


def deterrence(
    share: float, *, reader_passes: float, shirker_passes: float, loss: float, effort: float, reviews: int = 1
) -> Deterrence:
    """What not reading costs where a share of all reviews is checked.

    >>> deterrence(0.1, reader_passes=0.9, shirker_passes=0.4, loss=20, effort=1, reviews=10).deters
    True
    """
    _probabilities(share=share, reader_passes=reader_passes, shirker_passes=shirker_passes)
    caught = 1 - (1 - share * (1 - shirker_passes)) ** reviews
    return Deterrence(caught, reviews * share * (reader_passes - shirker_passes) * loss, reviews * effort)


def least_share(*, reader_passes: float, shirker_passes: float, loss: float, effort: float) -> float:
    """The least share of checks at which reading pays; infinite if no share does.

    >>> least_share(reader_passes=0.9, shirker_passes=0.4, loss=20, effort=1)
    0.1
    """
    _probabilities(reader_passes=reader_passes, shirker_passes=shirker_passes)
    at_stake = (reader_passes - shirker_passes) * loss
    needed = effort / at_stake if at_stake > 0 else np.inf
    return float(needed) if needed <= 1 else float("inf")


class ReportSensitive(NamedTuple):
    """The shares of reports of either grade to check, the share of all reports that this is, and the fixed share."""

    high: float
    low: float
    checked: float
    fixed: float


def report_sensitive(
    *, high: float, right_if_high: float, right_if_low: float, loss: float, effort: float
) -> ReportSensitive:
    """How often to check a high and a low grade so that reading pays, with as little work as possible.

    Not reading means always to report one grade. It must not pay for either: with j the probabilities of what a reader
    sees and what is true, x the shares of checks, and k = effort / loss,

        x_high j(low, low) − x_low j(low, high) ≥ k    and    x_low j(high, high) − x_high j(high, low) ≥ k.

    Both are equalities where the work is least.

    Parameters
    ----------
    high: the share of work whose true grade is the high one
    right_if_high, right_if_low: how often a reader sees the true grade
    loss: marks for failing a check
    effort: marks that reading costs

    >>> shares = report_sensitive(high=0.8, right_if_high=0.9, right_if_low=0.9, loss=20, effort=1)
    >>> round(shares.high, 3), round(shares.low, 3), round(shares.checked, 3), round(shares.fixed, 3)
    (0.313, 0.078, 0.252, 0.5)
    """
    _probabilities(high=high, right_if_high=right_if_high, right_if_low=right_if_low)
    if not (loss > 0 and effort > 0):
        raise ModelError(f"loss and effort must be positive, not {loss!r} and {effort!r}")
    high_high, low_high = high * right_if_high, high * (1 - right_if_high)
    low_low, high_low = (1 - high) * right_if_low, (1 - high) * (1 - right_if_low)
    stake, least = effort / loss, min(low_low - low_high, high_high - high_low)
    fixed = stake / least if 0 < stake <= least else np.inf
    determinant = low_low * high_high - low_high * high_low
    if determinant <= 0:
        return ReportSensitive(np.inf, np.inf, np.inf, float(fixed))
    x_high, x_low = stake * (high_high + low_high) / determinant, stake * (low_low + high_low) / determinant
    if max(x_high, x_low) > 1 + 1e-9:
        return ReportSensitive(np.inf, np.inf, np.inf, float(fixed))
    x_high, x_low = min(x_high, 1.0), min(x_low, 1.0)
    checked = x_high * (high_high + high_low) + x_low * (low_low + low_high)
    return ReportSensitive(float(x_high), float(x_low), float(checked), float(fixed))


def share_checked(book: Gradebook) -> float:
    """The share of students' reviews of work that staff graded too, calibrations included."""
    by_student = book.roles[book.review_grader] == STUDENT
    checked = np.zeros(book.n_submissions, dtype=bool)
    checked[book.review_submission[book.is_staff[book.review_grader]]] = True
    return float(checked[book.review_submission[by_student]].mean()) if by_student.any() else 0.0


def _probabilities(**settings: float) -> None:
    for name, value in settings.items():
        if not 0 <= value <= 1:
            raise ModelError(f"{name} is a probability between 0 and 1, not {value!r}")
