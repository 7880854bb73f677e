"""The command `peerage export`: what it may replace, and what is there when something goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peerage import cli
from peerage.cli.commands.export import ExportFormat
from peerage.exports import mta2_files, students_csv, workbook
from peerage.exports.exporting import NAMES, export_folder
from support.programs.exporting import GRADEBOOK, result_folder, run_export
from support.programs.importing import EXAMPLES


def test_the_command_offers_every_format() -> None:
    assert [known.value for known in ExportFormat] == list(NAMES)


def test_every_format_is_documented() -> None:
    page = (EXAMPLES.parents[1] / "docs" / "export.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []


def test_a_class_from_its_grades_to_every_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The grades of a real fit arrive in each file."""
    assert cli.main(["simulate", "-o", str(tmp_path / "class"), "--students", "8", "--weeks", "1"]) == 0
    grades = str(tmp_path / "class" / "peer_grades.csv")
    assert cli.main(["fit", grades, "-o", str(tmp_path / "out"), "--chains", "1", "--draws", "20", "-q"]) == 0
    for arguments in (["csv"], ["mta2"], ["xlsx"], ["moodle-grades", "--id-column", "username"]):
        assert run_export(tmp_path / "out", "--to", *arguments) == 0
    rows = students_csv.read(tmp_path / "out-students.csv")
    assert len({row.student for row in rows if row.submission}) == 8
    totals = {row.submission: row.total for row in rows if row.submission}
    files = mta2_files.read(tmp_path / "out-mta2")
    assert {submission: grade for submission, grade, _ in files.grades} == totals
    for _, _, weights in files.grades:
        assert sum(weight for _, weight in weights) == pytest.approx(1)
    tables = workbook.read(tmp_path / "out.xlsx").tables
    assert {row[0]: row[3] for row in tables["Totals"].rows} == totals
    assert len(tables["Sentences"].rows) == len(tables["Grades"].rows)
    capsys.readouterr()


def test_a_file_that_exists_is_kept_unless_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, path = result_folder(tmp_path / "out"), tmp_path / "mine.csv"
    path.write_text("mine")
    assert run_export(folder, "--to", "csv", "-o", path) == 2
    assert capsys.readouterr().err == f"{path}: this file exists; name another, or ask to replace it (--force)\n"
    assert path.read_text() == "mine"
    assert run_export(folder, "--to", "csv", "-o", path, "--force") == 0
    assert path.read_text().startswith("student,assignment")


def test_what_was_changed_by_hand_is_exported_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, path = result_folder(tmp_path / "out"), tmp_path / "marks.csv"
    assert run_export(folder, "--to", "csv", "-o", path) == 0
    usual = capsys.readouterr().err.splitlines()
    totals = (folder / "totals.csv").read_text().replace("7.625", "9.125")
    (folder / "totals.csv").write_text(totals)
    (folder / "weights.csv").unlink()
    (folder / "notes.txt").write_text("mine")
    assert run_export(folder, "--to", "csv", "-o", path, "--force") == 0
    assert sorted(set(capsys.readouterr().err.splitlines()).difference(usual)) == [
        "note: out/totals.csv: was changed after it was written; fit the class again, unless this was meant",
        "note: out/weights.csv: is missing; fit the class again, unless this was meant",
    ]
    assert 9.125 in [row.total for row in students_csv.read(path)]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    """Also with --force: the file is replaced only when the new one is complete."""
    folder, path, roster = result_folder(tmp_path / "out"), tmp_path / "mine.csv", tmp_path / "roster.csv"
    path.write_text("mine")
    roster.write_text("Student,ID\nPoints Possible,1001\nBob,1002\nCat,1003\n")
    ids = ("--assignment-id", "Essay 1=1", "--assignment-id", "Essay 2=2")
    command = (folder, "--to", "canvas-gradebook", "--roster", roster, *ids, "-o", path, "--force")
    assert run_export(*command) == 2
    assert path.read_text() == "mine"
    assert {entry.name for entry in tmp_path.iterdir()} == {"out", "mine.csv", "roster.csv"}


