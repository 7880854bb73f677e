"""The graders, as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from peerage.decisions.trust import PRACTICE
from peerage.gradebook.book import ROLE_WORDS, ROLES, STUDENT
from peerage.report.report_source import ReportSource
from peerage.results.schema import GRADERS

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
    """A grader, as the results have it.

    ``standing`` says whether the grader may grade alone; ``credit`` is the mark for grading, and ``credit_note`` says
    why there is none. Results without such columns have neither.
    """

    name: str
    role: str
    n_graded: int
    reliability: Estimate
    bias: Estimate
    effort: Estimate
    dependability: Estimate
    standing: str
    credit: float | None
    credit_note: str

    def estimate(self, variable: str) -> Estimate:
        """One of the four quantities, by name."""
        found = getattr(self, variable)
        assert isinstance(found, Estimate)
        return found

    @property
    def role_words(self) -> str:
        """The role as people write it."""
        return ROLE_WORDS[self.role]

    @property
    def words(self) -> str:
        """The grader in a line."""
        return (
            f"{self.name} ({self.role_words}): reliability {self.reliability.value:.2f}, bias {self.bias.value:+.2f}, "
            f"effort {self.effort.value:.0%}, {self.n_graded} graded"
        )


def graders_of(source: ReportSource) -> tuple[Grader, ...]:
    """All graders, in the order of the file."""
    table = source.results.tables[GRADERS]
    absent = [""] * len(table)
    credit = table["credit"].tolist() if "credit" in table else [math.nan] * len(table)
    rows = zip(
        *(table["grader"], table["role"], map(int, table["n_graded"])),
        *(_estimates(table, name) for name in ("reliability", "bias", "effort", "dependability")),
        *(table.get("standing", absent), (None if math.isnan(mark) else mark for mark in credit)),
        table.get("credit_note", absent),
        strict=True,
    )
    return tuple(Grader(*row) for row in rows)


def _estimates(table: pd.DataFrame, name: str) -> list[Estimate]:
    columns = (table[name + end].tolist() for end in ("", "_lower", "_upper"))
    return [Estimate(*row) for row in zip(*columns, strict=True)]


def of_low_effort(graders: Sequence[Grader]) -> tuple[Grader, ...]:
    """Students who more often than not make no effort, the worst first."""
    low = (grader for grader in graders if grader.role == ROLES[STUDENT] and grader.effort.value < LOW_EFFORT)
    return tuple(sorted(low, key=lambda grader: grader.effort.value))


def in_need_of_practice(graders: Sequence[Grader]) -> tuple[Grader, ...]:
    """Students whose grades are poor even by an optimistic estimate, the worst first."""
    poor = (grader for grader in graders if grader.standing == PRACTICE)
    return tuple(sorted(poor, key=lambda grader: grader.dependability.value))
