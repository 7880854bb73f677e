"""What pages are made of: the results of a class, and what is found in them again and again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.gradebook.named_people import Named, named_people
from peerage.inference.posterior import Posterior
from peerage.results.results import Results
from peerage.results.schema import (
    CHECKS,
    EXPLANATIONS,
    GRADERS,
    GRADES,
    POSTERIOR,
    RECORD,
    TOTALS,
    WEIGHTS,
    ResultTable,
)
from peerage.results.table_values import REMEDY

Floats = NDArray[np.float64]

_ENTRIES = ("version", "priors", "learned", "model", "prediction", "choice", "diagnostics", "notices")
"""What pages need of the record that not every reader of results does."""


@dataclass(frozen=True, eq=False)
class ReportSource:
    """The results of a class, of which everything that a page needs is there and belongs together."""

    results: Results

    def __post_init__(self) -> None:
        missing = [name for name in _ENTRIES if name not in self.results.record]
        if missing:
            raise InputError(Problem(f"does not say what the {missing[0]} is", REMEDY, RECORD))
        for table in self.results.tables:
            self.results.table(table, *(column.name for column in table.columns if not column.optional))
        self._validate()

    @property
    def posterior(self) -> Posterior:
        """What was estimated."""
        return self.results.posterior

    @property
    def book(self) -> Gradebook:
        """The class."""
        return self.posterior.book

    def table(self, table: ResultTable) -> pd.DataFrame | None:
        """A table; None if the fit was not asked for it."""
        return self.results.tables.get(table)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """``posterior.submissions()`` with the grades given in the column ``grade``."""
        return self.posterior.submissions().assign(grade=self.results.tables[GRADES]["grade"])

    @cached_property
    def cell_submission(self) -> NDArray[np.intp]:
        """(cells,) the index of the submission that a row of :attr:`cells` belongs to."""
        return _indexes(self.cells["submission"], self.book.submissions)

    @cached_property
    def cell_component(self) -> NDArray[np.intp]:
        """(cells,) the index of its component."""
        return _indexes(self.cells["component"], self.book.rubric.names)

    @cached_property
    def cells_of(self) -> list[NDArray[np.intp]]:
        """For each submission its rows of :attr:`cells`."""
        return _places(self.cell_submission, self.book.n_submissions)

    @cached_property
    def reviews_of(self) -> list[NDArray[np.intp]]:
        """For each submission the indexes of its reviews."""
        return _places(self.book.review_submission, self.book.n_submissions)

    @cached_property
    def written_by(self) -> dict[str, list[int]]:
        """For each author, in the order of the file, the indexes of the submissions."""
        found: dict[str, list[int]] = {}
        for index, names in enumerate(self.book.authors):
            for name in dict.fromkeys(names):
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def weight_rows(self) -> dict[tuple[str, str], int]:
        """Which row of the weights is about which submission and grader; none if grades are not explained."""
        table = self.table(WEIGHTS)
        pairs = [] if table is None else zip(table["submission"], table["grader"], strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """Whom the comments of reviews name; empty if there are no comments."""
        return named_people(self.book)

    @cached_property
    def totals(self) -> pd.DataFrame:
        """The totals with a row for each submission, in order."""
        return self.results.tables[TOTALS].drop_duplicates("submission", ignore_index=True)

    def _validate(self) -> None:
        """Refuse tables that are not about what was fitted."""
        cells = self.posterior.submissions()
        of_cells: dict[str, Iterable[str]] = {name: cells[name] for name in ("submission", "component")}
        ids: dict[ResultTable, dict[str, Iterable[str]]] = {
            GRADES: of_cells,
            EXPLANATIONS: of_cells,
            GRADERS: {"grader": self.book.graders},
        }
        for table, columns in ids.items():
            found = self.table(table)
            if found is not None and any(list(found[name]) != list(expected) for name, expected in columns.items()):
                raise _foreign(table)
        if list(self.totals["submission"]) != list(self.book.submissions):
            raise _foreign(TOTALS)
        checked = self.table(CHECKS)
        if checked is not None and not set(checked["submission"]) <= set(self.book.submissions):
            raise _foreign(CHECKS)


def _foreign(table: ResultTable) -> InputError:
    return InputError(Problem(f"does not belong to {POSTERIOR} beside it", REMEDY, table.file))


def _indexes(values: Iterable[str], ids: Iterable[str]) -> NDArray[np.intp]:
    place = {name: index for index, name in enumerate(ids)}
    return np.array([place[value] for value in values], dtype=np.intp)


def _places(owners: NDArray[np.integer[Any]], count: int) -> list[NDArray[np.intp]]:
    """Where each of ``count`` owners occurs, all found in one sort."""
    order = np.argsort(owners, kind="stable")
    return np.split(order, np.cumsum(np.bincount(owners, minlength=count))[:-1])
