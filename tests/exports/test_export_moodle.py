"""Marks for Moodle's grade import."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerage.exports import moodle_grades
from peerage.exports.moodle_grades import Grades
from support.programs.exporting import MOODLE_ROSTER, STAFF, TOTALS, refusal, result_folder, run_export

HEADER = "Essay 1 (submission),Essay 2 (submission),Peer grading (assessment)"


def test_students_who_are_known_by_moodle_s_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "moodle-grades") == 0
    path = tmp_path / "out-moodle.csv"
    assert path.read_text("utf-8").splitlines() == [
        f"userid,{HEADER}",
        "1001,12,2,40",
        "1002,7.625,0,",
        "1003,13,,11.25",
    ]
    assert capsys.readouterr().err == "note: no mark for peer grading (too little to tell): '1002'\n"
    assert moodle_grades.read(path) == Grades(
        "userid",
        tuple(HEADER.split(",")),
        (("1001", (12, 2, 40)), ("1002", (7.625, 0, None)), ("1003", (13, None, 11.25))),
    )


def test_a_roster_gives_addresses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One student has no address, two share one, and one is in the roster alone."""
    folder = result_folder(tmp_path / "out", [*TOTALS, ("s6", "Essay 1", "007", 1.5)])
    assert run_export(folder, "--to", "moodle-grades", "--roster", MOODLE_ROSTER, "--id-column", "useremail") == 0
    assert (tmp_path / "out-moodle.csv").read_text("utf-8").splitlines() == [
        f"useremail,{HEADER}",
        "ada@example.edu,12,2,40",
        "ben@example.edu,7.625,0,",
    ]
    assert capsys.readouterr().err.splitlines() == [
        "note: no mark for peer grading (too little to tell): '1002'",
        "note: moodle_grade_export.csv: found 4 of 4 people by the column 'ID number'",
        "note: moodle_grade_export.csv: left out, because they have no mark: 'Dan'",
        "note: moodle_grade_export.csv: left out, because 'Email address' is empty or belongs to several people: "
        "'1003', '007'",
    ]


def test_full_names_are_matched_unless_two_people_have_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["Ada Novak", "Ben Okoro", "Cat Li", "Dan Silva"]
    folder = result_folder(tmp_path / "out", [(f"s{name}", "", name, 5.0) for name in names], STAFF)
    options = ("--roster", MOODLE_ROSTER, "--id-column", "useridnumber")
    assert run_export(folder, "--to", "moodle-grades", *options) == 0
    written = moodle_grades.read(tmp_path / "out-moodle.csv")
    assert written.items == ("Workshop (submission)",)
    assert [who for who, _ in written.rows] == ["1001", "1002", "1003"]
    assert "left out, because the roster has two of them: 'Dan Silva'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id-column", "login"], "Moodle has no column 'login'; use userid, useridnumber, useremail, username"),
        (["--id-column", "useremail"], "people are called '1001', '1002', '1003', which is not a useremail of Moodle"),
        (["--roster", str(MOODLE_ROSTER), "--id-column", "username"], "has no column 'username'; add it to the roster"),
        (["--assignment-id", "5"], "moodle-grades does not use ids of assignments; leave it out (--assignment-id)"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "moodle-grades", *arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_ids_that_are_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", [("s1", "", "²", 3.0)], STAFF)
    assert run_export(folder, "--to", "moodle-grades") == 2
    assert "people are called '²', which is not a userid of Moodle" in capsys.readouterr().err


def test_two_columns_that_could_both_hold_the_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("a,b,username\n1001,1002,x\n1002,1003,y\n1003,1001,z\n")
    arguments = (
        result_folder(tmp_path / "out"),
        "--to",
        "moodle-grades",
        "--roster",
        roster,
        "--id-column",
        "username",
    )
    assert run_export(*arguments) == 2
    assert "the columns 'a' and 'b' hold the class's ids equally often but of different people" in (
        capsys.readouterr().err
    )
    assert run_export(*arguments, "--match", "b") == 0
    assert [who for who, _ in moodle_grades.read(tmp_path / "out-moodle.csv").rows] == ["z", "x", "y"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("username,Essay\nann,good\n", "m.csv, row 2: 'good' is not a number; write a number, or leave it empty"),
        ("username,Essay\nann\n", "m.csv, row 2: has 1 cells where the header has 2; export it again"),
        ("name,Essay\nann,3\n", "its first column is not userid or useridnumber or useremail or username"),
    ],
)
def test_a_malformed_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(content)
    assert message in refusal(moodle_grades.read, path)
