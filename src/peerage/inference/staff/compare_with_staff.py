"""The check that counts: what staff graded, estimated from the peers alone, beside the staff's own grades.

For each submission that staff and students graded, the staff's grades are left out, from the draws of the one fit
(:mod:`peerage.inference.staff.peers_alone`). The staff's grades of all other submissions stay: they tell the level.
Errors are of totals in points, each against the mean of the staff who graded the submission.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT
from peerage.inference.fitted import Fitted
from peerage.inference.staff.peers_alone import expected_from_peers
from peerage.support.words.wording import counted

Floats = NDArray[np.float64]

MOST, RESAMPLES = 60, 2000
"""Submissions that are looked at, and bootstrap samples of these."""

FEWEST = 5
"""With fewer submissions, errors say next to nothing."""

_ESTIMATES = ("model", "mean", "median")


class Error(NamedTuple):
    """A root mean squared error in points, with a 90 % interval."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class StaffCheck:
    """How far estimates from the peers alone are from what staff gave.

    Attributes
    ----------
    table: submission, component, staff_mean, and what the peers say of it: model (the expected grade), mean, median
    errors: of the totals of ``model``, ``mean`` and ``median``, in points
    gain: by how much the model's mean squared error lies below that of the better of the other two, and its interval
    n_submissions: how many submissions are compared
    """

    table: pd.DataFrame
    errors: dict[str, Error]
    gain: Error
    n_submissions: int

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``alike`` if the difference may be due to chance."""
        if self.gain.lower <= 0 <= self.gain.upper:
            return "alike"
        return "better" if self.gain.value > 0 else "worse"

    @property
    def sentence(self) -> str:
        """The comparison in words, and what to use if the model does not win.

        What may be due to chance is named: another sentence beside it is about how much more students give than staff.
        """
        model, mean, median = (_in_points(self.errors[name]) for name in _ESTIMATES)
        graded = counted(self.n_submissions, "submission")
        lead = f"On {graded} that staff graded, the estimates from peers alone are off by {model} points"
        ends = {
            "better": "",
            "alike": f" That {self._nearer} may be due to chance.",
            "worse": " On this class, use the peers' plain mean or median instead.",
        }
        return f"{lead}, the plain mean by {mean}, the median by {median}.{ends[self.verdict]}"

    @property
    def _nearer(self) -> str:
        return "the estimates are nearer than both" if self.gain.value > 0 else "one of these is nearer"

    def to_dict(self) -> dict[str, Any]:
        """The errors as plain values, ready for JSON."""
        errors = {name: error._asdict() for name, error in self.errors.items()}
        return {"submissions": self.n_submissions, "verdict": self.verdict, **errors, "gain": self.gain._asdict()}


def _in_points(error: Error) -> str:
    return f"{error.value:.2f} ({error.lower:.2f} to {error.upper:.2f})"


def staff_check(posterior: Fitted) -> StaffCheck | None:
    """Estimate what staff graded from the peers alone; None if there are fewer than five such submissions."""
    book = posterior.book
    by_student = book.roles[book.review_grader] == STUDENT
    by_staff = book.is_staff[book.review_grader]
    both = np.intersect1d(book.review_submission[by_student], book.review_submission[by_staff])
    if len(both) < FEWEST:
        return None
    chosen = both[np.unique(np.linspace(0, len(both) - 1, MOST).round().astype(int))]
    table = pd.DataFrame(_rows(posterior, chosen), columns=["submission", "component", "staff_mean", *_ESTIMATES])
    return _compared(posterior, table)


def _rows(posterior: Fitted, chosen: NDArray[np.integer]) -> Iterator[tuple[Any, ...]]:
    """The row of each component that both staff and students graded."""
    book, estimates = posterior.book, expected_from_peers(posterior, chosen)
    for submission, expected in zip(chosen, estimates, strict=True):
        reviews = np.flatnonzero(book.review_submission == submission)
        grader = book.review_grader[reviews]
        for component, values, estimate in zip(book.rubric.names, book.values[reviews].T, expected, strict=True):
            graded = ~np.isnan(values)
            by_staff = values[graded & book.is_staff[grader]]
            given = values[graded & (book.roles[grader] == STUDENT)]
            if len(by_staff) and len(given):
                name = book.submissions[submission]
                yield name, component, by_staff.mean(), estimate, given.mean(), np.median(given)


def _compared(posterior: Fitted, table: pd.DataFrame) -> StaffCheck | None:
    """The errors of totals over those components that staff and students graded."""
    worth = {part.name: part for part in posterior.book.rubric.components}
    points = table.copy()
    for name, rows in table.groupby("component").groups.items():
        part = worth[str(name)]
        for column in ("staff_mean", *_ESTIMATES):
            points.loc[rows, column] = np.interp(table.loc[rows, column], part.values, part.worth)
    totals = points.groupby("submission", sort=False)[["staff_mean", *_ESTIMATES]].sum()
    if len(totals) < FEWEST:
        return None
    squares = {name: (totals[name] - totals["staff_mean"]).to_numpy() ** 2 for name in _ESTIMATES}
    place = np.random.default_rng(0).integers(len(totals), size=(RESAMPLES, len(totals)))
    drawn = {name: values[place].mean(axis=1) for name, values in squares.items()}
    errors = {name: _error(np.sqrt(values.mean()), np.sqrt(drawn[name])) for name, values in squares.items()}
    best = min(("mean", "median"), key=lambda name: float(squares[name].mean()))
    gain = _error(float((squares[best] - squares["model"]).mean()), drawn[best] - drawn["model"])
    return StaffCheck(table, errors, gain, len(totals))


def _error(value: float, drawn: Floats) -> Error:
    lower, upper = np.quantile(drawn, [0.05, 0.95])
    return Error(float(value), float(lower), float(upper))
