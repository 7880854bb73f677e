"""A sheet: what every kind of file becomes before anybody asks what its columns mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.support.words.wording import counted, quoted
from peerage.tables.column import Column, is_blank
from peerage.tables.escaping import unguard
from peerage.tables.title_rows import LOOKED_AT, header_place, titles_left_out

Rows = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table of text with named columns.

    Attributes
    ----------
    file: the name that messages use
    header: the columns' names, distinct
    columns: the cells, column by column
    rows: the number of each row as a spreadsheet shows it, or the label that a table in memory gives it
    notices: what was surprising about the file itself
    """

    file: str
    header: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: Rows
    notices: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Column:
        """The column of a name."""
        return self.columns[self.header.index(name)]

    def left_out(self, used: Collection[str]) -> list[Problem]:
        """A notice of the columns that are not among the used ones, if there are any."""
        extra = [name for name in self.header if name not in used]
        message = f"left out {counted(len(extra), 'extra column')}: {quoted(extra)}"
        return [Problem(message, "", self.file)] if extra else []


def from_cells(file: str, cells: Sequence[Column], notices: Sequence[Problem] = (), *, first_row: int = 1) -> Sheet:
    """A sheet from all the cells of a file, the first row that is neither blank nor a title being the header."""
    filled = ~np.logical_and.reduce([column.blank for column in cells]) if cells else np.zeros(0, dtype=bool)
    places = np.flatnonzero(filled)
    if not len(places):
        raise InputError(Problem("is empty", "give a table with a header row", file))
    first = [[unguard(column[place]).strip() for column in cells] for place in places[:LOOKED_AT].tolist()]
    header = header_place(first)
    body = places[header + 1 :]
    columns = [column.take(body).map(unguard) for column in cells]
    return build(file, first[header], columns, body + first_row, [*notices, *titles_left_out(file, first[:header])])


def build(
    file: str, names: Sequence[str], columns: Sequence[Column], rows: Rows, notices: Sequence[Problem] = ()
) -> Sheet:
    """A sheet from named columns; columns without a name are left out, and reported unless they are empty."""
    named = [index for index, name in enumerate(names) if not is_blank(name)]
    header = [names[index] for index in named]
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        remedy = "give each column its own name"
        raise InputError([Problem(f"has more than one column called {name!r}", remedy, file) for name in repeated])
    notices = list(notices)
    for index in sorted(set(range(len(names))) - set(named)):
        if not columns[index].blank.all():
            notices.append(Problem(f"column {index + 1} has no name and was left out", "name it", file))
    return Sheet(file, tuple(header), tuple(columns[index] for index in named), rows, tuple(notices))
