"""Parquet files, by way of the optional pyarrow, and tables that are already in memory."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from peerage.errors import InputError, MissingExtraError, Problem
from peerage.tables.column import Column
from peerage.tables.sheet import Sheet, build


def read(file: str, data: bytes) -> Sheet:
    """Read a Parquet file."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None
    try:
        frame = pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(Problem("is not a readable Parquet file", "write it again", file)) from None
    return from_frame(file, frame, first_row=2)


def from_frame(file: str, frame: pd.DataFrame, *, first_row: int) -> Sheet:
    """A sheet from a table in memory; its index is not read."""
    names = [str(name).strip() for name in frame.columns]
    columns = [Column.of(frame.iloc[:, index]) for index in range(frame.shape[1])]
    return build(file, names, columns, np.arange(len(frame)) + first_row)
