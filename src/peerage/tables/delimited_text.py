"""CSV and TSV files, whatever their encoding, delimiter and line ends."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.tables.column import Column
from peerage.tables.known_columns import is_known
from peerage.tables.limits import Allowance
from peerage.tables.sheet import Sheet, from_cells
from peerage.tables.title_rows import LOOKED_AT, header_place, titles_left_out

DELIMITERS = ",;\t|"
HEADER_CHARACTERS = 100_000
"""How much of a file is looked at to find its delimiter."""

MANY_DELIMITERS = 100_000
"""As many in one line are no essay's commas."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_SEPARATOR_LINE = re.compile(r"sep=([,;:|^~\t])\r?\n", re.IGNORECASE)
_FIRST_LINE = re.compile(r"[^\r\n]*")
_BLANK_LINES = re.compile(r"(?:[,;|\t\" ]*(?:\r\n|\r|\n))*")


def read(file: str, data: bytes, allowance: Allowance) -> Sheet:
    """Read delimited text."""
    text, notices = decode(file, data)
    delimiter, text = _take_separator_line(text)
    blank = _BLANK_LINES.match(text)
    skipped = blank.group() if blank else ""
    text = text[len(skipped) :]
    if not text.strip():
        raise InputError(_empty(file))
    if text.lstrip().startswith("<"):
        raise InputError(Problem("is a web page or XML, not a table", "export it as CSV or XLSX", file))
    first_row = 1 + len(skipped.splitlines())
    delimiter = delimiter or _delimiter(text)
    titles, text = _take_titles(text, delimiter)
    first_row += len(titles)
    _check(file, text, delimiter, allowance)
    notices += titles_left_out(file, titles)
    return from_cells(file, _parse(file, text, delimiter, first_row), notices, first_row=first_row)


def _check(file: str, text: str, delimiter: str, allowance: Allowance) -> None:
    """Refuse a table that is too large before it is taken apart."""
    columns = max(_header_width(text, delimiter), _widest(text, delimiter))
    rows = 1 + max(text.count("\n"), text.count("\r"))
    allowance.check("columns", columns, "columns", file)
    allowance.check("rows", rows, "rows", file)
    allowance.check("cells", rows * columns, "cells", file)


def _header_width(text: str, delimiter: str) -> int:
    end = len(_FIRST_LINE.match(text)[0])  # type: ignore[index]  # It matches any text.
    if end > HEADER_CHARACTERS:
        return 1 + text.count(delimiter, 0, end)
    return max((len(row) for row in _first_rows(text, delimiter)), default=0)


def _widest(text: str, delimiter: str) -> int:
    """How many columns a line of more than ``HEADER_CHARACTERS`` has, if it has very many of them; else none.

    Such a line takes many times its length once it is taken apart. It spans at least one whole stretch of half that
    length, so shorter lines are not looked at. Text in one cell has fewer delimiters.
    """
    stretch, widest, found = HEADER_CHARACTERS // 2, 0, 0
    for start in range(0, len(text), stretch):
        end = start + stretch
        ends_here = text.find("\n", start, end) >= 0 or text.find("\r", start, end) >= 0
        found = 0 if ends_here else found + text.count(delimiter, start, end)
        widest = max(widest, found)
    return widest if widest > MANY_DELIMITERS else 0


def decode(file: str, data: bytes) -> tuple[str, list[Problem]]:
    """The file's text; a guessed encoding is reported."""
    notices: list[Problem] = []
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), None) or _utf16_without_mark(data)
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding:
            raise InputError(Problem("its text is damaged", "save it again as UTF-8", file)) from None
        text, notices = _decode_western(file, data)
    if "\0" in text:
        raise InputError(Problem("is not text", "export it as CSV, XLSX or Parquet", file))
    return text, notices


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 of mostly Western text has a zero in every other byte."""
    head = data[:1000]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.8 * max(1, len(zeros)) and head.count(0) < 0.6 * len(head):
            return encoding
    return None


def _decode_western(file: str, data: bytes) -> tuple[str, list[Problem]]:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    notice = "is not UTF-8 and was read as Western European (Windows-1252)"
    return text, [Problem(notice, "if names look wrong, save it as UTF-8", file)]


def _take_separator_line(text: str) -> tuple[str | None, str]:
    """Excel's first line ``sep=;`` names the delimiter and is no row of the table."""
    match = _SEPARATOR_LINE.match(text)
    return (match.group(1), text[match.end() :]) if match else (None, text)


def _delimiter(text: str) -> str:
    """The delimiter under which the header holds the most known names, then the most columns."""

    def score(delimiter: str) -> tuple[int, int]:
        rows = _first_rows(text, delimiter)
        header = rows[header_place(rows)] if rows else []
        return sum(is_known(name) for name in header), len(header)

    return max(DELIMITERS, key=score)


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    """The first few rows; fewer if a quotation mark or a cell does not end."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(islice(_records(text[:HEADER_CHARACTERS], delimiter), LOOKED_AT))
    return rows


def _take_titles(text: str, delimiter: str) -> tuple[list[list[str]], str]:
    """The rows above the header, and the text from the header on."""
    rows = _first_rows(text, delimiter)
    titles = rows[: header_place(rows)]
    lines = io.StringIO(text[:HEADER_CHARACTERS], newline="")
    reader = csv.reader(lines, delimiter=delimiter)
    for _ in titles:
        next(reader)
    return titles, text[lines.tell() if titles else 0 :]


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _parse(file: str, text: str, delimiter: str, first_row: int) -> list[Column]:
    try:
        frame = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=delimiter,
            header=None,
            dtype=str,
            na_filter=False,
            skip_blank_lines=False,
            low_memory=False,
        )
    except pd.errors.EmptyDataError:
        raise InputError(_empty(file)) from None
    except pd.errors.ParserError as error:
        if "EOF inside string" in str(error):
            raise InputError(_open_quote(file)) from None
        return _parse_ragged(file, text, delimiter, first_row)
    return [Column.of(frame[name]) for name in frame.columns]


def _parse_ragged(file: str, text: str, delimiter: str, first_row: int) -> list[Column]:
    """Rows with more cells than the header: harmless if the surplus is empty, else every such row is a problem."""
    try:
        records = list(_records(text, delimiter))
    except csv.Error as error:
        raise InputError(_long_cell(file) if "field limit" in str(error) else _open_quote(file)) from None
    width = len(records[0])
    problems = [
        _surplus(file, first_row + index, len(record), width)
        for index, record in enumerate(records)
        if any(cell.strip() for cell in record[width:])
    ]
    if problems:
        raise InputError(problems)
    return _columns([record[:width] + [""] * (width - len(record)) for record in records])


def _columns(records: Sequence[Sequence[str]]) -> list[Column]:
    return [Column.of_texts(cells) for cells in zip(*records, strict=True)]


def _surplus(file: str, row: int, cells: int, width: int) -> Problem:
    remedy = "quote cells that contain the delimiter"
    return Problem(f"{cells} cells where the header has {width}", remedy, file, row)


def _empty(file: str) -> Problem:
    return Problem("is empty", "give a table with a header row", file)


def _open_quote(file: str) -> Problem:
    return Problem("a quotation mark is opened and never closed", "close or remove it", file)


def _long_cell(file: str) -> Problem:
    message = f"rows have more cells than the header, and a cell holds more than {csv.field_size_limit():,} characters"
    return Problem(message, "quote cells that contain the delimiter", file)
