"""Options of ``peerage fit`` about what is made of the posterior."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import credit_options, panels

if TYPE_CHECKING:
    from peerage.decisions.choices import DecisionChoices


class Final(StrEnum):
    """Which grades the class is given."""

    AVERAGE = "average"
    EXPLAINED = "explained"
    MOST_LIKELY = "most-likely"
    MEAN = "mean"


FinalOption = Annotated[
    Final,
    typer.Option(
        "--final",
        help="The form of final grades: weighted averages of the reports; the same, rounded to legal grades "
        "(explained); the most likely grades; or plain means.",
    ),
]
AdjustBias = Annotated[
    bool,
    typer.Option(
        "--adjust-bias",
        help="Subtract graders' biases from their reports before averaging.",
        rich_help_panel=panels.DECISIONS,
    ),
]
NameGraders = Annotated[
    bool, typer.Option("--name-graders", help="Name the graders in explanations.csv.", rich_help_panel=panels.DECISIONS)
]
Decimals = Annotated[
    int,
    typer.Option(min=0, max=6, help="How many decimals averages and means have.", rich_help_panel=panels.DECISIONS),
]
StaffFinal = Annotated[
    bool,
    typer.Option(
        "--staff-final/--no-staff-final",
        help="Whether staff's grades are final, or are averaged with the students'.",
        rich_help_panel=panels.DECISIONS,
    ),
]
StaffLevel = Annotated[
    bool | None,
    typer.Option(
        "--staff-level/--no-staff-level",
        help="Whether averages of students' reports are moved to the level of staff, by the same amount for everybody; "
        "by default, where the two differ by 0.2 of 5 or more.",
        rich_help_panel=panels.DECISIONS,
    ),
]
SpotChecks = Annotated[int, typer.Option(min=0, help="How many submissions to propose to staff for a check.")]
RandomShare = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="The share of spot checks that is chosen at random.", rich_help_panel=panels.DECISIONS
    ),
]


@dataclass(frozen=True)
class DecisionOptions:
    """Which grades to give, what to check, and how to mark peer grading."""

    final: FinalOption = Final.AVERAGE
    spot_checks: SpotChecks = 20
    required_reviews: credit_options.RequiredReviews = "0"
    decimals: Decimals = 1
    staff_final: StaffFinal = True
    staff_level: StaffLevel = None
    adjust_bias: AdjustBias = False
    name_graders: NameGraders = False
    random_share: RandomShare = 0.1
    credit_scale: credit_options.ScaleOption = credit_options.SCALE
    completion: credit_options.CompletionPart = 0.5
    sceptical: credit_options.Sceptical = False
    minimum_reviews: credit_options.MinimumReviews = 3

    def choices(self) -> DecisionChoices:
        """The same, as the library takes it."""
        from peerage.decisions.choices import DecisionChoices

        return DecisionChoices.from_dict(asdict(self) | {"final": self.final.value})
