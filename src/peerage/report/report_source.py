"""What pages are made of: a folder of results, its tables as data frames, and the posterior."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.inference.posterior import Posterior
from peerage.inference.storage import load
from peerage.results.saved_results import RECORD, REMEDY, Result
from peerage.tables.column import Column
from peerage.tables.numbers import parse_number
from peerage.tables.sheet import Sheet

Floats = NDArray[np.float64]

_QUANTITIES = ("reliability", "bias", "effort", "dependability")
_COLUMNS = {
    "grades.csv": ("submission", "component", "grade"),
    "totals.csv": ("submission", "total", "lower", "upper"),
    "graders.csv": (
        "grader",
        "role",
        "n_graded",
        *(name + end for name in _QUANTITIES for end in ("", "_lower", "_upper")),
    ),
    "weights.csv": ("submission", "grader", "weight", "desired_weight"),
    "explanations.csv": ("submission", "component", "sentence"),
    "spotchecks.csv": ("rank", "submission", "priority", "reason"),
    "proposals.csv": ("submission", "component", "published", "proposed", "certainty", "why"),
    "changes.csv": ("submission", "component", "before", "after", "why"),
}
"""What pages need of each table."""

_SHOWN = {"graders.csv": ("standing", "credit", "credit_note")}
"""Columns that pages show if there are any."""

_ENTRIES = ("version", "priors", "learned", "model", "prediction", "choice", "diagnostics", "notices")
"""What pages need of the record that not every reader of results does."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """All that a page is made of.

    Attributes
    ----------
    posterior: what was estimated
    tables: the CSV files by name, as text; some exist only if the fit was asked for them
    record: what ``run.json`` holds
    """

    posterior: Posterior
    tables: dict[str, pd.DataFrame]
    record: Mapping[str, Any]

    @classmethod
    def of(cls, posterior: Posterior, tables: Mapping[str, pd.DataFrame], record: Mapping[str, Any]) -> Fitted:
        """What is at hand, of which a large class has too much for all of it to be read back."""
        texts = {}
        for name, table in tables.items():
            columns = [column for column in (*_COLUMNS[name], *_SHOWN.get(name, ())) if column in table]
            cells = {column: _texts(Column.of(table[column])) for column in columns}
            texts[name] = pd.DataFrame(cells, dtype=object)
        return cls(posterior, texts, record)

    @classmethod
    def read(cls, folder: Path) -> Fitted:
        """Read a folder of results."""
        result = Result.of(folder)
        missing = [name for name in _ENTRIES if name not in result.record]
        if missing:
            raise InputError(Problem(f"does not say what the {missing[0]} is", REMEDY, RECORD))
        for name in result.sheets:
            result.require(name, _COLUMNS[name])
        tables = {name: _table(sheet) for name, sheet in result.sheets.items()}
        fitted = cls(load(folder / "posterior.npz"), tables, result.record)
        fitted._validate()
        return fitted

    @cached_property
    def _estimates(self) -> pd.DataFrame:
        return self.posterior.submissions()

    @cached_property
    def cells(self) -> pd.DataFrame:
        """``posterior.submissions()`` with the grades given, as numbers, in the column ``grade``."""
        return self._estimates.assign(grade=numbers(self.tables["grades.csv"], "grade"))

    @cached_property
    def cell_submission(self) -> NDArray[np.intp]:
        """(cells,) the index of the submission that a row of :attr:`cells` belongs to."""
        return _indexes(self.cells["submission"], self.posterior.book.submissions)

    @cached_property
    def cell_component(self) -> NDArray[np.intp]:
        """(cells,) the index of its component."""
        return _indexes(self.cells["component"], self.posterior.book.rubric.names)

    @cached_property
    def cells_of(self) -> list[NDArray[np.intp]]:
        """For each submission its rows of :attr:`cells`."""
        return _places(self.cell_submission, self.posterior.book.n_submissions)

    @cached_property
    def reviews_of(self) -> list[NDArray[np.intp]]:
        """For each submission the indexes of its reviews."""
        return _places(self.posterior.book.review_submission, self.posterior.book.n_submissions)

    @cached_property
    def written_by(self) -> dict[str, list[int]]:
        """For each author, in the order of the file, the indexes of the submissions."""
        found: dict[str, list[int]] = {}
        for index, names in enumerate(self.posterior.book.authors):
            for name in dict.fromkeys(names):
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def weight_rows(self) -> dict[tuple[str, str], int]:
        """Which row of ``weights.csv`` is about which submission and grader; none if grades are not explained."""
        table = self.tables.get("weights.csv")
        pairs = [] if table is None else zip(table["submission"], table["grader"], strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def totals(self) -> pd.DataFrame:
        """``totals.csv`` with a row for each submission, in order."""
        return self.tables["totals.csv"].drop_duplicates("submission", ignore_index=True)

    def _validate(self) -> None:
        """Refuse tables that are not about what was fitted."""
        book, cells = self.posterior.book, self._estimates
        ids: dict[str, dict[str, Iterable[str]]] = {
            "grades.csv": {name: cells[name] for name in ("submission", "component")},
            "explanations.csv": {name: cells[name] for name in ("submission", "component")},
            "graders.csv": {"grader": book.graders},
        }
        for file in ids.keys() & self.tables.keys():
            if any(list(self.tables[file][name]) != list(expected) for name, expected in ids[file].items()):
                raise _foreign(file)
        if list(self.totals["submission"]) != list(book.submissions):
            raise _foreign("totals.csv")
        checked = self.tables.get("spotchecks.csv")
        if checked is not None and not set(checked["submission"]) <= set(book.submissions):
            raise _foreign("spotchecks.csv")


def numbers(table: pd.DataFrame, column: str) -> Floats:
    """A column of numbers; an empty cell is not a number."""
    values = np.array([parse_number(text) if text else np.nan for text in table[column]])
    wrong = np.flatnonzero(np.isnan(values) & (table[column].to_numpy() != ""))
    if len(wrong):
        text = table[column][wrong[0]]
        raise InputError(Problem(f"{text!r} in the column {column!r} of the results is not a number", REMEDY))
    return values


def _foreign(file: str) -> InputError:
    return InputError(Problem("does not belong to posterior.npz beside it", REMEDY, file))


def _table(sheet: Sheet) -> pd.DataFrame:
    return pd.DataFrame({name: _texts(sheet.column(name)) for name in sheet.header}, dtype=object)


def _texts(column: Column) -> NDArray[np.object_]:
    return np.array(column.values, dtype=object)[column.codes]


def _indexes(values: Iterable[str], ids: Iterable[str]) -> NDArray[np.intp]:
    place = {name: index for index, name in enumerate(ids)}
    return np.array([place[value] for value in values], dtype=np.intp)


def _places(owners: NDArray[np.integer[Any]], count: int) -> list[NDArray[np.intp]]:
    """Where each of ``count`` owners occurs, all found in one sort."""
    order = np.argsort(owners, kind="stable")
    return np.split(order, np.cumsum(np.bincount(owners, minlength=count))[:-1])
