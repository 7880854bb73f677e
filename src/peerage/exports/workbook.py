"""A workbook for the staff: totals, grades, weights and sentences, graders and spot checks.

Text stays text, whatever it looks like: a cell's type is never guessed from its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl

from peerage.errors import InputError, Problem
from peerage.exports.export_options import Options, Prepared
from peerage.exports.overview import Overview, add_overview
from peerage.exports.sheets import SHEETS, Cell, Table, add_table, number_format
from peerage.results.saved_results import Result
from peerage.rubric import FORBIDDEN, tidy
from peerage.support.wording import counted
from peerage.tables.escaping import unescape_xlsx
from peerage.tables.numbers import is_number, parse_number

NAME = "xlsx"
TITLE = "a workbook for the staff"
ENDING = ".xlsx"
USES: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workbook:
    """The tables of a workbook by the titles of their sheets, and the overview that is drawn from them."""

    tables: Mapping[str, Table]
    overview: Overview = field(default_factory=Overview, compare=False)


def prepare(result: Result, _: Options) -> Prepared:
    """The tables of a result folder."""
    found = {title: result.rows(file) for title, file in SHEETS.items()}
    tables = {title: _table(rows, SHEETS[title]) for title, rows in found.items() if rows}
    missing = [file for title, file in SHEETS.items() if title not in tables]
    notices = tuple(Problem(f"these results have no {file}", "the workbook lacks that sheet") for file in missing)
    summary = ", ".join(f"{title} ({counted(len(table.rows), 'row')})" for title, table in tables.items())
    return Prepared(Workbook(tables, Overview.of(result)), summary, notices)


def write(content: Workbook, path: Path) -> None:
    """Write the workbook."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    add_overview(book, content.overview, list(content.tables))
    for title, table in content.tables.items():
        add_table(book.create_sheet(title), table)
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
    tables = {title: _read(book[title], path) for title in SHEETS if title in book.sheetnames}
    if not tables:
        message = f"is not {TITLE}: it has none of the sheets {', '.join(SHEETS)}"
        raise InputError(Problem(message, "export it again", path.name))
    return Workbook(tables)


def _table(rows: Sequence[Mapping[str, str]], file: str) -> Table:
    header = tuple(rows[0])
    if any(map(FORBIDDEN.search, (*header, *(text for row in rows for text in row.values())))):
        raise InputError(Problem("holds a control character", "fit the class again", file))
    cells = tuple(tuple(_typed(name, row[name]) for name in header) for row in rows)
    return Table(header, cells)


def _typed(column: str, text: str) -> Cell:
    """A number where the column holds numbers; everything else stays as it is."""
    if number_format(column) is not None and is_number(text):
        # Spreadsheets keep fifteen digits.
        return tidy(float(f"{parse_number(text):.15g}"))
    return text or None


def _read(sheet: Any, path: Path) -> Table:
    header, *rows = ([_value(cell, path) for cell in row] for row in sheet.iter_rows())
    return Table(tuple(map(str, header)), tuple(map(tuple, rows)))


def _value(cell: Any, path: Path) -> Cell:
    if cell.data_type == "f":
        raise InputError(Problem(f"{cell.coordinate} is a formula", "export it again", path.name, cell.row))
    return unescape_xlsx(cell.value) if isinstance(cell.value, str) else cell.value
