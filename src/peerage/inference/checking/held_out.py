"""Does the model beat the mean on this class? Predictions of held-out peer grades, from the data alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT, Gradebook
from peerage.gradebook.report_means import mean_and_median_of_others, scaled_values

Floats = NDArray[np.float64]

_CERTAIN = 2.0
"""How many standard errors a difference must have before it is called one."""


@dataclass(frozen=True)
class HeldOut:
    """How well held-out peer grades are predicted: root mean squared errors on the scale of 0 to 5.

    Attributes
    ----------
    model, mean, median: of the model, and of the mean and the median of the submission's other graders
    difference, difference_se: how much the model's mean squared error lies below the better of the two, and its
        standard error, from sums by submission
    n_grades: how many grades were predicted
    """

    model: float
    mean: float
    median: float
    difference: float
    difference_se: float
    n_grades: int

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``alike`` if the difference may be due to chance."""
        if abs(self.difference) <= _CERTAIN * self.difference_se:
            return "alike"
        return "better" if self.difference > 0 else "worse"

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        figures = f"{self.model:.2f} (the mean of the other graders: {self.mean:.2f}, their median: {self.median:.2f})"
        lead = f"A held-out peer grade is predicted with an error of {figures}"
        ends = {
            "better": "the model is better than both",
            "alike": "the difference may be due to chance: on this class the model does not beat the mean",
            "worse": "the model does NOT beat the mean on this class",
        }
        return f"{lead}; {ends[self.verdict]}."


def held_out(book: Gradebook, predicted: Floats) -> HeldOut | None:
    """Compare predictions (reviews, components), on the model's scale, with the other graders' mean and median.

    None if no peer grade has another beside it.
    """
    values = scaled_values(book)
    others = mean_and_median_of_others(book, np.ones(book.n_reviews, bool))
    is_peer = (book.roles[book.review_grader] == STUDENT)[:, None]
    scored = is_peer & ~np.isnan(values) & ~np.isnan(others["mean"]) & ~np.isnan(predicted)
    if not scored.any():
        return None
    squares = {name: (guess - values)[scored] ** 2 for name, guess in (others | {"model": predicted}).items()}
    best = min(("mean", "median"), key=lambda name: float(squares[name].mean()))
    gain = squares[best] - squares["model"]
    owner = np.broadcast_to(book.review_submission[:, None], scored.shape)[scored]
    centred = np.bincount(owner, gain - gain.mean())
    error = np.sqrt((centred**2).sum()) / len(gain)
    errors = {name: float(np.sqrt(values.mean())) for name, values in squares.items()}
    return HeldOut(**errors, difference=float(gain.mean()), difference_se=float(error), n_grades=len(gain))
