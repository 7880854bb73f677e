"""Marks for Canvas: columns that exist there, students that are found there, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from peerage import InputError
from peerage.exports import canvas_gradebook_csv
from peerage.exports.canvas_gradebook_csv import GradebookColumn
from peerage.exports.export_options import Options
from peerage.exports.exporting import export
from peerage.exports.roster import Roster
from peerage.results.results import Results
from support.faults.hostile_files import workbook
from support.programs.exporting import GRADEBOOK, STAFF, TOTALS, refusal, result_folder, run_export

IDS = ("--assignment-id", "Essay 1=501", "--assignment-id", "Essay 2=502")


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_students_who_are_known_by_canvas_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "canvas-gradebook", *IDS, "--credit-assignment-id", 503) == 0
    assert lines(tmp_path / "out-canvas.csv") == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Essay 1 (501),Essay 2 (502),Peer grading (503)",
        "    Points Possible,,,,,13,3,50",
        ",1001,,,,12.00,2.00,40.00",
        ",1002,,,,7.63,0.00,",
        ",1003,,,,13.00,,11.25",
    ]
    captured = capsys.readouterr()
    assert captured.out == (
        f"Written to {tmp_path / 'out-canvas.csv'}: 3 students; "
        "columns: Essay 1 (501), Essay 2 (502), Peer grading (503)\n"
    )
    assert captured.err.splitlines() == [
        "note: no mark for peer grading (too little to tell): '1002'",
        "note: a cell is empty, and Canvas would remove any mark there: '1002', '1003'; "
        "to keep such marks, give Canvas's own gradebook as the roster (--roster)",
    ]


def test_only_one_assignment_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "canvas-gradebook", "--only", "Essay 2", "--assignment-id", "502") == 0
    assert lines(tmp_path / "out-canvas.csv") == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Essay 2 (502)",
        "    Points Possible,,,,,3",
        ",1001,,,,2.00",
        ",1002,,,,0.00",
    ]
    capsys.readouterr()
    assert run_export(folder, "--to", "canvas-gradebook", "--only", "Essay 3", "--force", *IDS) == 2
    assert "the results have no assignment 'Essay 3'; use 'Essay 1', 'Essay 2' (--only)" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Student", "LastName"])
def test_canvas_s_own_gradebook_is_not_taken_for_a_roster_in_memory(tmp_path: Path, name: str) -> None:
    """Who is excused, and marks that are not ours, would be lost."""
    results = Results.read(result_folder(tmp_path / "out", TOTALS[:2]))
    table = pd.DataFrame({name: ["Novak, Ada"], "ID": ["1001"], "SIS Login ID": ["ada"], "Section": ["1"]})
    with pytest.raises(InputError, match="is Canvas's own gradebook as a table in memory; give the file"):
        export(results, "canvas-gradebook", tmp_path / "marks.csv", Options(Roster.of_table(table)))
    assert not (tmp_path / "marks.csv").exists()


def test_canvas_s_own_gradebook_says_who_and_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ids of assignments and students come from the gradebook; marks that are not ours stay as they are."""
    totals = [*TOTALS, ("s6", "Essay 1", "1098", 4.0)]
    folder = result_folder(tmp_path / "out", totals)
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK) == 0
    assert lines(tmp_path / "out-canvas.csv") == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Essay 1 (501),essay 2 (502),Peer grading (503)",
        "    Points Possible,,,,,13.00,10.00,50.00",
        '"Novak, Ada",1001,007,ada,Tutorial A and Tutorial B,12.00,2.00,40.00',
        '"Okoro, Ben",1002,008,ben,Tutorial A,7.63,EX,25.00',
        '"Li, ""Cat""",1003,009,cat,Tutorial A,13.00,N/A,11.25',
    ]
    assert capsys.readouterr().err.splitlines() == [
        "note: no mark for peer grading (too little to tell): '1002'",
        "note: 'essay 2 (502)' is out of 10.00 in Canvas, and out of 3 here; "
        "if that is wrong, change the points in Canvas or in the rubric",
        "note: canvas_gradebook.csv: found 3 of 4 people by the column 'ID'",
        "note: canvas_gradebook.csv: left out, because the roster does not have them: '1098'",
        "note: canvas_gradebook.csv: left out, because they have no mark: '1004', '1005', '1099'",
        "note: stay excused in Canvas: '1002'",
    ]


