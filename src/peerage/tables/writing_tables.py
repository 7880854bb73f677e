"""Tables as files: the one writer that everything uses, by the file's suffix.

What a spreadsheet would take for a formula gets an apostrophe in CSV, TSV and XLSX files, which our own readers take
off again (:mod:`peerage.tables.escaping`).
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from peerage.errors import InputError, MissingExtraError, Problem, ResultsError
from peerage.support.files.atomic_writes import replacing
from peerage.support.files.writable_places import obstacle
from peerage.tables.escaping import escape_xlsx, guard


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV, TSV, XLSX or Parquet, whole or not at all; missing values become empty cells.

    Folders above the file that are missing are made.
    """
    path = Path(path)
    writer = _writer(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        writer(frame, part)


def check_table_target(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse a file that a table cannot be written to, or that is one of the inputs, before the table is computed."""
    _writer(path)
    if why := obstacle(Path(os.path.realpath(path))):
        raise ResultsError(f"{path}: cannot be written ({why}); name another file")
    if path.is_dir():
        raise ResultsError(f"{path}: this is a folder; name a file")
    if path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
        raise ResultsError(f"{path}: this is one of the files that are read; name another file")


def _writer(path: Path) -> Callable[[pd.DataFrame, Path], None]:
    """What writes a file of this suffix."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(Problem("is not a kind of file that can be written", f"use {', '.join(_WRITERS)}", path.name))
    return writer


def _map_texts(frame: pd.DataFrame, function: Callable[[str], str]) -> pd.DataFrame:
    """The table with all text in it, column names included, replaced."""
    columns = {index: _map_column(column, function) for index, (_, column) in enumerate(frame.items())}
    mapped = pd.DataFrame(columns, index=frame.index)
    mapped.columns = pd.Index([function(str(name)) for name in frame.columns], dtype=object)
    return mapped


def _map_column(column: pd.Series[Any], function: Callable[[str], str]) -> pd.Series[Any]:
    if not pd.api.types.is_string_dtype(column.dtype) and column.dtype != object:
        return column
    codes, distinct = pd.factorize(column.astype(object))
    replaced = np.array([*(function(cell) if isinstance(cell, str) else cell for cell in distinct), None], dtype=object)
    return pd.Series(replaced[codes], index=column.index, dtype=object)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    _write_delimited(frame, path, ",")


def _write_tsv(frame: pd.DataFrame, path: Path) -> None:
    _write_delimited(frame, path, "\t")


def csv_text(frame: pd.DataFrame) -> str:
    """The text of a table as a CSV file."""
    text = io.StringIO()
    _write_delimited(frame, text, ",")
    return text.getvalue()


def _write_delimited(frame: pd.DataFrame, target: Path | io.StringIO, delimiter: str) -> None:
    returns = False

    def guarded(text: str) -> str:
        nonlocal returns
        returns = returns or "\r" in text
        return guard(text)

    frame = _map_texts(frame, guarded)
    # Python's csv module leaves a lone carriage return unquoted, and readers take it for the end of the row.
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    frame.to_csv(target, sep=delimiter, index=False, lineterminator="\n", quoting=quoting, encoding="utf-8")


def _write_xlsx(frame: pd.DataFrame, path: Path) -> None:
    frame = _map_texts(frame, lambda text: escape_xlsx(guard(text)))
    with pd.ExcelWriter(path, engine="openpyxl") as workbook:
        frame.to_excel(workbook, index=False)


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
