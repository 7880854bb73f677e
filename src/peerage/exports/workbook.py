"""A workbook for the staff: totals, grades, weights and sentences, graders and spot checks.

Text stays text, whatever it looks like: a cell's type is never guessed from its content.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd

from peerage.errors import InputError, Problem
from peerage.exports.export_options import Options, Prepared
from peerage.exports.overview import Overview, add_overview
from peerage.exports.sheets import SHEETS, Cell, SheetCells, add_table
from peerage.exports.students_across import TITLE as STUDENTS
from peerage.exports.students_across import students_across
from peerage.results.results import Results
from peerage.results.schema import COMMENTS, ResultTable
from peerage.results.table_values import REMEDY
from peerage.rubric import FORBIDDEN, tidy
from peerage.support.words.wording import counted
from peerage.tables.escaping import unescape_xlsx

NAME = "xlsx"
TITLE = "a workbook for the staff"
ENDING = ".xlsx"
USES: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workbook:
    """The tables of a workbook by the titles of their sheets, and the overview that is drawn from them."""

    tables: Mapping[str, SheetCells]
    overview: Overview = field(default_factory=Overview, compare=False)


def prepare(results: Results, _: Options) -> Prepared:
    """The tables of some results."""
    found = {title: results.table(table) for title, table in SHEETS.items()}
    tables = {title: _cells(SHEETS[title], frame) for title, frame in found.items() if len(frame)}
    header, rows = students_across(results)
    if rows:
        tables = {STUDENTS: SheetCells(header, tuple(tuple(map(_cell, row)) for row in rows)), **tables}
    missing = [table.file for title, table in SHEETS.items() if title not in tables and table is not COMMENTS]
    notices = tuple(Problem(f"these results have no {file}", "the workbook lacks that sheet") for file in missing)
    summary = ", ".join(f"{title} ({counted(len(table.rows), 'row')})" for title, table in tables.items())
    return Prepared(Workbook(tables, Overview.of(results)), summary, notices)


def write(content: Workbook, path: Path) -> None:
    """Write the workbook."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    add_overview(book, content.overview, list(content.tables))
    for title, table in content.tables.items():
        add_table(book.create_sheet(title), title, table)
    # The charts' figures come last: nobody has to look at them.
    book.move_sheet("Charts", len(content.tables))
    book.save(path)


def read(path: Path) -> Workbook:
    """Read the tables of a workbook."""
    try:
        book = openpyxl.load_workbook(path)
    except Exception:
        # A damaged archive makes openpyxl raise almost anything.
        raise InputError(Problem("is not a readable XLSX workbook", "export it again", path.name)) from None
    tables = {title: _read(book[title], path) for title in (STUDENTS, *SHEETS) if title in book.sheetnames}
    if not tables:
        message = f"is not {TITLE}: it has none of the sheets {', '.join(SHEETS)}"
        raise InputError(Problem(message, "export it again", path.name))
    return Workbook(tables)


def _cells(table: ResultTable, frame: pd.DataFrame) -> SheetCells:
    header = tuple(map(str, frame.columns))
    texts = (text for name in header if table.kind(name).is_text for text in frame[name])
    if any(map(FORBIDDEN.search, (*header, *texts))):
        raise InputError(Problem("holds a control character", REMEDY, table.file))
    columns = (map(_cell, frame[name].tolist()) for name in header)
    return SheetCells(header, tuple(zip(*columns, strict=True)))


def _cell(value: str | float) -> Cell:
    """A value as a cell of a workbook, which is empty where there is none."""
    if isinstance(value, str):
        return value or None
    # Spreadsheets keep fifteen digits.
    return None if math.isnan(value) else tidy(float(f"{value:.15g}"))


def _read(sheet: Any, path: Path) -> SheetCells:
    header, *rows = ([_value(cell, path) for cell in row] for row in sheet.iter_rows())
    return SheetCells(tuple(map(str, header)), tuple(map(tuple, rows)))


def _value(cell: Any, path: Path) -> Cell:
    if cell.data_type == "f":
        raise InputError(Problem(f"{cell.coordinate} is a formula", "export it again", path.name, cell.row))
    return unescape_xlsx(cell.value) if isinstance(cell.value, str) else cell.value
