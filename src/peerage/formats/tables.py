"""Tables as files: the one writer that everything uses, by the file's suffix.

A spreadsheet takes a text cell that begins with ``=``, ``+``, ``-``, ``@``, tab or carriage return for a
formula. Such a cell gets one leading apostrophe in CSV, TSV and XLSX files, which our own readers take off
again. Text that already has apostrophes before such a character gets one more, so that nothing is lost.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from peerage.errors import InputError, MissingExtraError, Problem

_GUARDED = r"^('*[=+\-@\t\r])"
_UNGUARDED = r"^'('*[=+\-@\t\r])"


def guard(text: pd.Series[str]) -> pd.Series[str]:
    """Put an apostrophe before text that a spreadsheet would take for a formula."""
    return text.str.replace(_GUARDED, r"'\1", regex=True)


def unguard(text: pd.Series[str]) -> pd.Series[str]:
    """Take off the apostrophe that :func:`guard` puts on."""
    return text.str.replace(_UNGUARDED, r"\1", regex=True)


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV, TSV, XLSX or Parquet, whole or not at all; missing values become empty cells."""
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(
            Problem("is not a kind of file that can be written", f"use {', '.join(_WRITERS)}", path.name)
        )
    partial = path.with_name(f".{path.name}.part")
    try:
        writer(frame, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table with every text cell and column name guarded."""
    guarded = pd.DataFrame({index: _guard_cells(column) for index, (_, column) in enumerate(frame.items())})
    guarded.columns = pd.Index(guard(pd.Series(frame.columns, dtype=str)))
    return guarded


def _guard_cells(column: pd.Series[Any]) -> pd.Series[Any]:
    if isinstance(column.dtype, pd.StringDtype):
        return guard(column)
    if column.dtype != object:
        return column
    return column.map(lambda cell: re.sub(_GUARDED, r"'\1", cell) if isinstance(cell, str) else cell)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    _write_delimited(frame, path, ",")


def _write_tsv(frame: pd.DataFrame, path: Path) -> None:
    _write_delimited(frame, path, "\t")


def _write_delimited(frame: pd.DataFrame, path: Path, delimiter: str) -> None:
    frame = _guarded(frame)
    # Python's csv module leaves a lone carriage return unquoted, and readers take it for the end of the row.
    texts = [
        column.astype(str) for _, column in frame.items() if column.dtype == object or column.dtype == "str"
    ]
    returns = any(text.str.contains("\r", regex=False).any() for text in [*texts, frame.columns.to_series()])
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    frame.to_csv(path, sep=delimiter, index=False, encoding="utf-8", lineterminator="\n", quoting=quoting)


def _write_xlsx(frame: pd.DataFrame, path: Path) -> None:
    with pd.ExcelWriter(path, engine="openpyxl") as workbook:
        _guarded(frame).to_excel(workbook, index=False)


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    try:
        frame.to_parquet(path, engine="pyarrow", index=False)
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".xlsx": _write_xlsx,
    ".parquet": _write_parquet,
}
