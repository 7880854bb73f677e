"""The values of result tables: as they are kept in memory, as files have them, and read back from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.results.schema import Kind, ResultColumn, ResultTable
from peerage.rubric import tidy
from peerage.tables import column as text_columns
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.sheet import Sheet

REMEDY = "fit the class again"
"""What to do about results that are incomplete or damaged."""

DIGITS = 5
"""How many significant digits of an estimate are kept."""

_DECIMALS = {Kind.WEIGHT: 2, Kind.CERTAINTY: 4}
_EXACT = (Kind.EXACT, Kind.EXACT_SHARE, Kind.COUNT)

Cells = NDArray[Any]

_LARGEST_WHOLE = 2.0**53
"""From here on, a float does not tell a whole number from the next."""


def significant(value: float) -> float:
    """A number with five significant digits; what is not finite is NaN."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else math.nan


def kept(table: ResultTable, frame: pd.DataFrame) -> pd.DataFrame:
    """A table as it is kept: text as text, and numbers with as many digits as files have."""
    columns = {str(name): _kept(table.kind(str(name)), frame[name]) for name in frame.columns}
    return pd.DataFrame(columns, index=range(len(frame)))


def written(table: ResultTable, frame: pd.DataFrame) -> pd.DataFrame:
    """A table as files have it: whole numbers without decimals, an empty cell where there is no value."""
    return frame.assign(**{str(name): _written(table.kind(str(name)), frame[name]) for name in frame.columns})


def read(table: ResultTable, sheet: Sheet) -> pd.DataFrame:
    """A table from the text of a file."""
    known = {column.name: column for column in table.columns}
    cells = {name: _read(known.get(name, ResultColumn(name, Kind.TEXT, "")), sheet) for name in sheet.header}
    return pd.DataFrame(cells, index=range(len(sheet)))


def text(kind: Kind, value: Any) -> str:
    """A value as files have it."""
    return text_columns.cell_text(_cell(kind, value))


def _kept(kind: Kind, cells: pd.Series[Any]) -> Cells:
    if kind.is_text:
        return np.array([text_columns.cell_text(cell) for cell in cells.tolist()], dtype=object)
    values = pd.to_numeric(cells).to_numpy(float, na_value=np.nan)
    if kind not in _EXACT:
        decimals, plain = _DECIMALS.get(kind), values.tolist()
        values = np.array([significant(value) if decimals is None else round(value, decimals) for value in plain])
    return _counts(np.where(np.isfinite(values), values, np.nan)) if kind is Kind.COUNT else values


def _counts(values: Cells) -> Cells:
    """Whole numbers as such, if all of them are."""
    whole = (np.abs(values) < _LARGEST_WHOLE) & (values == np.rint(values))
    return values.astype(np.int64) if whole.all() else values


def _written(kind: Kind, cells: pd.Series[Any]) -> pd.Series[Any]:
    values = cells.tolist()  # plain values, which are looked at much faster than pandas' own
    return pd.Series(
        values if kind.is_text else [_number(kind, value) for value in values], index=cells.index, dtype=object
    )


def _cell(kind: Kind, value: Any) -> Any:
    return value if kind.is_text else _number(kind, value)


def _number(kind: Kind, value: float) -> int | float | str | None:
    if not math.isfinite(value):
        return None
    if kind is Kind.WEIGHT:
        return f"{value:.2f}"
    return float(value) if kind is Kind.CERTAINTY else tidy(float(value))


def _read(column: ResultColumn, sheet: Sheet) -> Cells:
    """The cells of a column; each distinct text is looked at once."""
    texts = sheet.column(column.name)
    if column.kind.is_text:
        return np.array(texts.values, dtype=object)[texts.codes]
    wrong = [not is_number(value) and (column.filled or bool(value.strip())) for value in texts.values]
    if any(wrong):
        place = int(np.flatnonzero(np.array(wrong)[texts.codes])[0])
        message = f"{texts[place]!r} in the column {column.name!r} is not a number"
        raise InputError(Problem(message, REMEDY, sheet.file, int(sheet.rows[place])))
    numbers = np.array([parse_number(value) if value.strip() else np.nan for value in texts.values], dtype=float)
    values = numbers[texts.codes]
    return _counts(values) if column.kind is Kind.COUNT else values


def from_rows(table: ResultTable, rows: pd.DataFrame) -> pd.DataFrame:
    """A table of rows that come from no file; what no row may lack has to be there."""
    require_in_rows(table, rows, *(column.name for column in table.columns if column.filled))
    for column in table.columns:
        if column.kind.is_text or column.name not in rows:
            continue
        cells = rows[column.name]
        wrong = pd.to_numeric(cells, errors="coerce").isna() & (column.filled | cells.notna())
        if wrong.any():
            label, value = next(iter(cells[wrong].items()))
            message = f"{value!r} in the column {column.name!r} is not a number"
            raise InputError(Problem(message, "correct it", row=str(label)))
    return kept(table, rows)


def require_in_rows(table: ResultTable, rows: pd.DataFrame, *names: str) -> None:
    """Refuse rows that lack some columns."""
    missing = [name for name in names if name not in rows]
    if missing:
        raise InputError(Problem(f"the rows, each about {table.row}, have no column {missing[0]!r}", "add it"))


def require(table: ResultTable, columns: Mapping[str, Any] | pd.DataFrame, *names: str) -> None:
    """Refuse a table that lacks some columns."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise InputError(Problem(f"has no column {missing[0]!r}", REMEDY, table.file))
