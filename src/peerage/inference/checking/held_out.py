"""Does the model beat the mean on this class? Predictions of held-out peer grades, from the data alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, STUDENT, Gradebook

Floats = NDArray[np.float64]

_CERTAIN = 2.0
"""How many standard errors a difference must have before it is called one."""


@dataclass(frozen=True)
class HeldOut:
    """How well held-out peer grades are predicted: root mean squared errors on the model's 0–5 scale.

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


def scaled_values(book: Gradebook) -> Floats:
    """(reviews, components) the reported grades on the model's scale, NaN where missing."""
    values = np.full(book.levels.shape, np.nan)
    for index, component in enumerate(book.rubric.components):
        graded = book.levels[:, index] != MISSING
        values[graded, index] = component.scaled[book.levels[graded, index]]
    return values


def mean_and_median_of_others(book: Gradebook, known: NDArray[np.bool_]) -> dict[str, Floats]:
    """(reviews, components) for each review, what the other known reviews of its submission say; NaN if none does."""
    values = scaled_values(book)
    columns = [_of_others(book.review_submission, column, known) for column in values.T]
    return {name: np.stack([column[name] for column in columns], axis=1) for name in ("mean", "median")}


def _of_others(owner: NDArray[np.int32], values: Floats, known: NDArray[np.bool_]) -> dict[str, Floats]:
    """(reviews,) the mean and the median of the other known grades of the same submission."""
    mine = known & ~np.isnan(values)
    rows = np.flatnonzero(mine)
    rows = rows[np.lexsort((values[rows], owner[rows]))]
    counts = np.bincount(owner[rows], minlength=int(owner.max()) + 1)
    starts = np.cumsum(counts) - counts
    sums = np.bincount(owner[rows], values[rows], minlength=len(counts))
    rank = np.full(len(values), len(values))
    rank[rows] = np.arange(len(rows)) - starts[owner[rows]]
    n_others = counts[owner] - mine
    known_others = n_others > 0
    n_others = np.maximum(n_others, 1)

    ordered = np.append(values[rows], np.nan)

    def nth(place: NDArray[np.int64]) -> Floats:
        """The value at a place in the order of the others."""
        return np.asarray(ordered[np.minimum(starts[owner] + place + (place >= rank), len(rows))])

    mean = (sums[owner] - np.where(mine, values, 0.0)) / n_others
    median = (nth((n_others - 1) // 2) + nth(n_others // 2)) / 2
    return {"mean": np.where(known_others, mean, np.nan), "median": np.where(known_others, median, np.nan)}
