"""Where the header of a table is: below the titles that people put above it."""

from __future__ import annotations

from collections.abc import Sequence

from peerage.errors import Problem
from peerage.support.words.wording import counted, quoted
from peerage.tables.known_columns import field_of

LOOKED_AT = 20
"""Among how many rows the header is looked for."""


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """The index of the header among the first rows of a table.

    A title fills one cell. A row of two or more is the header, unless it names neither what was graded nor by whom and
    another row names both.
    """
    full = next((place for place, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1), 0)
    if rows and not _fields(rows[full]):
        return next((place for place, row in enumerate(rows) if len(_fields(row)) == 2), full)
    return full


def titles_left_out(file: str, rows: Sequence[Sequence[str]]) -> list[Problem]:
    """A notice of the rows above the header, if there are any."""
    titles = [" ".join(filter(None, map(str.strip, row))) for row in rows]
    message = f"left out {counted(len(titles), 'row')} above the header: {quoted(filter(None, titles))}"
    return [Problem(message, "", file)] if titles else []


def _fields(row: Sequence[str]) -> set[str | None]:
    return {field_of(cell) for cell in row} & {"submission", "grader"}
