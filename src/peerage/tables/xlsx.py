"""XLSX workbooks: the first sheet that holds anything."""

from __future__ import annotations

import io
import threading
import warnings
import zipfile
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter

from peerage.errors import InputError, Problem
from peerage.support.bounded_files import MEGABYTE
from peerage.tables.column import Column, cell_text
from peerage.tables.escaping import unescape_xlsx
from peerage.tables.limits import LIMITS, Limits
from peerage.tables.sheet import Sheet, from_cells

Rows = list[list[str]]

_ONE_AT_A_TIME = threading.Lock()
"""Filters of warnings are the whole process's: of two readers at a time, one would leave the other's behind."""


def read(file: str, data: bytes, limits: Limits = LIMITS) -> Sheet:
    """Read a workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        limits.check("unpacked", unpacked / MEGABYTE, "megabytes once it is unpacked", file)
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            # openpyxl warns of styles and validation rules that it does not know; grades do not depend on them.
            warnings.simplefilter("ignore")
            title, rows, others = _first_sheet(file, data, limits)
    except InputError:
        raise
    except Exception:
        # A damaged archive makes openpyxl raise almost anything.
        raise InputError(Problem("is not a readable XLSX workbook", "save it again as .xlsx", file)) from None
    notices = []
    if others:
        message = f"only the sheet {title!r} was read, not {', '.join(map(repr, others))}"
        notices.append(Problem(message, "save the other sheets as separate files if they hold grades", file))
    columns = [Column.of_texts(cells) for cells in zip_longest(*rows, fillvalue="")]
    return from_cells(file, columns, notices)


def _first_sheet(file: str, data: bytes, limits: Limits) -> tuple[str, Rows, list[str]]:
    """The first sheet's title and text, and the titles of the others that hold anything."""
    filled: list[str] = []
    rows: Rows = []
    for sheet in _open(data, computed=False).worksheets:
        sheet.reset_dimensions()
        if not any(cell.value is not None for row in sheet.iter_rows() for cell in row):
            continue
        if not filled:
            rows = _texts(file, data, sheet, limits)
        filled.append(sheet.title)
    return filled[0] if filled else "", rows, filled[1:]


def _open(data: bytes, *, computed: bool) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=computed)


def _texts(file: str, data: bytes, sheet: Any, limits: Limits) -> Rows:
    formulas = []
    rows: Rows = []
    columns = 0
    for row in sheet.iter_rows():
        cells = _filled(row)
        columns = max(columns, len(cells))
        limits.check("columns", columns, "columns", file)
        limits.check("rows", len(rows) + 1, "rows", file)
        formulas += [(len(rows), index) for index, cell in enumerate(cells) if cell.data_type == "f"]
        rows.append([_text(cell) for cell in cells])
    limits.check("cells", len(rows) * columns, "cells", file)
    if formulas:
        _fill_in(file, rows, formulas, _open(data, computed=True)[sheet.title])
    return rows


def _filled(cells: Sequence[Any]) -> Sequence[Any]:
    """The cells of a row up to the last that holds something; others may have a format alone."""
    width = len(cells)
    while width and cells[width - 1].value is None:
        width -= 1
    return cells[:width]


def _fill_in(file: str, rows: Rows, formulas: list[tuple[int, int]], computed: Any) -> None:
    """Replace formulas by the results that the workbook stores beside them."""
    computed.reset_dimensions()
    results = [[_text(cell) for cell in cells] for cells in computed.iter_rows()]
    problems = []
    for row, column in formulas:
        rows[row][column] = results[row][column]
        if not results[row][column]:
            message = f"the formula in column {get_column_letter(column + 1)} has no stored result"
            problems.append(Problem(message, "open the workbook in a spreadsheet and save it", file, row + 1))
    if problems:
        raise InputError(problems)


def _text(cell: Any) -> str:
    """The text that the cell shows: an integer formatted as ``000`` keeps its zeros, and a percentage is one."""
    value = cell.value
    if isinstance(value, str):
        return unescape_xlsx(value)
    text = cell_text(value)
    if isinstance(value, int) and set(cell.number_format) == {"0"}:
        return text.zfill(len(cell.number_format))
    if isinstance(value, int | float) and cell.number_format.endswith("%"):
        return f"{cell_text(round(100.0 * value, 9))}%"
    return text
