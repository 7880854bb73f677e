"""A fit, read back from its folder of results."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, ResultsError
from peerage.formats.source import read_sheet
from peerage.inference.posterior import Posterior
from peerage.inference.storage import load

Floats = NDArray[np.float64]

_NEEDED = ("grades.csv", "totals.csv", "graders.csv")
_OPTIONAL = ("weights.csv", "explanations.csv", "spotchecks.csv")


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
    record: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Fitted:
        """Read a folder of results."""
        posterior = load(folder / "posterior.npz")
        try:
            record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            present = [*_NEEDED, *(name for name in _OPTIONAL if (folder / name).exists())]
            tables = {name: _table(folder / name) for name in present}
        except (OSError, ValueError, InputError) as error:
            raise ResultsError(f"{folder}: the results cannot be read ({error}); run peerage fit again") from None
        fitted = cls(posterior, tables, record)
        fitted._validate(folder)
        return fitted

    @cached_property
    def cells(self) -> pd.DataFrame:
        """``posterior.submissions()`` with the grades given, as numbers, in the column ``grade``."""
        return self.posterior.submissions().assign(grade=numbers(self.tables["grades.csv"], "grade"))

    @cached_property
    def cell_submission(self) -> NDArray[np.intp]:
        """(cells,) the index of the submission that a row of :attr:`cells` belongs to."""
        return _indexes(self.cells["submission"], self.posterior.book.submissions)

    @cached_property
    def cell_component(self) -> NDArray[np.intp]:
        """(cells,) the index of its component."""
        return _indexes(self.cells["component"], self.posterior.book.rubric.names)

    @cached_property
    def totals(self) -> pd.DataFrame:
        """``totals.csv`` with a row for each submission, in order."""
        return self.tables["totals.csv"].drop_duplicates("submission", ignore_index=True)

    def _validate(self, folder: Path) -> None:
        """Refuse tables that are not about what was fitted."""
        book, posterior = self.posterior.book, self.posterior.submissions()
        expected: dict[str, list[tuple[str, Iterable[str]]]] = {
            "grades.csv": [(name, posterior[name]) for name in ("submission", "component")],
            "explanations.csv": [(name, posterior[name]) for name in ("submission", "component")],
            "graders.csv": [("grader", book.graders)],
        }
        for file, columns in expected.items():
            table = self.tables.get(file)
            if table is not None and any(name not in table or list(table[name]) != list(ids) for name, ids in columns):
                raise ResultsError(f"{folder / file}: does not belong to posterior.npz; run peerage fit again")


def numbers(table: pd.DataFrame, column: str) -> Floats:
    """A column of numbers; an empty cell is not a number."""
    return np.array([float(text) if text else np.nan for text in table[column]])


def _table(path: Path) -> pd.DataFrame:
    sheet = read_sheet(path, path.name)
    columns = {name: np.array(sheet.column(name).values, dtype=object) for name in sheet.header}
    return pd.DataFrame({name: values[sheet.column(name).codes] for name, values in columns.items()}, dtype=object)


def _indexes(values: Iterable[str], ids: Iterable[str]) -> NDArray[np.intp]:
    place = {name: index for index, name in enumerate(ids)}
    return np.array([place[value] for value in values], dtype=np.intp)
