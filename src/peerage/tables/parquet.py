"""Parquet files, by way of the optional pyarrow."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from peerage.errors import InputError, MissingExtraError, Problem
from peerage.support.files.bounded_files import MEGABYTE
from peerage.tables.frames import from_frame
from peerage.tables.limits import Allowance
from peerage.tables.sheet import Sheet


def read(file: str, data: bytes, allowance: Allowance) -> Sheet:
    """Read a Parquet file."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None
    try:
        described = pq.ParquetFile(io.BytesIO(data)).metadata
        unpacked = sum(described.row_group(index).total_byte_size for index in range(described.num_row_groups))
        allowance.check("unpacked", unpacked / MEGABYTE, "megabytes once it is unpacked", file)
        allowance.check("columns", described.num_columns, "columns", file)
        allowance.check("rows", described.num_rows, "rows", file)
        allowance.check("cells", described.num_rows * described.num_columns, "cells", file)
        frame = pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except InputError:
        raise
    except Exception:
        # A damaged file, or one with odd notes for pandas in it, makes pyarrow and pandas raise almost anything.
        raise InputError(Problem("is not a readable Parquet file", "write it again", file)) from None
    return from_frame(file, frame, np.arange(len(frame)) + 2)
