"""Tables in memory: pandas', and whatever can be exchanged for one, such as Polars'."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, MissingExtraError, Problem
from peerage.tables.column import Column, cell_text
from peerage.tables.sheet import Sheet, build


@runtime_checkable
class ArrowStream(Protocol):
    """A table that other libraries can read by way of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as Arrow's C stream interface describes it."""


@runtime_checkable
class Interchange(Protocol):
    """A table that other libraries can read by the dataframe interchange protocol."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """The table as the dataframe interchange protocol describes it."""


Foreign = ArrowStream | Interchange
"""A table in memory of another library."""


def sheet_of_frame(table: pd.DataFrame | Foreign) -> Sheet:
    """A table in memory as a sheet."""
    if not isinstance(table, pd.DataFrame):
        try:
            table = pd.api.interchange.from_dataframe(table)
        except ImportError:
            raise MissingExtraError("A table of another library", "parquet") from None
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            remedy = "turn it into a pandas DataFrame first"
            raise InputError(Problem(f"the table cannot be read ({error})", remedy)) from None
    return from_frame("", table, _labels(table.index))


def from_frame(file: str, frame: pd.DataFrame, rows: NDArray[Any]) -> Sheet:
    """A sheet from a table whose rows messages call by some labels."""
    names = [str(name).strip() for name in frame.columns]
    columns = [Column.of(frame.iloc[:, index]) for index in range(frame.shape[1])]
    return build(file, names, columns, rows)


def _labels(index: pd.Index[Any]) -> NDArray[Any]:
    """What messages call the rows: what the index does."""
    if pd.api.types.is_integer_dtype(index.dtype):
        return np.asarray(index, dtype=np.int64)
    return np.array([repr(label) if isinstance(label, str) else cell_text(label) for label in index], dtype=object)
