"""One of two results that are compared: its grades, where they come from, and what they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from peerage.decisions.final_grades import COMPUTED, STAFF, Cell, FinalGrades
from peerage.errors import OtherVersionError
from peerage.gradebook.book import ROLES, Gradebook
from peerage.results.results import Results
from peerage.results.schema import GRADES, PROPOSALS

Review = Mapping[str, float]
"""The grades of a review by component."""


class Proposal(NamedTuple):
    """What the estimates suggest instead of a grade that was handed out, and why."""

    grade: float
    why: str


@dataclass(frozen=True, eq=False)
class Side:
    """Results, and the grades by which they are compared.

    Attributes
    ----------
    results: the results, of which those made of rows say nothing about the reviews
    grades: the final grade of each cell, a submission's component
    status: where each of them comes from
    proposals: what is suggested instead of grades that were handed out
    """

    results: Results
    grades: Mapping[Cell, float]
    status: Mapping[Cell, str]
    proposals: Mapping[Cell, Proposal]

    @classmethod
    def of(cls, results: Results) -> Side:
        """The side that some results are."""
        known = "status" in results.tables[GRADES]
        status = results.by_cell(GRADES, "status") if known else dict.fromkeys(results.grades, COMPUTED)
        return cls(results, results.grades, status, _proposals(results))

    @classmethod
    def suggested(cls, results: Results, final: FinalGrades) -> Side:
        """What the results would be, had nothing been handed out."""
        settled = [
            (grade, STAFF) if status == STAFF else (computed, COMPUTED)
            for grade, computed, status in zip(final.grades, final.computed, final.status, strict=True)
        ]
        grades = {cell: grade for cell, (grade, _) in zip(final.cells, settled, strict=True)}
        return cls(results, grades, {cell: said for cell, (_, said) in zip(final.cells, settled, strict=True)}, {})

    @property
    def unkept(self) -> Side:
        """The same, had it kept nothing that was handed out."""
        status = {cell: STAFF if said == STAFF else COMPUTED for cell, said in self.status.items()}
        return replace(self, status=status, proposals={})

    @cached_property
    def has_reviews(self) -> bool:
        """Whether it is known what the grades were made of; of results of another version it may not be."""
        try:
            return self.results.draws is not None and self.results.posterior is not None
        except OtherVersionError:
            return False

    @property
    def record(self) -> Mapping[str, Any]:
        """How the results came about."""
        return self.results.record

    @property
    def book(self) -> Gradebook:
        """The class."""
        return self.results.posterior.book

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
        rows: list[dict[Any, Any]] = self.results.posterior.graders().to_dict("records")
        return {row["grader"]: row for row in rows}

    @cached_property
    def overrides(self) -> dict[Cell, str]:
        """Why the staff set a grade."""
        return {(row["submission"], row["component"]): row["reason"] for row in self.record.get("overrides", [])}


def _proposals(results: Results) -> dict[Cell, Proposal]:
    proposed, why = results.by_cell(PROPOSALS, "proposed"), results.by_cell(PROPOSALS, "why")
    return {cell: Proposal(grade, why[cell]) for cell, grade in proposed.items()}
