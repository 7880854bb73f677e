"""Files and tables whose cells have types: XLSX, Parquet, DataFrames."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import peerage as pg
from support.faults.hostile_files import workbook

HEADER = ["submission", "grader", "grade"]


def test_workbook_ids_are_what_the_cell_shows(tmp_path: Path) -> None:
    path = tmp_path / "grades.xlsx"
    path.write_bytes(workbook([[HEADER, [7, "007", 1], [8.0, "NA", 2.5], ["7.0", True, 3], [1.5, 123456789012345, 2]]]))
    book = pg.read_grades(path)
    assert book.submissions == ("7", "8", "7.0", "1.5")
    assert book.graders == ("007", "NA", "TRUE", "123456789012345")


def test_workbook_number_format_of_zeros_keeps_leading_zeros(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (HEADER, ["p1", 7, 1], ["p1", 8, 2]):
        sheet.append(row)
    sheet["B2"].number_format = "000"
    book.save(tmp_path / "grades.xlsx")
    assert pg.read_grades(tmp_path / "grades.xlsx").graders == ("007", "8")


def test_workbook_blank_rows_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "grades.xlsx"
    when = datetime(2024, 5, 1, 10, 30)
    rows: list[list[object]] = [[], [*HEADER, "time"], [], ["p1", "ann", 1, when], [], ["p1", "bob", "2,5", None]]
    path.write_bytes(workbook([[], rows]))
    book = pg.read_grades(path)
    assert book.times is not None
    assert book.times[0] == np.datetime64(when)
    assert book.table()["grade"].tolist() == [1, 2.5]
    path.write_bytes(workbook([[], [*rows, ["p2", "ann", "bad", None]]]))
    with pytest.raises(pg.InputError, match=r"grades\.xlsx, row 7: the grade 'bad'"):
        pg.read_grades(path)


def test_workbook_renamed_to_csv_is_still_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_bytes(workbook([[HEADER, ["p1", "ann", 1], ["p1", "bob", 2]]]))
    assert pg.read_grades(path).n_grades == 2


def test_parquet_of_numbers_and_categories(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "submission": pd.Categorical(["b", "a", "b"]),
            "grader": [7.0, 8.0, 8.0],
            "grade": pd.array([1, 2, None], dtype="Int64"),
            "author": [None, "x;y", None],
        }
    )
    table.to_parquet(tmp_path / "grades.parquet")
    book = pg.read_grades(tmp_path / "grades.parquet")
    assert book.submissions == ("b", "a")
    assert book.graders == ("7", "8")
    assert book.authors == ((), ("x", "y"))
    assert book.n_grades == 2


def test_table_in_memory_counts_rows_from_zero() -> None:
    table = pd.DataFrame({"submission": ["p1", "p1"], "grader": ["ann", None], "grade": [1, float("inf")]})
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(table)
    assert [str(problem) for problem in caught.value.problems[:2]] == [
        "row 1: the grader is empty; give each row the id of its grader, or remove the row",
        "row 1: the grade 'inf' of 'grade' is not a number; "
        "write a number, or leave the cell empty if nothing was graded",
    ]


def test_times_with_zones_become_utc() -> None:
    zoned = pd.to_datetime(["2024-05-01T10:00+02:00", "2024-05-01T10:00+02:00"]).tz_convert("Europe/Paris")
    table = pd.DataFrame({"submission": ["p1", "p1"], "grader": ["ann", "bob"], "grade": [1, 2], "time": zoned})
    book = pg.read_grades(table)
    assert book.times is not None
    assert book.times[0] == np.datetime64(datetime(2024, 5, 1, 8, tzinfo=UTC).replace(tzinfo=None))


def test_formulas_count_by_their_stored_result(tmp_path: Path) -> None:
    """Excel stores a formula's result beside it; openpyxl cannot, so the result is put into the file by hand."""
    original = io.BytesIO(workbook([[HEADER, ["p1", "ann", "=1+2"], ["p1", "bob", 1]]]))
    path = tmp_path / "grades.xlsx"
    with zipfile.ZipFile(original) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, re.sub(rb"(<f>1\+2</f>)<v ?/>", rb"\1<v>3</v>", source.read(name)))
    assert pg.read_grades(path).table()["grade"].tolist() == [3, 1]
