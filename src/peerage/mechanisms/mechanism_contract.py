"""What every mechanism is: a name, its source, what it needs, and payments from a gradebook.

Most mechanisms score a report by comparing it with others on the same task; they are :class:`TaskMechanism`, and state
only that comparison. A grader's payment for an assignment is the mean score of the grader's reports: over components,
and over submissions. Staff are neither paid nor compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.mechanisms.task_reports import Floats, TaskReports, reports_of

Payments = pd.DataFrame
"""grader, assignment, payment; a grader of whom a mechanism can say nothing has no payment (NaN)."""

Score = Callable[[TaskReports, np.random.Generator], Floats]


class Mechanism(Protocol):
    """A way to pay graders.

    Attributes
    ----------
    name: as the command line takes it
    citation: whose it is
    needs: what a class must have, in a few words
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def citation(self) -> str: ...  # noqa: D102

    @property
    def needs(self) -> str: ...  # noqa: D102

    def pay(self, book: Gradebook, *, seed: int) -> Payments:
        """What each student earns in each assignment."""


@dataclass(frozen=True)
class TaskMechanism:
    """A mechanism that scores the reports of one component in one assignment; NaN where it cannot."""

    name: str
    citation: str
    needs: str
    score: Score

    def pay(self, book: Gradebook, *, seed: int) -> Payments:
        """What each student earns in each assignment: the mean score of the reports made in it."""
        rng = np.random.default_rng(seed)
        names = list(dict.fromkeys(book.assignments))
        sums, counts, present = np.zeros((3, len(names), book.n_graders))
        for reports in reports_of(book):
            place, scores = names.index(reports.assignment), self.score(reports, rng)
            known = ~np.isnan(scores)
            sums[place] += np.bincount(reports.grader[known], scores[known], book.n_graders)
            counts[place] += np.bincount(reports.grader[known], minlength=book.n_graders)
            present[place, reports.grader] = 1
        if not counts.any():
            raise InputError(Problem(f"{self.name} can pay nobody in this class", f"it needs {self.needs}"))
        row, grader = np.nonzero(present)
        number = counts[row, grader]
        return payments(
            np.array(book.graders, dtype=object)[grader],
            np.array(names, dtype=object)[row],
            np.where(number > 0, sums[row, grader] / np.maximum(number, 1), np.nan),
        )


def payments(grader: object, assignment: object, payment: object) -> Payments:
    """A table of payments."""
    return pd.DataFrame({"grader": grader, "assignment": assignment, "payment": payment})
