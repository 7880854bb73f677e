"""Any gradebook survives being written and read back, in every format and form."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

import peerage as pg
from peerage.tables.escaping import escape_xlsx, guard, unescape_xlsx, unguard
from peerage.tables.known_columns import FIELDS
from peerage.tables.reading_files import read_sheet
from peerage.tables.writing_tables import write_table
from support.classes.classes import NASTY, gradebooks

SUFFIXES = (".csv", ".tsv", ".xlsx", ".parquet")
unhurried = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _assert_same(found: pg.Gradebook, book: pg.Gradebook) -> None:
    pd.testing.assert_frame_equal(found.table(), book.table())
    assert found.submissions == book.submissions
    assert found.graders == book.graders
    assert found.authors == book.authors
    assert found.assignments == book.assignments
    assert found.rubric == book.rubric


@pytest.mark.parametrize("suffix", SUFFIXES)
@unhurried
@given(book=gradebooks())
def test_long(suffix: str, book: pg.Gradebook) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"grades{suffix}"
        book.write(path, rubric=True)
        _assert_same(pg.read_grades(path, exact_ids=True), book)
        assert sorted(entry.name for entry in Path(folder).iterdir()) == sorted([path.name, "rubric.toml"])


@pytest.mark.parametrize("suffix", SUFFIXES)
@unhurried
@given(book=gradebooks().filter(lambda book: not {name.casefold() for name in book.rubric.names} & set(FIELDS)))
def test_wide(suffix: str, book: pg.Gradebook) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"grades{suffix}"
        book.write(path, wide=True)
        _assert_same(pg.read_grades(path, book.rubric, exact_ids=True), book)


@unhurried
@given(book=gradebooks())
def test_table_in_memory(book: pg.Gradebook) -> None:
    _assert_same(pg.read_grades(book.table(), book.rubric, exact_ids=True), book)


def test_a_submission_whose_first_row_has_no_grade_keeps_its_place(tmp_path: Path) -> None:
    table = pd.DataFrame({"submission": ["p1", "p2", "p1"], "grader": ["a", "a", "b"], "S": [None, 1, 2]})
    book = pg.read_grades(table)
    book.write(tmp_path / "g.csv", rubric=True)
    _assert_same(pg.read_grades(tmp_path / "g.csv"), book)


@pytest.mark.parametrize("text", NASTY)
def test_escapes_are_undone(text: str) -> None:
    assert unguard(guard(text)) == text
    assert unescape_xlsx(escape_xlsx(text)) == text
    assert not guard(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize("mark", [*"=+-@\t\r\n", *"＝＋－＠"])
def test_nothing_that_a_spreadsheet_would_compute_is_left(mark: str, tmp_path: Path) -> None:
    cells = [f"{mark}1+1", f"a;{mark}1+1", f"a;b;{mark}1", f";{mark}1", f"'{mark}1"]
    # Where a semicolon divides cells, it does so within what is one cell elsewhere.
    assert [part for cell in cells for part in guard(cell).split(";") if part.startswith(mark)] == []
    write_table(pd.DataFrame({"id": cells, "grade": 1, "more": "x"}), tmp_path / "t.csv")
    column = read_sheet(tmp_path / "t.csv", "t.csv").column("id")
    assert [column[place] for place in range(len(column))] == cells
    assert guard(cells[0]).encode() in (tmp_path / "t.csv").read_bytes()
