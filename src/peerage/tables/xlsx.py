"""XLSX workbooks: the first sheet that holds anything."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import FORMAT_GENERAL
from openpyxl.utils import get_column_letter

from peerage.errors import InputError, Problem
from peerage.support.files.bounded_files import MEGABYTE
from peerage.support.tasks.ignored_warnings import ignoring_warnings_of
from peerage.tables.column import Column, cell_text
from peerage.tables.escaping import unescape_xlsx
from peerage.tables.limits import Allowance
from peerage.tables.sheet import Sheet, from_cells
from peerage.tables.workbook_archive import ROWS, TEXTS, WorkbookArchive

Rows = list[list[str]]

_NUMBERS = (int, float)


def read(file: str, data: bytes, allowance: Allowance) -> Sheet:
    """Read a workbook."""
    try:
        archive = WorkbookArchive(file, data, allowance)
        unpacked = sum(entry.file_size for entry in archive.infolist())
        allowance.check("unpacked", unpacked / MEGABYTE, "megabytes once it is unpacked", file)
        # openpyxl warns of styles and validation rules that it does not know; grades do not depend on them.
        with archive, ignoring_warnings_of("openpyxl"):
            title, rows, others = _first_sheet(file, archive, allowance)
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


def _first_sheet(file: str, archive: WorkbookArchive, allowance: Allowance) -> tuple[str, Rows, list[str]]:
    """The first sheet's title and text, and the titles of the others that hold anything."""
    filled: list[str] = []
    rows: Rows = []
    for sheet in _open(archive, computed=False).worksheets:
        sheet.reset_dimensions()
        if not any(_rows(file, sheet, allowance)):
            continue
        if not filled:
            rows = _texts(file, archive, sheet, allowance)
        filled.append(sheet.title)
    return filled[0] if filled else "", rows, filled[1:]


class _Reader(ExcelReader):
    archive: WorkbookArchive

    def read_strings(self) -> None:
        """Read the texts that cells refer to, the one file whose parts are not rows."""
        self.archive.repeated = TEXTS
        super().read_strings()
        self.archive.repeated = ROWS


def _open(archive: WorkbookArchive, *, computed: bool) -> Any:
    reader = _Reader(io.BytesIO(archive.data), read_only=True, data_only=computed)
    reader.archive = archive
    reader.read()
    return reader.wb


def _texts(file: str, archive: WorkbookArchive, sheet: Any, allowance: Allowance) -> Rows:
    formulas = []
    rows: Rows = []
    columns = 0
    for cells in _rows(file, sheet, allowance):
        columns = max(columns, len(cells))
        texts: list[str] = []
        for cell in cells:
            if cell.data_type == "f":
                formulas.append((len(rows), len(texts)))
            texts.append(_text(cell))
        rows.append(texts)
    allowance.check("cells", len(rows) * columns, "cells", file)
    if formulas:
        computed = _open(archive, computed=True)[sheet.title]
        computed.reset_dimensions()
        _fill_in(file, rows, formulas, list(_rows(file, computed, allowance)))
    return rows


def _rows(file: str, sheet: Any, allowance: Allowance) -> Iterator[Sequence[Any]]:
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = _filled(row)
        allowance.check("columns", len(cells), "columns", file)
        allowance.check("rows", number, "rows", file)
        allowance.check_time(file)
        yield cells


def _filled(cells: Sequence[Any]) -> Sequence[Any]:
    """The cells of a row up to the last that holds something; others may have a format alone."""
    width = len(cells)
    while width and cells[width - 1].value is None:
        width -= 1
    return cells[:width]


def _fill_in(file: str, rows: Rows, formulas: list[tuple[int, int]], computed: Sequence[Sequence[Any]]) -> None:
    """Replace formulas by the results that the workbook stores beside them."""
    problems = []
    for row, column in formulas:
        rows[row][column] = "".join(_text(cell) for cell in computed[row][column : column + 1])
        if not rows[row][column]:
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
    if not isinstance(value, _NUMBERS) or (number_format := cell.number_format) == FORMAT_GENERAL:
        return text
    if isinstance(value, int) and number_format and not number_format.strip("0"):
        return text.zfill(len(number_format))
    if number_format.endswith("%"):
        return f"{cell_text(round(100.0 * value, 9))}%"
    return text
