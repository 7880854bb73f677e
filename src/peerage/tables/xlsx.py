"""XLSX workbooks: the first sheet that holds anything."""

from __future__ import annotations

import io
import warnings
from itertools import zip_longest
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter

from peerage.errors import InputError, Problem
from peerage.tables.column import Column, cell_text
from peerage.tables.escaping import unescape_xlsx
from peerage.tables.sheet import Sheet, from_cells

Rows = list[list[str]]


def read(file: str, data: bytes) -> Sheet:
    """Read a workbook."""
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and validation rules that it does not know; grades do not depend on them.
            warnings.simplefilter("ignore")
            title, rows, others = _first_sheet(file, data)
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


def _first_sheet(file: str, data: bytes) -> tuple[str, Rows, list[str]]:
    """The first sheet's title and text, and the titles of the others that hold anything."""
    filled: list[str] = []
    rows: Rows = []
    for sheet in _open(data, computed=False).worksheets:
        sheet.reset_dimensions()
        if not any(cell.value is not None for row in sheet.iter_rows() for cell in row):
            continue
        if not filled:
            rows = _texts(file, data, sheet)
        filled.append(sheet.title)
    return filled[0] if filled else "", rows, filled[1:]


def _open(data: bytes, *, computed: bool) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=computed)


def _texts(file: str, data: bytes, sheet: Any) -> Rows:
    formulas = []
    rows: Rows = []
    for cells in sheet.iter_rows():
        formulas += [(len(rows), index) for index, cell in enumerate(cells) if cell.data_type == "f"]
        rows.append([_text(cell) for cell in cells])
    if formulas:
        _fill_in(file, rows, formulas, _open(data, computed=True)[sheet.title])
    return rows


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
    """The text that the cell shows: an integer formatted as ``000`` keeps its leading zeros."""
    value = cell.value
    if isinstance(value, str):
        return unescape_xlsx(value)
    text = cell_text(value)
    if isinstance(value, int) and set(cell.number_format) == {"0"}:
        return text.zfill(len(cell.number_format))
    return text