def test_a_new_folder_is_made_for_the_file(tmp_path: Path) -> None:
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "csv", "-o", tmp_path / "new" / "deep" / "marks.csv") == 0
    assert [path.name for path in (tmp_path / "new" / "deep").iterdir()] == ["marks.csv"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("marks.txt", "a table of students' marks is a file that ends in .csv; name one"),
        ("out/marks.csv", "this is in the result folder, which must hold nothing else; name another place"),
        ("dir.csv", "this is a folder; name a file"),
        ("file/marks.csv", "cannot be written (File exists); name another file"),
    ],
)
def test_targets_that_are_refused(
    tmp_path: Path, target: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "out")
    (tmp_path / "dir.csv").mkdir()
    (tmp_path / "file").write_text("mine")
    assert run_export(folder, "--to", "csv", "-o", tmp_path / target, "--force") == 2
    assert capsys.readouterr().err == f"{tmp_path / target}: {message}\n"


def test_the_roster_is_never_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, roster = result_folder(tmp_path / "out"), tmp_path / "gradebook.csv"
    roster.write_bytes(GRADEBOOK.read_bytes())
    command = (folder, "--to", "canvas-gradebook", "--roster", roster, "-o", roster, "--force")
    assert run_export(*command) == 2
    assert capsys.readouterr().err == f"{roster}: this is the roster; name another file\n"
    assert roster.read_bytes() == GRADEBOOK.read_bytes()


def test_a_folder_of_ones_own_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    assert run_export(folder, "--to", "mta2", "-o", tmp_path / "notes", "--force") == 2
    assert "this folder holds files that are not results" in capsys.readouterr().err
    assert run_export(folder, "--to", "mta2", "-o", folder) == 2
    assert "lies in this folder" in capsys.readouterr().err
    assert run_export(folder, "--to", "mta2", "-o", result_folder(tmp_path / "other")) == 2
    assert "this folder holds the results of a fit; name another" in capsys.readouterr().err


def test_a_folder_with_a_dot_in_its_name(tmp_path: Path) -> None:
    folder = result_folder(tmp_path / "week.1")
    assert export_folder(folder, "csv").path.name == "week.1-students.csv"
    assert export_folder(folder, "xlsx").path.name == "week.1.xlsx"
    assert (export_folder(folder, "mta2").path / "grades.csv").exists()


@pytest.mark.parametrize("name", ["grades.csv", "totals.csv", "graders.csv", "run.json"])
def test_results_of_which_a_part_is_missing(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    (folder / name).unlink()
    assert run_export(folder, "--to", "moodle-grades") == 2
    assert capsys.readouterr().err == f"{name}: is missing or damaged; fit the class again\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("totals.csv", ",12.0,", ",twelve,", "totals.csv, row 2: 'twelve' in the column 'total' is not a number"),
        ("totals.csv", "author", "writer", "totals.csv: has no column 'author'"),
        ("graders.csv", ",40.0", ",much", "graders.csv, row 2: 'much' in the column 'credit' is not a number"),
        ("grades.csv", "component", "criterion", "grades.csv: has no column 'component'"),
    ],
)
def test_results_that_somebody_has_edited(
    tmp_path: Path, file: str, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "out")
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    assert run_export(folder, "--to", "moodle-grades") == 2
    assert capsys.readouterr().err == f"{message}; fit the class again\n"


@pytest.mark.parametrize("to", NAMES)
@pytest.mark.parametrize("entry", ["rubric", "counts", "input", "warnings", "choices", "final"])
def test_a_record_that_is_damaged(tmp_path: Path, to: str, entry: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**record, entry: 5}))
    assert run_export(folder, "--to", to) == 2
    kind = {"rubric": "a table", "counts": "a table", "choices": "a table", "final": "text"}.get(entry, "a list")
    said = f"run.json: is missing or damaged ({entry!r} is not {kind}); fit the class again\n"
    assert capsys.readouterr().err == said


def test_a_record_that_is_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    (folder / "run.json").write_text(json.dumps([1]))
    assert run_export(folder, "--to", "csv") == 2
    assert capsys.readouterr().err == "run.json: is missing or damaged (it is not a table); fit the class again\n"


def test_a_control_character_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out")
    text = (folder / "totals.csv").read_text()
    (folder / "totals.csv").write_text(text.replace("Essay 1", "Essay \x01"))
    assert run_export(folder, "--to", "xlsx") == 2
    assert capsys.readouterr().err == "totals.csv: holds a control character; fit the class again\n"


def test_a_folder_that_is_not_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_export(tmp_path, "--to", "csv") == 2
    assert "there are no results here; name a folder that peerage has written" in capsys.readouterr().err
