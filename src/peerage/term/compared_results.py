"""One of two results that are compared: its grades, where they come from, and what they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peerage.decisions.final import COMPUTED, STAFF, Cell
from peerage.gradebook.book import ROLES, Gradebook
from peerage.inference.posterior import Posterior
from peerage.inference.storage import load
from peerage.results.outputs import POSTERIOR, PROPOSALS, Outputs
from peerage.results.saved_results import Result
from peerage.tables.numbers import parse_number

Review = Mapping[str, float]
"""The grades of a review by component."""


class Proposal(NamedTuple):
    """What the estimates suggest instead of a grade that was handed out, and why."""

    grade: float
    why: str


@dataclass(frozen=True, eq=False)
class Side:
    """A result.

    Attributes
    ----------
    posterior: what was estimated
    grades: the final grade of each cell, a submission's component
    status: where each of them comes from
    record: what ``run.json`` holds
    proposals: what is suggested instead of grades that were handed out
    """

    posterior: Posterior
    grades: Mapping[Cell, float]
    status: Mapping[Cell, str]
    record: Mapping[str, Any]
    proposals: Mapping[Cell, Proposal]

    @classmethod
    def read(cls, path: Path) -> Side:
        """The side in a folder of results."""
        result = Result.read(path)
        status = {
            (row["submission"], row["component"]): row.get("status", COMPUTED) for row in result.rows("grades.csv")
        }
        return cls(load(result.folder / POSTERIOR), result.grades, status, result.record, _proposals(result))

    @classmethod
    def of(cls, outputs: Outputs, *, kept: bool = True) -> Side:
        """The side that is about to be written; without what is ``kept``, as if nothing had been handed out."""
        final = outputs.final
        pairs = zip(final.grades, final.computed, final.status, strict=True)
        settled = [
            (grade, status) if kept or status == STAFF else (computed, COMPUTED) for grade, computed, status in pairs
        ]
        return cls(
            outputs.posterior,
            {cell: grade for cell, (grade, _) in zip(final.cells, settled, strict=True)},
            {cell: status for cell, (_, status) in zip(final.cells, settled, strict=True)},
            outputs.record,
            {},
        )

    @property
    def unkept(self) -> Side:
        """The same, had it kept nothing that was handed out."""
        status = {cell: STAFF if said == STAFF else COMPUTED for cell, said in self.status.items()}
        return replace(self, status=status, proposals={})

    @property
    def book(self) -> Gradebook:
        """The class."""
        return self.posterior.book

    @cached_property
    def reviews(self) -> dict[str, dict[str, Review]]:
        """The reviews of each submission, by grader."""
        book = self.book
        found: dict[str, dict[str, Review]] = {name: {} for name in book.submissions}
        for submission, grader, values in zip(book.review_submission, book.review_grader, book.values, strict=True):
            graded = {
                name: float(value) for name, value in zip(book.rubric.names, values, strict=True) if not np.isnan(value)
            }
            if graded:
                found[book.submissions[submission]][book.graders[grader]] = graded
        return found

    @cached_property
    def roles(self) -> dict[str, str]:
        """The role of each grader."""
        return {name: ROLES[role] for name, role in zip(self.book.graders, self.book.roles, strict=True)}

    @cached_property
    def graders(self) -> dict[str, Mapping[str, Any]]:
        """What is believed of each grader: a row of ``posterior.graders()``."""
        rows: list[dict[Any, Any]] = self.posterior.graders().to_dict("records")
        return {row["grader"]: row for row in rows}

    @cached_property
    def overrides(self) -> dict[Cell, str]:
        """Why the staff set a grade."""
        return {(row["submission"], row["component"]): row["reason"] for row in self.record.get("overrides", [])}


def _proposals(result: Result) -> dict[Cell, Proposal]:
    return {
        (row["submission"], row["component"]): Proposal(parse_number(row["proposed"]), row["why"])
        for row in result.rows(PROPOSALS)
    }
