"""A column of text kept as indexes into its distinct values, so that each value is looked at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Column:
    """The text of each row: ``values[codes[row]]``. Values are distinct; :meth:`take` may leave some unused."""

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    @classmethod
    def of(cls, cells: pd.Series[Any]) -> Column:
        """The cells of a table as text; missing ones are empty."""
        if cells.dtype == object:
            return cls.of_texts([cell_text(cell) for cell in cells])
        codes, distinct = pd.factorize(cells, use_na_sentinel=True)
        return cls.merged(codes, [*(cell_text(value) for value in distinct), ""])

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Column:
        """A column from the text of each row."""
        codes, values = pd.factorize(np.array(texts, dtype=object))
        return cls(codes.astype(np.int32), tuple(values))

    @classmethod
    def merged(cls, codes: NDArray[np.integer[Any]], values: Sequence[str]) -> Column:
        """A column from values that may repeat and need not all occur; a code of -1 means the last value."""
        places, distinct = pd.factorize(np.array(values, dtype=object))
        compact, used = pd.factorize(places[codes])
        return cls(compact.astype(np.int32), tuple(distinct[used]))

    @classmethod
    def constant(cls, text: str, rows: int) -> Column:
        """The same text in every row."""
        return cls(np.zeros(rows, dtype=np.int32), (text,))

    @classmethod
    def joined(cls, columns: Sequence[Column]) -> Column:
        """Several columns, one below the other."""
        starts = np.cumsum([0] + [len(column.values) for column in columns[:-1]])
        codes = [column.codes + start for column, start in zip(columns, starts, strict=True)]
        return cls.merged(np.concatenate(codes), [value for column in columns for value in column.values])

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: SupportsIndex) -> str:
        return self.values[int(self.codes[row])]

    def take(self, rows: NDArray[Any]) -> Column:
        """The column at some rows only, given by index or mask."""
        return Column(self.codes[rows], self.values)

    def only(self, rows: NDArray[Any]) -> Column:
        """The column at some rows, without the values that only other rows have."""
        codes, used = pd.factorize(self.codes[rows])
        return Column(codes.astype(np.int32), tuple(self.values[code] for code in used))

    def map(self, function: Callable[[str], str]) -> Column:
        """The column with each value replaced."""
        return Column.merged(self.codes, [function(value) for value in self.values])

    def where(self, holds: Callable[[str], bool]) -> Mask:
        """Which rows have a value of which something holds."""
        return np.array([holds(value) for value in self.values], dtype=bool)[self.codes]

    @cached_property
    def blank(self) -> Mask:
        """Which rows are empty or hold spaces alone."""
        return ~np.array([bool(text) for text in map(str.strip, self.values)], dtype=bool)[self.codes]


def is_blank(text: str) -> bool:
    """Whether the text is empty or spaces alone."""
    return not text.strip()


def cell_text(cell: Any) -> str:
    """A typed cell as the text that its owner sees: 7.0 is ``7``, a missing value is empty."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return _float_text(cell)
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def _float_text(number: float) -> str:
    if math.isnan(number):
        return ""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
