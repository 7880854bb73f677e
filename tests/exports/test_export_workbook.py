"""The workbook for the staff: what it holds, how it looks, and that nothing in it can be run."""

from __future__ import annotations

import zipfile
from functools import cached_property
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from peerage.errors import InputError
from peerage.exports import workbook
from peerage.exports.overview import Overview
from peerage.exports.student_marks import StudentMarks
from peerage.results.results import Results
from peerage.results.schema import GRADES, ResultTable
from support.programs.exporting import GRADERS, TOTALS, result_folder, run_export

FORMULAS = ["=1+1", '=HYPERLINK("http://example.com")', "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "007", "1e5", "TRUE"]


@pytest.fixture
def book(tmp_path: Path) -> openpyxl.Workbook:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "xlsx") == 0
    return openpyxl.load_workbook(tmp_path / "out.xlsx")


def test_the_sheets_and_their_cells(book: openpyxl.Workbook) -> None:
    assert book.sheetnames == [
        "Overview",
        "Students",
        "Totals",
        "Grades",
        "Weights",
        "Graders",
        "Spot checks",
        "Charts",
    ]
    totals = list(book["Totals"].values)
    assert totals[0] == ("submission", "assignment", "author", "total", "expected", "lower", "upper")
    assert totals[2] == ("s2", "Essay 1", "1002", 7.625, 7.625, 7.625, 7.625)
    assert list(book["Students"].values) == [
        ("student", "Essay 1: Structure", "Essay 1: Evidence", "Essay 1: total", "Essay 2: Evidence", "Essay 2: total",
         "peer grading"),
        ("1001", 2, 2, 12, 2, 2, 40),
        ("1002", 2, 2, 7.625, 2, 0, None),
        ("1003", 2, 2, 13, None, None, 11.25),
    ]  # fmt: skip
    assert list(book["Weights"].values)[1] == ("s1", "1002", 0.45)
    assert list(book["Spot checks"].values)[1] == (1, "s5", 1, "The graders disagree.")
    assert list(book["Graders"].values)[2][-1] is None, "no mark is an empty cell"


def test_headings_stay_and_numbers_are_readable(book: openpyxl.Workbook) -> None:
    frozen = {"Students": "B2", "Totals": "B2", "Grades": "C2", "Weights": "C2", "Graders": "B2", "Spot checks": "A2"}
    for title, cell in frozen.items():
        sheet = book[title]
        assert sheet.freeze_panes == cell
        assert sheet.auto_filter.ref == sheet.dimensions
        assert all(sheet.column_dimensions[letter].width >= 9 for letter in "ABC")
    assert book["Weights"]["C2"].number_format == "0%"
    assert book["Grades"]["C2"].number_format == "General"
    assert book["Graders"]["E2"].number_format == "+0.00;-0.00;0.00"
    assert book["Spot checks"].row_dimensions[2].height == 15


def test_the_charts_show_the_class(book: openpyxl.Workbook) -> None:
    """Shares of the points: 12/13, 7.625/13, 13/13, 2/3 and 0/3; three students grade."""
    figures = list(book["Charts"].values)
    assert [row[1] for row in figures[1:11]] == [1, 0, 0, 0, 0, 1, 1, 0, 0, 2]
    assert [row[3:5] for row in figures[1:5]] == [(1.5, 0.8)] * 3 + [(None, None)]


class Watched(Results):
    """Results that keep a list of the tables that were asked for."""

    @cached_property
    def asked(self) -> list[ResultTable]:
        return []

    def table(self, table: ResultTable, *columns: str) -> pd.DataFrame:
        self.asked.append(table)
        return super().table(table, *columns)


def test_the_grades_are_gone_through_once_however_many_assignments_there_are(tmp_path: Path) -> None:
    read = Results.read(result_folder(tmp_path / "out"))
    result = Watched(read.tables, read.record)
    assert [(item.name, item.points) for item in StudentMarks.of(result).items] == [
        ("Essay 1", 13),
        ("Essay 2", 3),
        ("Peer grading", 50),
    ]
    assert Overview.of(result).shares == (12 / 13, 7.625 / 13, 1, 2 / 3, 0)
    assert result.asked.count(GRADES) == 1


@pytest.mark.usefixtures("book")
def test_two_charts_are_drawn(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        names = archive.namelist()
        charts = [archive.read(name).decode() for name in names if name.startswith("xl/charts/chart")]
    assert len(charts) == 2
    assert any("'Charts'!$B$2:$B$11" in chart for chart in charts)
    assert any("'Charts'!$E$2:$E$4" in chart for chart in charts)


def test_nothing_is_a_formula_and_no_id_is_a_number(tmp_path: Path) -> None:
    totals = [(text, f"{text}!", text, 1.0) for text in FORMULAS]
    graders = [(text, "student", None) for text in FORMULAS]
    folder = result_folder(tmp_path / "out", totals, graders)
    assert run_export(folder, "--to", "xlsx") == 0
    written = openpyxl.load_workbook(tmp_path / "out.xlsx")
    cells = [
        cell for sheet in written.worksheets for row in sheet.iter_rows() for cell in row if cell.value is not None
    ]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    assert [cell.value for cell in written["Totals"]["A"][1:]] == FORMULAS
    assert all(cell.quotePrefix for cell in written["Totals"]["A"])
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        sheets = [archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    assert not any(b"<f>" in sheet or b"<f " in sheet for sheet in sheets)


def test_tables_that_are_missing_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", TOTALS, GRADERS, weights=[], spot_checks=[])
    assert run_export(folder, "--to", "xlsx") == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: these results have no weights.csv; the workbook lacks that sheet",
        "note: these results have no explanations.csv; the workbook lacks that sheet",
        "note: these results have no spotchecks.csv; the workbook lacks that sheet",
    ]


def test_a_roster_means_nothing_to_a_workbook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_export(result_folder(tmp_path / "out"), "--to", "xlsx", "--roster", "x.csv") == 2
    assert capsys.readouterr().err == "xlsx does not use a roster; leave it out (--roster)\n"


def test_other_workbooks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    openpyxl.Workbook().save(path)
    with pytest.raises(InputError, match=r"x\.xlsx: is not a workbook for the staff: it has none of the sheets Totals"):
        workbook.read(path)
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(InputError, match=r"x\.xlsx: is not a readable XLSX workbook; export it again"):
        workbook.read(path)
    other = openpyxl.Workbook()
    other.create_sheet("Totals").append(["=1+1"])
    other.save(path)
    with pytest.raises(InputError, match=r"x\.xlsx, row 1: A1 is a formula"):
        workbook.read(path)
