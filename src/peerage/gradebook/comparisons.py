"""Comparisons: judges who say which of two submissions is better, instead of grading each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.rubric import Rubric

QUALITY = Rubric.uniform(["quality"], (0.0, 1.0))
"""What is compared: one component, which has an order and no grades."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Who found which submission better than which.

    Attributes
    ----------
    submissions, graders: ids, in the order of the file; graders are the judges
    judge: (comparisons,) index into ``graders``
    winner, loser: (comparisons,) indexes into ``submissions``
    notices: what was taken for the same when they were read
    """

    submissions: tuple[str, ...]
    graders: tuple[str, ...]
    judge: NDArray[np.int64]
    winner: NDArray[np.int64]
    loser: NDArray[np.int64]
    notices: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.judge):
            raise InputError("there is no comparison")
        if (self.winner == self.loser).any():
            raise InputError("a submission is compared with itself")

    @property
    def n_submissions(self) -> int:
        """How many submissions there are."""
        return len(self.submissions)

    @property
    def rubric(self) -> Rubric:
        """One component without grades."""
        return QUALITY

    @property
    def assignments(self) -> tuple[str, ...]:
        """All submissions belong together."""
        return ("",) * self.n_submissions

    @cached_property
    def applicable(self) -> NDArray[np.bool_]:
        """(submissions, 1) every submission can be compared."""
        return np.ones((self.n_submissions, 1), bool)

    def __repr__(self) -> str:
        return f"Comparisons({len(self.judge):,} of {self.n_submissions:,} submissions by {len(self.graders):,} judges)"
