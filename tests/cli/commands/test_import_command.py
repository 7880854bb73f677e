"""The command `peerage import`: its files, its words and its refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, rows, run_import

EXAMPLE = EXAMPLES / "canvas_reviews.csv"


def test_what_is_written_holds_the_same_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "class"
    assert run_import(EXAMPLE, "-o", out) == 0
    assert {path.name for path in out.iterdir()} == {"peer_grades.csv", "rubric.toml", ".peerage.json"}
    source, written = pg.read_grades(EXAMPLE), pg.read_grades(out / "peer_grades.csv")
    assert rows(written, "author", "role") == rows(source, "author", "role")
    assert written.rubric == source.rubric
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.splitlines()
    assert lines[0].startswith("note: canvas_reviews.csv: was recognised as peer reviews that a script exported")
    assert lines[-4:] == [
        "Kept 9 grades in 5 reviews of 4 submissions by 3 students.",
        "  Criteria #1: 0 to 10 by 0.5",
        "  Criteria #2: 0, 1, 2, 3, 4, 5",
        f"Written to {out}: peer_grades.csv, rubric.toml",
    ]


def test_a_malformed_file_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed("canvas_reviews.csv", tmp_path, [("assigned", "overdue")])
    assert run_import(path, "-o", tmp_path / "class") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "canvas_reviews.csv: was recognised as peer reviews that a script exported from Canvas (canvas-csv); "
        "if that is wrong, name its format (--format)",
        "canvas_reviews.csv, row 5: the state 'overdue' is unknown; a review is assigned or completed",
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == ["canvas_reviews.csv"]


def test_the_format_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("Assessor,Assessee,State,Paper,S\nann,cat,new,p1,1\nbob,cat,new,p1,2\n")
    columns = ["--columns", "author=Assessee"]
    assert run_import(path, "-o", tmp_path / "class", "--format", "table", *columns) == 0
    assert pg.read_grades(tmp_path / "class" / "peer_grades.csv").authors == (("cat",),)
    capsys.readouterr()
    assert run_import(path, "-o", tmp_path / "other", "--format", "blackboard") == 2
    assert capsys.readouterr().err.startswith("there is no format 'blackboard'; use canvas-csv, ")


def test_a_table_of_grades_is_imported_too(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("submission,grader,S\np1,ann,1\np1,bob,2\n")
    assert run_import(path, "-o", tmp_path / "class") == 0
    assert rows(pg.read_grades(tmp_path / "class" / "peer_grades.csv")) == [
        ("p1", "ann", "S", 1),
        ("p1", "bob", "S", 2),
    ]


def test_a_given_rubric_replaces_that_of_the_source(tmp_path: Path) -> None:
    rubric = tmp_path / "fine.toml"
    rubric.write_text(
        '[components]\n"Criteria #1".grades = "0 to 10 by 0.25"\n"Criteria #2".grades = "0 to 5 by 0.5"\n'
    )
    assert run_import(EXAMPLE, "-o", tmp_path / "class", "--rubric", rubric) == 0
    assert pg.Rubric.read(tmp_path / "class" / "rubric.toml") == pg.Rubric.read(rubric)


@pytest.mark.parametrize("content", ['{"a": 1}', '[{"a": 1}]', "[]", "{}"])
def test_json_of_no_known_system(tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.json"
    path.write_text(content)
    assert run_import(path, "-o", tmp_path / "class") == 2
    assert capsys.readouterr().err == ("data.json: is JSON, but not from a known system; export it as CSV or XLSX\n")


def test_damaged_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.json"
    path.write_text('[{"assessor_id": 1')
    assert run_import(path, "-o", tmp_path / "class") == 2
    assert capsys.readouterr().err == (
        "data.json: is damaged JSON (Expecting ',' delimiter: line 1 column 19 (char 18)); save it again\n"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<?xml version='1.0'?><a/>", "is XML, but not from a known system; export it as CSV or XLSX"),
        ("<?xml version='1.0'?><a>", "is damaged XML (no element found: line 1, column 24); export it again"),
        (
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "has a document type (DOCTYPE), which is not read; export it again",
        ),
    ],
)
def test_xml_of_no_known_system(tmp_path: Path, content: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.xml"
    path.write_text(content)
    assert run_import(path, "-o", tmp_path / "class") == 2
    assert capsys.readouterr().err == f"data.xml: {message}\n"


def test_a_table_whose_first_column_begins_with_a_bracket(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("[S],submission,grader\n1,p1,ann\n2,p1,bob\n")
    assert pg.read_grades(path).rubric.names == ("[S]",)


def test_columns_are_refused_where_there_is_nothing_to_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_import(EXAMPLE, "-o", tmp_path / "class", "--columns", "grader=Assessor") == 2
    assert capsys.readouterr().err.splitlines()[1] == (
        "no file has columns to choose from; do not say which column is which, or read the "
        "files as plain tables (--columns)"
    )


def test_a_systems_file_and_a_table_of_ones_own(tmp_path: Path) -> None:
    staff = tmp_path / "staff.csv"
    staff.write_text("submission,grader,Criteria #1,role\n1001,prof,8,instructor\n1002,prof,6.5,instructor\n")
    book = pg.read_grades([EXAMPLE, staff])
    assert book.n_grades == 11
    assert rows(book, "author", "role")[-1] == ("1002", "prof", "Criteria #1", 6.5, "1002", "instructor")


def test_a_folder_of_ones_own_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "notes.txt").write_text("mine")
    assert run_import(EXAMPLE, "-o", tmp_path / "class") == 2
    assert "holds files that are not results" in capsys.readouterr().err
    assert (tmp_path / "class" / "notes.txt").read_text() == "mine"
