"""How weights may differ from those that graders deserve, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.errors import ModelError

PENALTIES = {"explained": 0.01, "average": 0.03, "mean": 0.0}
"""The paper's P; for averages, what moves little weight and costs little error (benchmarks/study_final.py)."""


@dataclass(frozen=True)
class Weighting:
    """How far weights may be from the desired ones. The defaults are the paper's.

    Attributes
    ----------
    largest_shift: how much a weight may differ from the desired one (the paper's S); explained grades only
    least_weight: what a weight is at least, unless it is zero (T); explained grades only
    penalty: what a difference from the desired weights costs: in probability of a grade (P), or, for an average, in
        squared distance from the expected grade; by default, what suits the form of grades
    """

    largest_shift: float = 0.09
    least_weight: float = 0.1
    penalty: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not 0 <= value <= 1:
                raise ModelError(f"{name} must lie between 0 and 1, not {value}")

    def price(self, form: str) -> float:
        """The penalty for grades of a form."""
        return PENALTIES[form] if self.penalty is None else self.penalty
