"""What a fit found, as the few numbers that one looks at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from peerage.gradebook.book import ROLES, STUDENT
from peerage.inference.posterior import Posterior
from peerage.rubric import Component
from peerage.support.words.wording import counted

SHOWN_GRADERS = 3
"""How many of the most and of the least dependable students are named."""

FAR = 2.0
"""The bias, on the model's scale, beyond which nobody is held up as an example: only a correction makes use of them."""

UNSURE = 0.5
"""The confidence below which a grade counts as unsure."""


@dataclass(frozen=True)
class ComponentSpread:
    """A component's grades before and after, in the rubric's units.

    Attributes
    ----------
    component: the component
    n_compared: how many submissions a student graded on it; all else is about these
    peer_mean, peer_sd: mean and standard deviation, over submissions, of the mean of students' reports
    mean, sd: the same of the expected grades
    n_changed: how many of the grades given round to another legal grade than the mean of students' reports
    """

    component: Component
    n_compared: int
    peer_mean: float
    peer_sd: float
    mean: float
    sd: float
    n_changed: int


@dataclass(frozen=True, eq=False)
class Summary:
    """A fit in a few numbers.

    Attributes
    ----------
    spreads: for each component, its grades before and after
    n_grades: how many grades were estimated
    confidence: the average posterior probability of a most likely grade
    n_unsure: how many most likely grades have one below :data:`UNSURE`
    most_dependable, least_dependable: rows of ``posterior.graders()``
    """

    spreads: tuple[ComponentSpread, ...]
    n_grades: int
    confidence: float
    n_unsure: int
    most_dependable: pd.DataFrame
    least_dependable: pd.DataFrame

    @property
    def n_compared(self) -> int:
        """How many grades can be compared with students' reports."""
        return sum(spread.n_compared for spread in self.spreads)

    @property
    def n_changed(self) -> int:
        """How many of these round to a different grade from the mean of the reports."""
        return sum(spread.n_changed for spread in self.spreads)


def summarise(posterior: Posterior, given: Sequence[float] | None = None) -> Summary:
    """Sum a fit up; the grades given are the most likely ones unless others are."""
    grades = posterior.submissions()
    grades["grade"] = grades["most_likely"] if given is None else given
    spreads = tuple(spread_of(component, grades) for component in posterior.book.rubric.components)
    most, least = _extremes(posterior.graders())
    return Summary(
        spreads=spreads,
        n_grades=len(grades),
        confidence=float(grades["confidence"].mean()),
        n_unsure=int((grades["confidence"] < UNSURE).sum()),
        most_dependable=most,
        least_dependable=least,
    )


def spread_of(component: Component, grades: pd.DataFrame) -> ComponentSpread:
    """A component's spread, from ``posterior.submissions()`` with a column ``grade`` that holds the grades given."""
    compared = grades[(grades["component"] == component.name) & grades["peer_mean"].notna()]
    peers, expected = compared["peer_mean"].to_numpy(), compared["expected"].to_numpy()
    if not len(compared):
        return ComponentSpread(component, 0, np.nan, np.nan, np.nan, np.nan, 0)
    return ComponentSpread(
        component,
        len(compared),
        float(peers.mean()),
        float(peers.std()),
        float(expected.mean()),
        float(expected.std()),
        int((component.level_of(compared["grade"].to_numpy()) != component.level_of(peers)).sum()),
    )


def unreliable_predictions(number: int, reviews: int) -> str:
    """That some reviews could not be left out reliably."""
    share = f"{number:,} of {counted(reviews, 'review')}"
    return f"For {share} this prediction is less exact, because the fit depends a lot on that one review."


def _extremes(graders: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The most dependable students by the lower end of their interval, and the least dependable by the upper end.

    The estimate alone would favour students with few reviews, whose interval is wide. Reliability would favour those
    whose grades are all alike because of a large bias, and tell little. Nobody with a very large bias is among the
    most dependable: such grades are useful only to somebody who corrects them.
    """
    inferred = graders["reliability_lower"] < graders["reliability_upper"]
    students = graders[inferred & (graders["role"] == ROLES[STUDENT])]
    shown = min(SHOWN_GRADERS, len(students) // 2)
    near = students[students["bias"].abs() <= FAR]
    most = near.sort_values("dependability_lower", ascending=False, kind="stable").head(shown)
    least = students.drop(most.index).sort_values("dependability_upper", kind="stable").head(shown)
    return most, least
