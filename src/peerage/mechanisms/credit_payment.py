"""Peerage's own: the estimate on which marks for peer grading rest (:mod:`peerage.decisions.credit_marks`).

It is the median of what is believed about a student's dependability, before a scale turns it into a mark for quality.
It rests on all grades of the course at once, staff's included, so that there is one payment for each student.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peerage.decisions.credit_marks import credit
from peerage.gradebook.book import Gradebook
from peerage.inference.fitting import fit
from peerage.mechanisms.mechanism_contract import Payments, payments


@dataclass(frozen=True)
class Credit:
    """Marks' estimates from a fit with learned priors, of so many chains and draws (as many as it takes, if None)."""

    chains: int = 4
    draws: int | None = None

    name = "credit"
    citation = "Peerage"
    needs = "several reviews of a submission and of a grader"

    def pay(self, book: Gradebook, *, seed: int) -> Payments:
        """What each student earns in the whole course."""
        marks = credit(fit(book, chains=self.chains, draws=self.draws, seed=seed), minimum_reviews=0)
        return payments(marks["grader"].to_numpy(), np.full(len(marks), "", dtype=object), marks["estimate"].to_numpy())
