"""What a simulated class really was: the values that a fit tries to find."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import ROLES, Gradebook
from peerage.model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Truth:
    """The values behind a simulated gradebook, in the order of its ids.

    Attributes
    ----------
    book: the gradebook whose truth this is
    model: the model and the hyperparameters that it was drawn from
    true_grade: (submissions, components) latent true grades in the rubric's units; they may lie beyond its ends
    reliability, bias, effort: (graders,) on the scale of 0 to 5; with correlation, reliability is τ/λ
    effortful: (reviews,) whether the review was made with effort
    drift: (graders, assignments) how far a bias is from its mean in each assignment, in the order of the gradebook
    """

    book: Gradebook
    model: Model
    true_grade: Floats
    reliability: Floats
    bias: Floats
    effort: Floats
    effortful: NDArray[np.bool_]
    drift: Floats

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def true_grades(self) -> pd.DataFrame:
        """A row per submission and component: the latent true grade, and the rubric grade nearest to it."""
        book = self.book
        names = np.array(book.rubric.names, dtype=object)
        rounded = [
            component.values[component.level_of(self.true_grade[:, index])]
            for index, component in enumerate(book.rubric.components)
        ]
        return pd.DataFrame(
            {
                "submission": np.repeat(np.array(book.submissions, dtype=object), len(names)),
                "component": np.tile(names, book.n_submissions),
                "true_grade": self.true_grade.ravel(),
                "rounded": np.stack(rounded, axis=1).ravel(),
            }
        )

    def graders(self) -> pd.DataFrame:
        """A row per grader: grader, role, reliability, bias, effort."""
        return pd.DataFrame(
            {
                "grader": np.array(self.book.graders, dtype=object),
                "role": np.array(ROLES, dtype=object)[self.book.roles],
                "reliability": self.reliability,
                "bias": self.bias,
                "effort": self.effort,
            }
        )

    def biases(self) -> pd.DataFrame:
        """A row per grader and assignment: the bias there."""
        names = tuple(dict.fromkeys(self.book.assignments))
        return pd.DataFrame(
            {
                "grader": np.repeat(np.array(self.book.graders, dtype=object), len(names)),
                "assignment": np.tile(np.array(names, dtype=object), self.book.n_graders),
                "bias": (self.bias[:, None] + self.drift).ravel(),
            }
        )

    def __repr__(self) -> str:
        return f"Truth({self.book.n_submissions:,} submissions and {self.book.n_graders:,} graders; {self.model.name})"
