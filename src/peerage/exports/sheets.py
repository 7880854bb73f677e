"""How a table looks on a sheet of a workbook: headings that stay, columns that fit, numbers as people read them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from peerage.results.schema import CHECKS, COMMENTS, EXPLANATIONS, GRADERS, GRADES, TOTALS, WEIGHTS, Kind
from peerage.tables.escaping import escape_xlsx

Cell = str | int | float | None

SHEETS = {
    "Totals": TOTALS,
    "Grades": GRADES,
    "Weights": WEIGHTS,
    "Sentences": EXPLANATIONS,
    "Comments": COMMENTS,
    "Graders": GRADERS,
    "Spot checks": CHECKS,
}
"""The sheets, and the table of the results that each shows."""

_GENERAL, _WHOLE, _ESTIMATE, _PERCENT, _SIGNED = "General", "#,##0", "0.00", "0%", "+0.00;-0.00;0.00"
_FORMATS = {
    Kind.EXACT: _GENERAL,
    Kind.COUNT: _WHOLE,
    Kind.ESTIMATE: _ESTIMATE,
    Kind.DIFFERENCE: _SIGNED,
    **dict.fromkeys((Kind.SHARE, Kind.EXACT_SHARE, Kind.WEIGHT, Kind.CERTAINTY), _PERCENT),
}

FONT = "Calibri"

_FROZEN = {"student", "submission", "component", "grader"}
_NARROWEST, _WIDEST, _PROSE = 9, 32, 90
_LINE, _HIGHEST = 15.0, 409.0
_HEADING = Font(name=FONT, bold=True, color="FFFFFF")
_FILL = PatternFill("solid", fgColor="2F5597")
_TOP = Alignment(horizontal="left", vertical="top", indent=1)
_RIGHT = Alignment(horizontal="right", vertical="top")
_WRAPPED = Alignment(horizontal="left", vertical="top", wrap_text=True, indent=1)


@dataclass(frozen=True)
class SheetCells:
    """The cells of a sheet; numbers are numbers and ids are text."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def add_table(sheet: Any, title: str, table: SheetCells) -> None:
    """Put a table on an empty sheet; one that is no table of the results has an id and then numbers in each row."""
    for column, name in enumerate(table.header, start=1):
        kind = SHEETS[title].kind(name) if title in SHEETS else Kind.TEXT if column == 1 else Kind.EXACT
        shown = _FORMATS.get(kind)
        put(sheet, 1, column, name)
        heading = sheet.cell(1, column)
        heading.font, heading.fill, heading.alignment = _HEADING, _FILL, _TOP if shown is None else _RIGHT
        cells = [row[column - 1] for row in table.rows]
        sheet.column_dimensions[get_column_letter(column)].width = _width(name, kind, cells)
        for row, value in enumerate(cells, start=2):
            put(sheet, row, column, value)
            cell = sheet.cell(row, column)
            if shown is None:
                cell.alignment = _WRAPPED if kind is Kind.PROSE else _TOP
            else:
                cell.number_format, cell.alignment = shown, _RIGHT
            if kind is Kind.PROSE:
                # Not every spreadsheet fits the height of a row to the lines in it.
                sheet.row_dimensions[row].height = _height(str(value))
    frozen = next(index for index, name in enumerate((*table.header, "")) if name not in _FROZEN)
    sheet.freeze_panes = sheet.cell(2, 1 + frozen)
    sheet.auto_filter.ref = sheet.dimensions
    sheet.print_title_rows = "1:1"
    fit_to_page(sheet)


def fit_to_page(sheet: Any) -> None:
    """Print across the page, over as many pages as it takes downwards."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True


def put(sheet: Any, row: int, column: int, value: Cell) -> None:
    """Put a value into a cell; text is text even if a spreadsheet would take it for a formula or an error."""
    cell = sheet.cell(row, column)
    if not isinstance(value, str):
        cell.value = value
        return
    cell.value = escape_xlsx(value)
    cell.data_type = "s"
    # Editing the cell must not turn it into a formula either.
    cell.quotePrefix = True


def _height(text: str) -> float:
    """The height of a row, in points, that shows all lines of some prose, as far as rows can be that high."""
    return min(_LINE * math.ceil((len(text) + 1) / (0.95 * _PROSE)), _HIGHEST)


def _width(name: str, kind: Kind, cells: list[Cell]) -> float:
    if kind is Kind.PROSE:
        return _PROSE
    shown = _FORMATS.get(kind)
    longest = (
        6 if shown not in (None, _GENERAL) else max((len(str(cell)) for cell in cells if cell is not None), default=0)
    )
    # A heading also holds the button of the filter.
    return min(max(_NARROWEST, len(name) + 4, longest + 2), _WIDEST)
