"""What the staff decide about single reviews and grades: reviews that do not count, and grades that are set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from peerage.rubric import tidy


@dataclass(frozen=True)
class Exclusion:
    """Reviews that do not count: all by a grader, all of a submission, or a grader's of a submission.

    An empty ``grader`` or ``submission`` stands for any; ``n_reviews`` is how many reviews were left out for it.
    """

    grader: str
    submission: str
    reason: str
    n_reviews: int = 0

    def covers(self, submission: str, grader: str) -> bool:
        """Whether a review is excluded."""
        return self.grader in ("", grader) and self.submission in ("", submission)

    @property
    def what(self) -> str:
        """Which reviews these are, in words."""
        by = f" by {self.grader!r}" if self.grader else ""
        of = f" of {self.submission!r}" if self.submission else ""
        return f"{'the review' if by and of else 'all reviews'}{of}{by}"

    def to_dict(self) -> dict[str, Any]:
        """The exclusion as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Override:
    """A grade that the staff set, such as the outcome of an appeal, in the rubric's units."""

    submission: str
    component: str
    grade: float
    reason: str

    @property
    def cell(self) -> tuple[str, str]:
        """The submission and the component."""
        return self.submission, self.component

    def to_dict(self) -> dict[str, Any]:
        """The override as plain values."""
        return asdict(self) | {"grade": tidy(self.grade)}

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Override:
        """Build from what :meth:`to_dict` gives."""
        return cls(entries["submission"], entries["component"], float(entries["grade"]), entries["reason"])


class SelfGrade(NamedTuple):
    """What an author gave a component of the own work, in the rubric's units."""

    submission: str
    grader: str
    component: str
    grade: float
