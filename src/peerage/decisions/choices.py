"""What a class chose to do with its posterior; ``run.json`` keeps it, so that later results are made alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from peerage.decisions.credit import MINIMUM_REVIEWS, CreditScale, credit
from peerage.decisions.explain.explanation import Explanation, explain
from peerage.decisions.spotchecks.proposals import BUDGET, RANDOM_SHARE, check_request, spot_checks
from peerage.errors import ModelError
from peerage.inference.posterior import Posterior
from peerage.support.whole_numbers import at_least

FINAL = ("explained", "most-likely")
"""What the final grades can be."""


@dataclass(frozen=True)
class DecisionChoices:
    """Which grades to give, what to check, and how to mark peer grading.

    Attributes
    ----------
    final: ``explained`` or ``most-likely``
    adjust_bias, name_graders, staff_final: as :func:`~peerage.decisions.explain.explanation.explain` takes them
    spot_checks, random_share: how many submissions to propose to staff, and the share of them chosen at random
    credit_scale, required_reviews, minimum_reviews: as :func:`~peerage.decisions.credit.credit` takes them
    """

    final: str = "explained"
    adjust_bias: bool = False
    name_graders: bool = False
    staff_final: bool = False
    spot_checks: int = BUDGET
    random_share: float = RANDOM_SHARE
    credit_scale: CreditScale = field(default_factory=CreditScale)
    required_reviews: int = 0
    minimum_reviews: int = MINIMUM_REVIEWS

    def __post_init__(self) -> None:
        if self.final not in FINAL:
            raise ModelError(f"final grades are {' or '.join(FINAL)}, not {self.final!r}")
        if self.final != "explained" and (self.adjust_bias or self.name_graders or self.staff_final):
            what = "only explained grades can be adjusted for bias, name graders or be left to staff"
            raise ModelError(f"{what}; ask for explained grades", setting="final")
        check_request(self.spot_checks, self.random_share)
        at_least(0, required_reviews=self.required_reviews)
        at_least(0, minimum_reviews=self.minimum_reviews)

    def explain(self, posterior: Posterior) -> Explanation | None:
        """The explained grades, if that is what the class wants."""
        if self.final != "explained":
            return None
        return explain(
            posterior, adjust_bias=self.adjust_bias, name_graders=self.name_graders, staff_final=self.staff_final
        )

    def propose(self, posterior: Posterior) -> pd.DataFrame:
        """The submissions for staff to check."""
        return spot_checks(posterior, self.spot_checks, random_share=self.random_share, seed=posterior.seed)

    def credit(self, posterior: Posterior) -> pd.DataFrame:
        """The marks for peer grading."""
        return credit(
            posterior,
            self.credit_scale,
            required_reviews=self.required_reviews,
            minimum_reviews=self.minimum_reviews,
        )

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values, ready for JSON."""
        return asdict(self) | {"credit_scale": str(self.credit_scale)}

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> DecisionChoices:
        """Build from what :meth:`to_dict` gives."""
        unknown = sorted(set(entries) - {entry.name for entry in fields(cls)})
        if unknown:
            raise ModelError(f"there is no choice {unknown[0]!r}")
        scale = {"credit_scale": CreditScale.parse(entries["credit_scale"])} if "credit_scale" in entries else {}
        return cls(**{**entries, **scale})
