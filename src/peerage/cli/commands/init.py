"""``peerage init``: a project file, after a few questions."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from peerage.cli.project_file import PROJECT, files_of, project_text
from peerage.cli.terminal.asking import Terminal
from peerage.cli.terminal.console import output
from peerage.errors import ResultsError

NONE = "none"


def command() -> None:
    """Ask a few questions and write peerage.toml, so that `peerage fit` in this folder needs no arguments."""
    path = Path(PROJECT)
    if path.exists():
        raise ResultsError(f"{PROJECT} already exists; edit it, or remove it first")
    terminal = Terminal()
    grades = terminal.ask(
        "Which files hold the grades? A pattern such as week*.csv can match several", _grades(), _some
    )
    rubric = terminal.ask("Which file is the rubric?", _rubric(grades), _file_or_none)
    folder = terminal.ask("Which folder should the results go to?", "results", str.strip)
    owed = terminal.ask("How many reviews does each student owe for an assignment? 0 for none", "0", _whole)
    path.write_text(project_text(grades, rubric, folder, owed), encoding="utf-8")
    console = output()
    console.print(f"Written to {PROJECT}. From now on, in this folder:")
    console.print("peerage check shows how the grades are understood;")
    console.print(f"peerage fit estimates the grades and writes them to {folder};", soft_wrap=True)
    console.print(
        f"peerage publish {folder} records that students have them, so that later fits keep them.", soft_wrap=True
    )


def _grades() -> str:
    """The files that look most like grades: the only table, or all tables whose names begin alike."""
    from peerage.gradebook.writing import GRADES_NAME

    usual = next((name for name in (GRADES_NAME, "week*.csv") if files_of(name)), "")
    tables = files_of("*.csv") or files_of("*.xlsx")
    if usual or len(tables) < 2:
        return usual or "".join(tables)
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*tables, strict=False))
    begin = "".join(letters[0] for letters in alike).rstrip("0123456789")
    return f"{begin}*{Path(tables[0]).suffix}" if begin else ""


def _rubric(grades: str) -> str:
    from peerage.rubric import RUBRIC_NAME

    beside = Path(grades).with_name(RUBRIC_NAME)
    return str(beside) if beside.is_file() else NONE


def _some(answer: str) -> str:
    if not answer.strip():
        raise ValueError("name a file; the grades have to be there first")
    if not files_of(answer.strip()):
        raise ValueError(f"there is no file {answer.strip()!r}")
    return answer.strip()


def _file_or_none(answer: str) -> str:
    name = answer.strip()
    if name == NONE:
        return ""
    if not Path(name).is_file():
        raise ValueError(f"there is no file {name!r}; write {NONE} to infer it")
    return name


def _whole(answer: str) -> int:
    if not answer.strip().isdecimal():
        raise ValueError("write a whole number")
    return int(answer)
