"""Claims about a study, and how its table decides whether they hold, so that no verdict is written by hand.

::

    Claim("MAE 0.52 with one grader", Measured(At("true_grade_mae", "graders", 1), Rounded(0.52)))

A claim is judged for each class by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import pandas as pd

from peerage_studies.estimates import Estimate, estimate
from peerage_studies.quantities import Criterion, NotMeasuredError, Quantity

PERCENT = 100


@dataclass(frozen=True)
class Finding:
    """What was measured in one class, in words, and whether the claim holds there; None if that is undecided."""

    measured: str
    holds: bool | None


class Judge(Protocol):
    """Decides a claim for one class."""

    def __call__(self, rows: pd.DataFrame) -> Finding:
        """The finding from the rows of one class; :class:`NotMeasuredError` if they lack what is needed."""
        ...


@dataclass(frozen=True)
class Measured:
    """A quantity that meets a criterion; it takes two replicates to tell.

    ``decimals`` are those of the quantity, and so two more than those of a percentage.
    """

    quantity: Quantity
    criterion: Criterion
    percent: bool = False
    decimals: int = 3

    def __call__(self, rows: pd.DataFrame) -> Finding:
        """See :class:`Judge`."""
        found = estimate(self.quantity(rows))
        if found.replicates < 2:
            raise NotMeasuredError
        return Finding(self._in_words(found), self.criterion(found))

    def _in_words(self, found: Estimate) -> str:
        if not self.percent:
            return in_words(found.mean, found.half, self.decimals)
        return in_words(found.mean * PERCENT, found.half * PERCENT, self.decimals - 2) + " %"


@dataclass(frozen=True)
class Claim:
    """A statement about the results of a study, and how it is judged.

    Parameters
    ----------
    says: the statement
    judge: what decides it for a class
    classes: the classes that it is about
    everywhere: whether it has to hold in all of these; where the paper shows one class without saying which, in one
    why: the likely reason, should it not hold; for single classes, or for all
    ours: whether it is our own expectation and not the paper's statement
    """

    says: str
    judge: Judge
    classes: str = "abc"
    everywhere: bool = True
    why: str | Mapping[str, str] = ""
    ours: bool = False

    def decide(self, table: pd.DataFrame) -> Verdict:
        """Judge the claim for each class in a study's table."""
        findings = {}
        for name in self.classes:
            rows = table[table["class"] == name]
            try:
                findings[name] = self.judge(rows)
            except NotMeasuredError:
                continue
        return Verdict(self, findings)


@dataclass(frozen=True)
class Verdict:
    """A claim and what was found about it in each class."""

    claim: Claim
    findings: Mapping[str, Finding]

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds; None if that is undecided."""
        found = [finding.holds for finding in self.findings.values()]
        if not self.claim.everywhere:
            return True if True in found else None if None in found or not found else False
        return False if False in found else None if None in found or not found else True

    def classes(self, holds: bool | None) -> list[str]:
        """The classes in which it holds, in which it does not, or in which that is undecided."""
        return [name for name, finding in self.findings.items() if finding.holds is holds]

    @property
    def why(self) -> str:
        """The likely reason why it does not hold; nothing if it does."""
        why = self.claim.why
        if self.holds is True or not self.findings:
            return ""
        if isinstance(why, str):
            return why
        return " ".join(dict.fromkeys(why[name] for name in self.classes(False) + self.classes(None) if name in why))


def in_words(mean: float, half: float, decimals: int = 3) -> str:
    """A mean and half of its interval.

    >>> in_words(0.5214, 0.0042), in_words(0.5, float("nan"))
    ('0.521 ± 0.004', '0.500')
    """
    # The sum does away with the sign of zero.
    words = f"{round(mean, decimals) + 0.0:.{decimals}f}".replace("-", "−")
    return words if half != half else f"{words} ± {half:.{decimals}f}"
