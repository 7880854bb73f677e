"""What staff decided during a term, and what became of grades that were handed out, as the staff's page shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from peerage.gradebook.rulings import Exclusion
from peerage.report.report_source import ReportSource
from peerage.results.schema import CHANGES, PROPOSALS, ResultTable
from peerage.results.table_values import text


@dataclass(frozen=True)
class ChangedGrade:
    """A grade before and after, as text; ``after`` is empty if it is gone, ``certainty`` if nothing is proposed."""

    submission: str
    component: str
    before: str
    after: str
    certainty: str
    why: str


@dataclass(frozen=True)
class Term:
    """Decisions and changes.

    Attributes
    ----------
    exclusions: the reviews that do not count
    overrides: the grades that staff set, as ``run.json`` has them
    proposals: published grades that the estimates do not confirm; None if none were published
    changes: grades that are not what they were; None if nothing was compared
    n_new: how many grades there are that were not there before
    """

    exclusions: tuple[Exclusion, ...]
    overrides: tuple[Mapping[str, Any], ...]
    proposals: tuple[ChangedGrade, ...] | None
    changes: tuple[ChangedGrade, ...] | None
    n_new: int

    @property
    def has_decisions(self) -> bool:
        """Whether the staff decided anything."""
        return bool(self.exclusions or self.overrides)

    @property
    def has_changes(self) -> bool:
        """Whether there is an earlier result to speak of."""
        return self.proposals is not None or self.changes is not None


def term_of(source: ReportSource) -> Term:
    """What a result folder knows."""
    proposals, changes = source.table(PROPOSALS), source.table(CHANGES)
    listed = None if changes is None else tuple(_rows(CHANGES, changes, "before", "after"))
    return Term(
        exclusions=source.book.exclusions,
        overrides=tuple(source.results.record.get("overrides", ())),
        proposals=None if proposals is None else tuple(_rows(PROPOSALS, proposals, "published", "proposed")),
        changes=None if listed is None else tuple(row for row in listed if row.before),
        n_new=0 if listed is None else sum(not row.before for row in listed),
    )


def _rows(table: ResultTable, frame: pd.DataFrame, before: str, after: str) -> Iterator[ChangedGrade]:
    row: dict[Any, Any]
    for row in frame.to_dict("records"):
        certainty = f"{row['certainty']:.0%}" if "certainty" in row else ""
        old, new = (text(table.kind(name), row[name]) for name in (before, after))
        yield ChangedGrade(row["submission"], row["component"], old, new, certainty, row["why"])
