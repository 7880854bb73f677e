"""The graders, as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerage.gradebook import ROLES, STUDENT
from peerage.report.fitted import Fitted, numbers

LOW_EFFORT = 0.5
"""A student who makes an effort in less than this share of reviews needs attention."""


@dataclass(frozen=True)
class Estimate:
    """A quantity and its 90 % interval."""

    value: float
    lower: float
    upper: float

    @property
    def is_fixed(self) -> bool:
        """Whether it was set and not estimated."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Grader:
    """A row of ``graders.csv``; ``credit`` is None in results without marks for grading."""

    name: str
    role: str
    n_graded: int
    reliability: Estimate
    bias: Estimate
    effort: Estimate
    dependability: Estimate
    credit: str | None

    def estimate(self, variable: str) -> Estimate:
        """One of the four quantities, by name."""
        found = getattr(self, variable)
        assert isinstance(found, Estimate)
        return found

    @property
    def words(self) -> str:
        """The grader in a line."""
        return (
            f"{self.name} ({self.role}): reliability {self.reliability.value:.2f}, bias {self.bias.value:+.2f}, "
            f"effort {self.effort.value:.0%}, {self.n_graded} graded"
        )


def graders_of(fitted: Fitted) -> tuple[Grader, ...]:
    """All graders, in the order of the file."""
    table = fitted.tables["graders.csv"]
    reliability, bias, effort, dependability = (
        [Estimate(*row) for row in zip(*(numbers(table, name + end) for end in ("", "_lower", "_upper")), strict=True)]
        for name in ("reliability", "bias", "effort", "dependability")
    )
    counts = [int(count) for count in table["n_graded"]]
    marks = list(table["credit"]) if "credit" in table else [None] * len(table)
    rows = zip(table["grader"], table["role"], counts, reliability, bias, effort, dependability, marks, strict=True)
    return tuple(Grader(*row) for row in rows)


def of_low_effort(graders: Sequence[Grader]) -> tuple[Grader, ...]:
    """Students who more often than not make no effort, the worst first."""
    low = (grader for grader in graders if grader.role == ROLES[STUDENT] and grader.effort.value < LOW_EFFORT)
    return tuple(sorted(low, key=lambda grader: grader.effort.value))
