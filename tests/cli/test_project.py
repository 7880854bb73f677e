"""The project file: a class is fitted by ``peerage fit`` alone, and the file holds nothing but settings."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main
from peerage.cli.project_file import defaults
from support.classes.term import FAST, class_table, record, rows, written


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two weeks of a class, which is the current one."""
    table = class_table()
    for week in ("week1", "week2"):
        written(table[table["assignment"] == week], tmp_path / "class" / f"{week}.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_fit_alone_does_what_the_file_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "peerage.toml").write_text(
        'grades = ["class/week*.csv"]\noutput = "out"\nrequired_reviews = 9\nseed = 4\ncredit_scale = "0.1:0, 1:7"\n'
        "[model]\neffort = false\ncorrelation = true\nbias = true\n"
    )
    assert main(["fit", *FAST]) == 0
    assert "note: using the settings in peerage.toml" in capsys.readouterr().err
    found = record(home / "out")
    assert [entry["name"] for entry in found["input"]] == ["week1.csv", "week2.csv"]
    assert (found["seed"], found["choices"]["required_reviews"]) == (4, 9)
    assert found["choices"]["credit_scale"] == "0.1:0, 1:7"
    assert pg.load(home / "out" / "posterior.npz").model.name == "bias + censoring + correlation"


def test_what_the_command_says_comes_first(home: Path) -> None:
    (home / "peerage.toml").write_text('grades = ["class/week*.csv"]\noutput = "out"\nseed = 4\n')
    assert main(["fit", "class/week1.csv", "-o", "other", "--seed", "5", *FAST]) == 0
    assert not (home / "out").exists()
    assert record(home / "other")["seed"] == 5
    assert {row["submission"][:5] for row in rows(home / "other" / "grades.csv")} == {"week1"}


def test_check_reads_the_same_grades(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "peerage.toml").write_text('grades = "class/week*.csv"\noutput = "out"\n')
    assert main(["check"]) == 0
    assert "16 submissions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grades = [", "peerage.toml: not valid TOML: "),
        (
            'token = "secret"',
            "peerage.toml: there is no setting 'token'; use by, columns, completion, components,",
        ),
        ('seed = "four"', "peerage.toml: the setting 'seed' is 'four'; write a whole number"),
        (
            "required_reviews = true",
            "peerage.toml: the setting 'required_reviews' is True; write a whole number or \"each=3\"",
        ),
        ("seed = true", "peerage.toml: the setting 'seed' is True; write a whole number"),
        ("[model]\nbias = 1", "peerage.toml: the setting 'model.bias' is 1; write true or false"),
        ("[model]\ncolour = 1", "peerage.toml: there is no setting 'model.colour'; use bias, censoring,"),
        ('model = "auto"', "peerage.toml: the setting 'model' has to be a table"),
        ('grades = ["none*.csv"]', "peerage.toml: no file is called 'none*.csv'; correct the setting 'grades'"),
        ("grades = 3", "peerage.toml: the setting 'grades' is not a list of files"),
    ],
)
def test_senseless_settings_are_named(home: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "peerage.toml").write_text(text + "\n")
    assert main(["fit", *FAST]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(words)
    assert main(["simulate", "--students", "6", "--weeks", "1", "-o", "simulated"]) == 0


def test_a_few_questions_write_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = "nowhere.csv\nclass/week*.csv\n\n\nmany\n6\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    assert main(["init"]) == 0
    said = capsys.readouterr().err
    assert "there is no file 'nowhere.csv'" in said
    assert "write a whole number" in said
    assert tomllib.loads((home / "peerage.toml").read_text("utf-8")) == {
        "grades": ["class/week*.csv"],
        "rubric": str(Path("class", "rubric.toml")),
        "output": "results",
        "required_reviews": "each=6",
    }
    assert defaults(home / "peerage.toml")["fit"]["out"] == "results"
    assert main(["init"]) == 2
    assert "peerage.toml already exists; edit it, or remove it first" in capsys.readouterr().err


def test_no_file_is_offered_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert main(["init"]) == 2
    said = capsys.readouterr().err
    assert "can match several:   name a file; the grades have to be there first" in said
    assert "peer_grades.csv" not in said
    assert not (tmp_path / "peerage.toml").exists()


@pytest.mark.parametrize(
    ("names", "offered"),
    [
        (["Essay (responses) [1].csv", "override.csv", "exclude.csv"], "Essay (responses) [1].csv"),
        (["essay1.csv", "essay2.csv", "override.csv"], "essay*.csv"),
        (["essay.xlsx"], "essay.xlsx"),
        (["essays.csv", "week1.csv"], "week*.csv"),
        (["essays.csv", "roster.csv"], ""),
    ],
)
def test_the_file_that_is_offered_holds_grades(
    names: list[str], offered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in names:
        (tmp_path / name).write_text("submission,grader,grade\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\n\n\n"))
    assert main(["init"]) == (0 if offered else 2)
    if offered:
        assert tomllib.loads((tmp_path / "peerage.toml").read_text("utf-8"))["grades"] == [offered]
        read = defaults(tmp_path / "peerage.toml")["fit"]["grades"]
        assert not {"override.csv", "exclude.csv"} & set(read)


@pytest.mark.parametrize("command", ["fit", "check"])
def test_without_grades_and_project_the_remedy_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command]) == 2
    assert "or run peerage init once" in capsys.readouterr().err