def test_names_that_two_people_have_are_not_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["Ada Novak", "Ben Okoro", 'Dan "Danny" Silva', "Dan Silva"]
    folder = result_folder(tmp_path / "out", [(f"s{i}", "Essay 1", name, 5.0) for i, name in enumerate(names)], STAFF)
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK) == 2
    assert "no column holds most of the class's ids" in capsys.readouterr().err
    assert (
        run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK, "--match", "student, first name first")
        == 0
    )
    said = capsys.readouterr().err
    assert "left out, because the roster has two of them: 'Dan Silva'" in said
    assert "left out, because the roster does not have them: 'Dan \"Danny\" Silva'" in said
    assert [line.split(",")[2] for line in lines(tmp_path / "out-canvas.csv")[2:]] == ["1001", "1002"]


def test_without_an_id_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "canvas-gradebook", "--assignment-id", "Essay 1=501") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "Canvas would create a new assignment for 'Essay 2' without its id; "
        "give a gradebook that has the assignment as the roster, or give the id (--assignment-id)\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_marks_for_peer_grading_are_left_out_without_an_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", TOTALS[:3])
    assert run_export(folder, "--to", "canvas-gradebook", "--assignment-id", 77) == 0
    assert lines(tmp_path / "out-canvas.csv")[0].endswith("Section,Essay 1 (77)")
    assert "left out the marks for peer grading; to export them, give the id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--assignment-id", "12"], "the id 12 could be of any of 2 assignments; write NAME=ID for each of"),
        (["--assignment-id", "Essay 3=12"], "there is no assignment 'Essay 3'; use 'Essay 1', 'Essay 2'"),
        (["--assignment-id", "Essay 1=twelve"], "'twelve' is not a Canvas id; use the number at the end"),
        (["--assignment-id", "Essay 1=1", "--assignment-id", "Essay 1=2"], "the assignment already has an id"),
        (["--assignment-id", "Essay 1=1", "--assignment-id", "Essay 2=1"], "two assignments have the same id"),
        (["--id-column", "Email"], "Canvas has no column 'Email'; use ID, SIS User ID, SIS Login ID"),
        (["--roster", str(GRADEBOOK), "--id-column", "ID"], "a column of ids cannot be used together with a roster"),
        (["--roster", str(GRADEBOOK), "--match", "Email"], "has no column 'Email' to match by; use one of Student, ID"),
        (["--roster", str(GRADEBOOK), "--assignment-id", "Essay 1=9"], "the gradebook has no assignment with the id 9"),
        (["--match", "ID"], "there is no roster whose column could be matched; give a roster (--roster)"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "out")
    ids = [] if any("assignment" in argument for argument in arguments) else list(IDS)
    assert run_export(folder, "--to", "canvas-gradebook", *ids, *arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_assignment_that_the_gradebook_has_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", [("s1", "Quiz", "1001", 3.0)])
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK) == 2
    assert "has 2 assignments called 'Quiz'; say which is meant: 504, 505 (--assignment-id)" in (
        capsys.readouterr().err
    )
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK, "--assignment-id", 505) == 0
    assert "Quiz (505)" in lines(tmp_path / "out-canvas.csv")[0]


def test_ids_that_canvas_would_misread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Canvas takes 12b for the student 12."""
    folder = result_folder(tmp_path / "out", [("s1", "", "12b", 3.0)], STAFF)
    arguments = ("--to", "canvas-gradebook", "--assignment-id", 5)
    assert run_export(folder, *arguments) == 2
    assert "students are called '12b', which is not a Canvas ID" in capsys.readouterr().err
    (tmp_path / "roster.csv").write_text("key,ID\n12b,34c\n")
    assert run_export(folder, *arguments, "--roster", tmp_path / "roster.csv") == 2
    assert "students are called '34c', which is not a Canvas ID" in capsys.readouterr().err
    assert run_export(folder, *arguments, "--id-column", "sis login id") == 0
    assert lines(tmp_path / "out-canvas.csv")[2] == ",,,12b,,3.00"


def test_a_roster_of_one_s_own(tmp_path: Path) -> None:
    roster = tmp_path / "class.csv"
    roster.write_text("number;SIS User ID\n1001;=a\n1002;'b\n1003;c d\n")
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", roster, *IDS) == 0
    assert [line.split(",")[2] for line in lines(tmp_path / "out-canvas.csv")[2:]] == ["=a", "'b", "c d"]


def test_a_mark_that_neither_we_nor_canvas_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cat has no mark for peer grading there, and with this class none here."""
    folder = result_folder(tmp_path / "out", graders=[("1001", "student", 40.0), ("1002", "student", 3.0)])
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", GRADEBOOK) == 0
    assert lines(tmp_path / "out-canvas.csv")[4].endswith("13.00,N/A,")
    assert "a cell is empty" not in capsys.readouterr().err


