"""What is subtracted from the reports before they are averaged.

*Bias* subtracts each grader's own estimated bias. *Level* subtracts the same amount from all students' reports: what
they give more than staff would, where staff graded a part of the work. *None* leaves the reports as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from peerage.decisions.explain.weight_problem import Integers
from peerage.decisions.posterior_needs import biases_in_reviews, excess_over_staff
from peerage.errors import ModelError
from peerage.gradebook.book import STUDENT
from peerage.inference.posterior import Posterior

Correction = Literal["none", "bias", "level"]
CORRECTIONS: tuple[Correction, ...] = ("none", "bias", "level")


@dataclass(frozen=True, eq=False)
class Subtracted:
    """What is subtracted from each review's reports, in whole tenths on the model's scale.

    Attributes
    ----------
    correction: why it is
    tenths: (reviews,) how much
    excess: how much more students give than staff, in tenths, if the reports are moved to the level of staff
    """

    correction: Correction
    tenths: Integers
    excess: int = 0

    @classmethod
    def of(cls, posterior: Posterior, correction: Correction) -> Subtracted:
        """The amounts by a posterior."""
        book = posterior.book
        if correction == "bias":
            return cls(correction, np.rint(10 * biases_in_reviews(posterior)).astype(np.int64))
        excess = round(10 * excess_over_staff(posterior)) if correction == "level" else 0
        return cls(correction, np.where(book.roles[book.review_grader] == STUDENT, excess, 0), excess)

    @property
    def settings(self) -> dict[str, Any]:
        """What a record of the explanations says of it."""
        return {"correction": self.correction, "excess_over_staff": self.excess / 10}


def checked(correction: Correction, adjust_bias: bool, form: str) -> Correction:
    """The correction that is asked for, in either way; ``adjust_bias`` asks for "bias"."""
    if correction not in CORRECTIONS:
        raise ModelError(f"the corrections of reports are {', '.join(CORRECTIONS)}, not {correction!r}")
    if adjust_bias and correction not in ("none", "bias"):
        raise ModelError(f"adjust_bias asks for the correction 'bias', not for {correction!r}; ask for one of the two")
    if correction == "level" and form != "average":
        raise ModelError(f"only averages can be moved to the level of staff, not the form {form!r}; use form='average'")
    return "bias" if adjust_bias else correction
