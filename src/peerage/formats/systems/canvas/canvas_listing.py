"""What Canvas's API says about an assignment beside its reviews: its name, and whose each submission is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from peerage.errors import Problem
from peerage.tables.reading_files import Source

_SUBMISSION = ("id", "user_id", "assignment_id")
_ASSIGNMENT = {"name", "course_id", "submission_types"}


@dataclass
class Listing:
    """The authors of submissions, the assignments that they belong to, and the names of those."""

    authors: dict[str, str] = field(default_factory=dict)
    assignments: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Iterable[Source]) -> Listing:
        """Gather what some documents list; those of other kinds are passed over."""
        listing = cls()
        for source in sources:
            if is_assignment(source.content):
                listing.names[str(source.content.get("id"))] = " ".join(str(source.content["name"]).split())
            elif is_submissions(source.content):
                for entry in source.content:
                    listing.authors[str(entry["id"])] = str(entry["user_id"])
                    listing.assignments[str(entry["id"])] = str(entry["assignment_id"])
        return listing

    def omits(self, submission: str) -> bool:
        """Whether submissions are listed and this one is not among them."""
        return bool(self.authors) and submission not in self.authors

    def assignment_of(self, submission: str) -> str:
        """The name of a submission's assignment, or empty."""
        return self.names.get(self.assignments.get(submission, ""), "")


def is_assignment(content: Any) -> bool:
    """Whether a document is an assignment."""
    return isinstance(content, dict) and content.keys() >= _ASSIGNMENT


def is_submissions(content: Any) -> bool:
    """Whether a document is a list of submissions."""
    return isinstance(content, list) and any(
        isinstance(entry, dict) and {"assignment_id", "user_id"} <= entry.keys() for entry in content
    )


def problems_of(source: Source) -> Iterator[Problem]:
    """Entries of a list of submissions that lack something."""
    for row, entry in enumerate(source.content, start=1):
        for name in _SUBMISSION:
            if not isinstance(entry, dict) or entry.get(name) is None:
                yield Problem(f"the submission has no {name!r}", "save it again from the API", source.file, row)
