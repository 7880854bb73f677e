"""What a class chose to do with its posterior; ``run.json`` keeps it, so that later results are made alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, cast

import pandas as pd

from peerage.decisions.credit_marks import COMPLETION, MINIMUM_REVIEWS, CreditScale, check_completion, credit
from peerage.decisions.explain.corrections import Correction
from peerage.decisions.explain.explanation import DECIMALS, Explanation, explain
from peerage.decisions.explain.kept_weights import KeptWeights
from peerage.decisions.explain.weigh_reports import Form
from peerage.decisions.required_reviews import RequiredReviews
from peerage.decisions.spotchecks.spotcheck_ranking import BUDGET, RANDOM_SHARE, check_request, spot_checks
from peerage.decisions.staff_grades import contradict_students
from peerage.errors import ModelError
from peerage.inference.posterior import Posterior
from peerage.support.files.json_shapes import Maybe
from peerage.support.words.whole_numbers import at_least

CHOICES_SHAPE = {
    **{name: Maybe(bool) for name in ("staff_final", "staff_level", "adjust_bias", "name_graders", "sceptical")},
    **{name: Maybe(int) for name in ("decimals", "spot_checks", "minimum_reviews")},
    **{name: Maybe((int, float)) for name in ("random_share", "completion")},
    **{name: Maybe(str) for name in ("final", "credit_scale")},
    "required_reviews": Maybe((int, str)),
}
"""What :meth:`DecisionChoices.to_dict` gives, as a document of types."""

FINAL = ("average", "explained", "most-likely", "mean")
"""What the final grades can be, the default first."""


@dataclass(frozen=True)
class DecisionChoices:
    """Which grades to give, what to check, and how to mark peer grading.

    Attributes
    ----------
    final: ``average``, ``explained`` or ``mean``, which are made of the reports, or ``most-likely``
    decimals: with how many decimals an average or a mean is given
    staff_final: whether staff's grades stand where they graded
    staff_level: whether averages of students' reports are moved to the level of staff; None: where staff
        contradict the students' level
    adjust_bias: whether graders' estimated biases are subtracted from their reports
    name_graders: as :func:`~peerage.decisions.explain.explanation.explain` takes it
    spot_checks, random_share: how many submissions to propose to staff, and the share of them chosen at random
    credit_scale, completion, sceptical, required_reviews, minimum_reviews: as
        :func:`~peerage.decisions.credit_marks.credit` takes them
    """

    final: str = "average"
    decimals: int = DECIMALS
    staff_final: bool = True
    staff_level: bool | None = None
    adjust_bias: bool = False
    name_graders: bool = False
    spot_checks: int = BUDGET
    random_share: float = RANDOM_SHARE
    credit_scale: CreditScale = field(default_factory=CreditScale)
    completion: float = COMPLETION
    sceptical: bool = False
    required_reviews: int | str = 0
    minimum_reviews: int = MINIMUM_REVIEWS

    def __post_init__(self) -> None:
        if self.final not in FINAL:
            raise ModelError(f"final grades are {', '.join(FINAL)}, not {self.final!r}")
        if self.final == "most-likely" and (self.adjust_bias or self.name_graders):
            raise ModelError(
                "only grades that are made of the reports can be adjusted for bias or name graders; "
                "ask for other final grades than the most likely ones",
                setting="final",
            )
        if self.staff_level and (self.final != "average" or self.adjust_bias):
            raise ModelError(
                "only averages can be moved to the level of staff, and not where graders' biases are subtracted; "
                "ask for averages as final grades, or leave the level as it is",
                setting="final",
            )
        check_request(self.spot_checks, self.random_share)
        object.__setattr__(self, "required_reviews", RequiredReviews.parse(self.required_reviews).plain)
        at_least(0, minimum_reviews=self.minimum_reviews)
        check_completion(self.completion)

    def explain(self, posterior: Posterior, kept: KeptWeights | None = None) -> Explanation | None:
        """How the grades follow from the reports, if they do; ``kept`` weights stay."""
        if self.final == "most-likely":
            return None
        return explain(
            posterior,
            form=cast(Form, self.final),
            decimals=self.decimals,
            correction=self._correction(posterior),
            name_graders=self.name_graders,
            staff_final=self.staff_final,
            kept=kept,
        )

    def _correction(self, posterior: Posterior) -> Correction:
        if self.adjust_bias:
            return "bias"
        if self.staff_level is None:
            return "level" if self.final == "average" and contradict_students(posterior) else "none"
        return "level" if self.staff_level else "none"

    def propose(self, posterior: Posterior) -> pd.DataFrame:
        """The submissions for staff to check."""
        return spot_checks(posterior, self.spot_checks, random_share=self.random_share, seed=posterior.seed)

    def credit(self, posterior: Posterior) -> pd.DataFrame:
        """The marks for peer grading."""
        return credit(
            posterior,
            self.credit_scale,
            completion=self.completion,
            sceptical=self.sceptical,
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
