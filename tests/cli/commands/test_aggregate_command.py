"""``peerage aggregate``: a method's table on standard output or in a file, or why there is none."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.cli.terminal.table_output import put


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    book, _ = pg.simulate(students=8, weeks=1, components=2, tas=0, seed=1)
    book.write(path, rubric=True)
    return path


def test_grades_go_to_standard_output(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aggregate", str(grades), "--method", "vancouver"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    wanted = pg.aggregate(pg.read_grades(grades), "vancouver").grades()
    pd.testing.assert_frame_equal(printed, wanted, rtol=1e-4)
    assert not any(len(digits.replace(".", "").lstrip("0")) > 5 for digits in map(str, printed["grade"]))


def test_graders_and_json(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aggregate", str(grades), "--method", "additive", "--graders", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["converged"] is True
    assert set(found["rows"][0]) == {"grader", "weight", "bias"}
    assert found["rows"][0]["weight"] is None


def test_a_table_is_written(grades: Path, tmp_path: Path) -> None:
    assert main(["aggregate", str(grades), "--method", "mean", "-o", str(tmp_path / "mean.xlsx")]) == 0
    assert len(pd.read_excel(tmp_path / "mean.xlsx")) == 16


def test_numbers_have_few_digits_and_whole_ones_no_decimals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame({"grader": ["a", "b", "c"], "payment": [2.9000000000000004, 3.0, -6.9e-18], "rank": [1, 2, 3]})
    put(table, None, as_json=False)
    assert capsys.readouterr().out == "grader,payment,rank\na,2.9,1\nb,3,2\nc,0,3\n"
    put(table, None, as_json=True)
    assert [row["payment"] for row in json.loads(capsys.readouterr().out)] == [2.9, 3, 0]
    put(table, tmp_path / "table.tsv", as_json=False)
    assert (tmp_path / "table.tsv").read_text().splitlines()[2:] == ["b\t3\t2", "c\t0\t3"]
    put(table, tmp_path / "table.parquet", as_json=False)
    assert pd.read_parquet(tmp_path / "table.parquet")["payment"].tolist() == [2.9, 3.0, 0.0]
    assert table["payment"][0] == 2.9000000000000004


def test_folders_that_are_missing_are_made(grades: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "newer" / "mean.csv"
    assert main(["aggregate", str(grades), "--method", "mean", "-o", str(target)]) == 0
    assert len(pd.read_csv(target)) == 16
    assert [file.name for file in target.parent.iterdir()] == ["mean.csv"]


@pytest.mark.parametrize("command", [["aggregate", "--method", "mean"], ["pay", "--mechanism", "mse"]])
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("grades.csv/mean.csv", "grades.csv/mean.csv: cannot be written ({folder}/grades.csv is not a folder); name"),
        ("grades.csv", "grades.csv: this is one of the files that are read; name another file"),
        ("taken.csv", "taken.csv: this is a folder; name a file"),
        ("mean.txt", "mean.txt: is not a kind of file that can be written; use .csv, .tsv, .xlsx, .parquet"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_grades_are_read(
    grades: Path, command: list[str], out: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    grades.write_text("unreadable")
    (grades.parent / "taken.csv").mkdir()
    files = sorted(grades.parent.iterdir())
    assert main([command[0], str(grades), *command[1:], "-o", str(grades.parent / out)]) == 2
    assert message.format(folder=grades.parent) in capsys.readouterr().err
    assert sorted(grades.parent.iterdir()) == files
    assert grades.read_text() == "unreadable"


def test_a_table_that_cannot_be_written_after_all_is_said_so(
    grades: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("peerage.support.files.atomic_writes.force_to_disk", fail)
    target = grades.parent / "mean.csv"
    assert main(["aggregate", str(grades), "--method", "mean", "-o", str(target)]) == 2
    assert "mean.csv: cannot be written (No space left on device); name another file" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense", "there is no method 'nonsense'; choose one of peerage,"),
        ("rank-with-ta", "rank-with-ta needs staff grades: "),
    ],
)
def test_what_cannot_be_done_is_said(grades: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aggregate", str(grades), "--method", name]) == 2
    assert message in capsys.readouterr().err


def test_a_method_that_does_not_arrive_says_so(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["aggregate", str(grades), "--method", "vancouver-all-data"])
    found = pg.aggregate(pg.read_grades(grades), "vancouver-all-data")
    assert status == 0
    assert ("had not converged" in capsys.readouterr().err) == (not found.converged)
