"""Delimited text exactly as another system writes and reads it: no apostrophes before what looks like a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from peerage.errors import InputError, Problem
from peerage.rubric import tidy
from peerage.tables.column import is_blank
from peerage.tables.delimited_text import decode
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.reading_files import read_bytes

Row = list[str]

BYTE_ORDER_MARK = "\ufeff"


def write_rows(rows: Iterable[Sequence[str]], path: Path, *, quote: str = '"') -> None:
    """Write rows of text, delimited by commas; cells are quoted where they have to be."""
    kept = [list(row) for row in rows]
    # Readers take a byte-order mark at the very beginning of a file off, unless a quotation mark is before it.
    marked = bool(kept and kept[0] and kept[0][0].startswith(BYTE_ORDER_MARK))
    with path.open("w", encoding="utf-8", newline="") as file:
        # A cell is quoted if it holds a character of the line's end, so that this end protects \r and \n alike.
        writer = csv.writer(
            file,
            quotechar=quote,
            lineterminator="\r\n",
            quoting=csv.QUOTE_ALL if marked else csv.QUOTE_MINIMAL,
        )
        writer.writerows(kept)


def read_text(path: Path) -> str:
    """The text of a file."""
    return decode(path.name, read_bytes(path, path.name))[0]


def read_rows(path: Path, *, quote: str = '"', delimiter: str = ",") -> list[tuple[int, Row]]:
    """The rows that are not blank, each with its number."""
    text = io.StringIO(read_text(path), newline="")
    try:
        rows = list(enumerate(csv.reader(text, delimiter=delimiter, quotechar=quote, strict=True), start=1))
    except csv.Error as error:
        raise InputError(Problem(f"is damaged ({error})", "export it again", path.name)) from None
    return [(number, row) for number, row in rows if not all(map(is_blank, row))]


def as_text(number: float | None) -> str:
    """A number as text, whole ones without decimals; empty if there is none."""
    return "" if number is None else str(tidy(number))


def as_number(text: str, path: Path, row: int) -> float | None:
    """The number that a cell holds; None if it is empty."""
    if is_blank(text):
        return None
    if not is_number(text):
        raise InputError(Problem(f"{text!r} is not a number", "write a number, or leave it empty", path.name, row))
    return parse_number(text)
