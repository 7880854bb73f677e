"""What is named in place of a file of grades: folders, nothing, and what is no path at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main

LONG = "submission,grader,component,grade\np1,ann,S,1\np1,bob,S,3\n"
NO_PATH = "; give the path of a file, several paths, or a table such as pandas'"


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (None, f"no grades can be read from None{NO_PATH}"),
        (5, f"no grades can be read from 5{NO_PATH}"),
        (["grades.csv", None], f"no grades can be read from None{NO_PATH}"),
        (b"grades.csv", f"no grades can be read from b'grades.csv'{NO_PATH}"),
        ({"grades.csv": 1}, f"no grades can be read from {{'grades.csv': 1}}{NO_PATH}"),
        ("", "the name of a file of grades is empty; name the file"),
        ([], "no file of grades was given; name at least one"),
    ],
)
def test_what_names_no_file_is_refused_in_a_sentence(paths: object, said: str) -> None:
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(paths)  # type: ignore[arg-type]
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("files", "such_as"),
    [
        ([], ""),
        (["staff.csv", "peer_grades.csv"], ", such as peer_grades.csv"),
        (["week1.XLSX", "notes.txt"], ", such as week1.XLSX"),
        (["week1.csv", "week2.csv"], ""),
    ],
)
def test_a_folder_is_called_one_and_the_likely_file_in_it_is_named(
    tmp_path: Path, files: list[str], such_as: str
) -> None:
    for name in files:
        (tmp_path / name).write_text(LONG)
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a folder; name the file in it{such_as}"


@pytest.mark.parametrize("command", [["check"], ["fit"], ["aggregate", "--method", "mean"]])
def test_commands_refuse_a_folder_of_grades(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "grades.csv").write_text(LONG)
    assert main([command[0], str(tmp_path / "class"), *command[1:]]) == 2
    folder = tmp_path / "class"
    assert capsys.readouterr().err == f"{folder}: is a folder; name the file in it, such as grades.csv\n"


def test_a_folder_in_place_of_another_file_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text(LONG)
    with pytest.raises(pg.InputError, match=r": is a folder; name the file in it$"):
        pg.read_grades(tmp_path / "grades.csv", rubric=tmp_path)
