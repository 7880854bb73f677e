"""The frame of the command line: what it imports, where it speaks, how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from peerage import InputError, ModelError, ServiceError, __version__, cli
from peerage.cli import main
from peerage.gradebook import class_summary

GRADES = "submission,grader,S,author\np1,ann,0,cat\np1,bob,2,cat\np2,ann,1,ann\np2,bob,1,ann\n"


@pytest.fixture
def grades(tmp_path: Path) -> str:
    path = tmp_path / "grades.csv"
    path.write_text(GRADES)
    return str(path)


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from peerage.cli import main; status = main(['--help']);"
        "heavy = {'numba', 'pandas', 'scipy', 'numpy', 'openpyxl', 'pyarrow'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy or status else 0)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "check" in finished.stdout


def test_check_imports_neither_numba_nor_scipy(grades: str) -> None:
    program = (
        f"import sys; from peerage.cli import main; status = main(['check', {grades!r}]);"
        "heavy = {'numba', 'scipy'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy or status else 0)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")


def test_installed_command() -> None:
    command = Path(sys.executable).with_name("peerage")
    finished = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (0, f"peerage {__version__}\n")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["check"], ["check", "--nonsense", "x"], ["check", "x", "--duplicates", "first"], []]
)
def test_bad_usage_is_2_on_standard_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert captured.err if arguments else captured.out


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (InputError("the grades are odd"), 2, "the grades are odd\n"),
        (ModelError("the model is odd"), 2, "the model is odd\n"),
        (ServiceError("the service is odd"), 1, "the service is odd\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (PermissionError(13, "Permission denied", "out"), 1, "out: Permission denied\n"),
        (OSError(28, "No space left on device"), 1, "the operating system: No space left on device\n"),
    ],
)
def test_how_errors_end(
    error: BaseException,
    status: int,
    said: str,
    grades: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(class_summary, "class_summary", fail)
    assert main(["check", grades]) == status
    assert capsys.readouterr() == ("", said)


def test_a_fault_is_1_and_asks_for_a_report(
    grades: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(class_summary, "class_summary", lambda _: 1 // 0)
    assert main(["check", grades]) == 1
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert said.endswith("this is a fault in peerage; please report it with the lines above\n")


def test_check_says_what_was_understood(grades: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", grades]) == 0
    captured = capsys.readouterr()
    lines = [" ".join(line.split()) for line in captured.out.splitlines()]
    assert lines[:6] == [
        "grades 3 in 3 reviews",
        "submissions 2",
        "graders 2 students",
        "reviews per grader median 1.5, from 1 to 2",
        "reviews per submission median 1.5, from 1 to 2",
        "coverage 100.0% of the components that reviewers could grade",
    ]
    assert "S 0, 1, 2 3 1.00" in lines
    assert "note: dropped 1 review of the grader's own work, by 'ann'" in lines
    assert captured.err == ""


def test_check_as_json(grades: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", grades]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["ok"] is True
    assert (facts["grades"], facts["reviews"], facts["parts"], facts["coverage"]) == (3, 3, 1, 1.0)
    assert facts["roles"] == {"student": 2, "ta": 0, "instructor": 0, "machine": 0}
    assert facts["rubric"]["S"]["grades"] == [0, 1, 2]
    assert any("own work" in notice["message"] for notice in facts["notices"])


def test_check_as_json_lists_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("submission,grader,S\np1,ann,1\np1,bob,2\n" + "p2,ann,x\n" * 50)
    (tmp_path / "rubric.toml").write_text("[components.S]\ngrades = [1, 2]\n")
    assert main(["check", "--json", str(path)]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert [problem["row"] for problem in answer["problems"]] == list(range(4, 54))


def test_names_that_look_like_markup_are_printed_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("submission,grader,[red]S,:smile:\np1,ann,1,2\np1,bob,2,1\n")
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "[red]S" in out
    assert ":smile:" in out


def test_a_terminal_without_unicode_does_not_end_the_command(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("submission,grader,grade\np1,李,1\np1,bob,2\n", encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-c", f"import sys; from peerage.cli import main; sys.exit(main(['check', {str(path)!r}]))"],
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert rb"\u674e" in finished.stdout


def test_every_command_has_help() -> None:
    for command in cli.app.registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__


def test_fit_shows_what_most_people_need_first_and_the_rest_in_panels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--help"]) == 0
    said = capsys.readouterr().out
    titles = re.findall(r"^╭─ (\w+) ─", said, re.MULTILINE)
    assert titles == ["Arguments", "Options", "Data", "Model", "Decisions", "Term", "Sampling", "Output"]
    first = said.partition("╭─ Options ─")[2].partition("╰─")[0]
    assert len(re.findall(r"^│ --", first, re.MULTILINE)) == 11, "ten, and --help"
