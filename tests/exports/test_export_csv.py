"""The tidy table of marks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from peerage.errors import InputError
from peerage.exports import students_csv
from peerage.exports.export_options import Options
from peerage.exports.exporting import export
from peerage.exports.roster import Roster
from peerage.exports.students_csv import StudentRow
from peerage.results.results import Results
from support.programs.exporting import MOODLE_ROSTER, STAFF, TOTALS, result_folder, run_export


def test_a_row_for_each_submission_of_each_student(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two submissions in one assignment have two rows; who only graded has one; whose author is unknown has none."""
    totals = [*TOTALS[:2], ("s7", "Essay 1", "1001", 3.0), ("s8", "Essay 1", "", 4.0)]
    folder = result_folder(tmp_path / "out", totals)
    assert run_export(folder, "--to", "csv") == 0
    assert (tmp_path / "out-students.csv").read_text("utf-8").splitlines() == [
        "student,assignment,submission,total,credit",
        "1001,Essay 1,s1,12,40",
        "1002,Essay 1,s2,7.625,",
        "1001,Essay 1,s7,3,40",
        "1003,,,,11.25",
    ]
    assert capsys.readouterr().err.splitlines() == [
        "note: left out 1 submission without an author: 's8'",
        "note: no mark for peer grading (too little to tell): '1002'",
    ]


def test_ids_that_look_like_formulas_are_guarded_and_read_back(tmp_path: Path) -> None:
    folder = result_folder(tmp_path / "out", [("=1+1", "@week", "-ann", 1.0), ("007", "", "'=x", 2.0)], STAFF)
    assert run_export(folder, "--to", "csv") == 0
    path = tmp_path / "out-students.csv"
    assert path.read_text("utf-8").splitlines()[1:] == ["'-ann,'@week,'=1+1,1,", "''=x,,007,2,"]
    assert students_csv.read(path) == (
        StudentRow("-ann", "@week", "=1+1", 1, None),
        StudentRow("'=x", "", "007", 2, None),
    )


def test_names_from_a_roster(tmp_path: Path) -> None:
    folder = result_folder(tmp_path / "out", TOTALS[:2])
    options = ("--roster", MOODLE_ROSTER, "--id-column", "first name and last name")
    assert run_export(folder, "--to", "csv", *options) == 0
    assert [row.student for row in students_csv.read(tmp_path / "out-students.csv")] == [
        "Ada Novak",
        "Ben Okoro",
        "Cat Li",
    ]


def test_a_roster_may_be_a_table_in_memory(tmp_path: Path) -> None:
    results = Results.read(result_folder(tmp_path / "out", TOTALS[:2], STAFF))
    roster = Roster.of_table(pd.DataFrame({"id": ["1001", "1002"], "name": ["Ada", "Ben"]}))
    written = export(results, "csv", tmp_path / "marks.csv", Options(roster, id_column="name"))
    assert [row.student for row in students_csv.read(written.path)] == ["Ada", "Ben"]
    assert "found 2 of 2 people by the column 'id'" in {notice.message for notice in written.notices}


def test_a_roster_needs_a_column_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "csv", "--roster", MOODLE_ROSTER) == 2
    assert capsys.readouterr().err == "a roster has several columns; say which of them to write (--id-column)\n"


@pytest.mark.parametrize("to", ["csv", "moodle-grades"])
def test_a_class_without_authors(tmp_path: Path, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", [("s1", "", "", 3.0)], STAFF)
    assert run_export(folder, "--to", to) == 2
    assert capsys.readouterr().err == (
        "totals.csv: does not say who wrote the submissions; give the grades a column 'author' and fit again\n"
    )


def test_several_submissions_in_one_assignment_have_no_one_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "out", [*TOTALS, ("s9", "Essay 2", "1001", 3.0)])
    assert run_export(folder, "--to", "moodle-grades") == 0
    assert (
        "left out authors with several submissions in the assignment 'Essay 2': '1001'; enter their marks by hand"
        in (capsys.readouterr().err)
    )
    assert "1001,12,,40" in (tmp_path / "out-moodle.csv").read_text("utf-8")
    folder = result_folder(tmp_path / "two", [("s1", "", "1001", 3.0), ("s2", "", "1001", 3.0)], STAFF)
    assert run_export(folder, "--to", "moodle-grades") == 2
    assert capsys.readouterr().err == (
        "totals.csv: every author has several submissions in the only assignment; "
        "give the grades a column 'assignment' and fit again\n"
    )


def test_results_of_before_there_was_credit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", credit=False)
    assert run_export(folder, "--to", "csv") == 0
    assert capsys.readouterr().err == (
        "note: these results have no marks for peer grading; fit the class again to get them\n"
    )


def test_authors_who_owed_reviews_and_did_none_have_no_points(tmp_path: Path) -> None:
    totals = [*TOTALS[:1], ("s9", "Essay 1", "idle", 5.0)]
    assert run_export(result_folder(tmp_path / "a", totals), "--to", "csv") == 0
    assert StudentRow("idle", "Essay 1", "s9", 5, None) in students_csv.read(tmp_path / "a-students.csv")
    assert run_export(result_folder(tmp_path / "b", totals, required_reviews=3), "--to", "csv") == 0
    assert StudentRow("idle", "Essay 1", "s9", 5, 0) in students_csv.read(tmp_path / "b-students.csv")
    assert (
        run_export(
            result_folder(tmp_path / "c", totals, required_reviews=3),
            "--to",
            "moodle-grades",
            "--id-column",
            "username",
        )
        == 0
    )
    assert "idle,5,0" in (tmp_path / "c-moodle.csv").read_text("utf-8").splitlines()


def test_a_table_that_is_another(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("student,assignment,total,credit\na,b,1,2\n")
    with pytest.raises(InputError, match=r"x\.csv: is not a table of students' marks: it has no column 'submission'"):
        students_csv.read(path)