def test_a_roster_without_any_id_of_canvas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roster = tmp_path / "class.csv"
    roster.write_text("number,mail\n1001,a\n1002,b\n1003,c\n")
    assert run_export(result_folder(tmp_path / "out"), "--to", "canvas-gradebook", "--roster", roster, *IDS) == 2
    assert "has no ID, SIS User ID or SIS Login ID of '1001'" in capsys.readouterr().err


def test_what_cannot_be_kept_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Canvas takes a student with such a name for the row of maxima, and so would we."""
    roster = tmp_path / "class.csv"
    roster.write_text("Student,ID\nAnn Points Possible,1001\nBob,1002\nCat,1003\n")
    assert run_export(result_folder(tmp_path / "out"), "--to", "canvas-gradebook", "--roster", roster, *IDS) == 2
    assert "cannot be kept as it is in a Canvas gradebook" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.csv", "out"]


def test_exactly_what_canvas_exported_is_read() -> None:
    book = canvas_gradebook_csv.read(GRADEBOOK)
    assert book.columns == (
        GradebookColumn("Essay 1", "501", "13.00"),
        GradebookColumn("essay 2", "502", "10.00"),
        GradebookColumn("Peer grading", "503", "50.00"),
        GradebookColumn("Quiz", "504", "5.00"),
        GradebookColumn("Quiz", "505", "5.00"),
    )
    assert [who[0] for who, _ in book.students] == [
        "Novak, Ada",
        "Okoro, Ben",
        'Li, "Cat"',
        "Silva, Dan",
        "Silva, Dan",
        "Student, Test",
    ]
    assert book.students[1] == (
        ("Okoro, Ben", "1002", "008", "ben", "", "Tutorial A"),
        ("", "EX", "25.00", "3.00", "N/A"),
    )


def test_first_and_last_names_apart_and_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.csv"
    path.write_text(
        "LastName;FirstName;ID;SIS Login ID;Section;Essay (5)\n    Points Possible;;;;;4,00\nLi;Cat;7;cat;A;1,50\n"
    )
    book = canvas_gradebook_csv.read(path)
    assert book.students == ((("Li, Cat", "7", "", "cat", "", "A"), ("1,50",)),)


def test_semicolons_in_names_are_not_delimiters(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.csv"
    path.write_text('Student,ID,Section,"a;b;c;d;e;f (5)"\nAnn,1,A;B;C;D,2\n')
    assert canvas_gradebook_csv.recognises(path)
    assert canvas_gradebook_csv.read(path).columns == (GradebookColumn("a;b;c;d;e;f", "5"),)


def test_a_roster_that_is_missing_or_a_workbook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, roster = result_folder(tmp_path / "out"), tmp_path / "gradebook.xlsx"
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", roster) == 2
    assert "gradebook.xlsx: cannot be read (No such file or directory); check the path" in capsys.readouterr().err
    roster.write_bytes(workbook([[["Student", "ID", "Section", "Essay 1 (501)"], ["Ann", 1001, "A", 2]]]))
    assert run_export(folder, "--to", "canvas-gradebook", "--roster", roster) == 2
    assert capsys.readouterr().err == (
        "gradebook.xlsx: is a Canvas gradebook that was saved as a workbook; "
        "give the CSV file that Canvas has exported\n"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Student,ID,Essay (5)\nAnn,1,2\n", "g.csv: is not a Canvas gradebook: it has no column 'Section'"),
        ("ID,Student,Section\n1,Ann,A\n", "it does not begin with the column 'Student'"),
        ("Student,ID,Section,Essay (5)\nAnn,1,A\n", "g.csv, row 2: 3 cells where the header has 4"),
        ("Student,ID,Section,A (5),B (5)\nAnn,1,A,2,3\n", "two columns have the id '5'"),
        ('Student,ID,Section,"A (5)\nAnn,1,A,2\n', "g.csv: is damaged"),
        ("", "is not a Canvas gradebook"),
    ],
)
def test_a_malformed_gradebook(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(content)
    assert message in refusal(canvas_gradebook_csv.read, path)
