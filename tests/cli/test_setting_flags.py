"""Settings and options: the library speaks of settings in words, the command line adds the option."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_group

import peerage as pg
from peerage.cli import app
from peerage.cli.setting_flags import ASKED, FLAGS, TOKEN_VARIABLE, as_line, with_flag
from peerage.cli.terminal.console import shorten

SOURCE = Path(pg.__file__).parent
LIBRARY = sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "cli")
FLAG = re.compile(r"(?<![\w-])--[a-z]")
TERMINAL = re.compile(
    rf"\bpeerage ({'|'.join(get_group(app).commands)})\b|\b(the|this) command\b|\bcommand line\b|\bterminal\b|\bDIR\b"
    r"|\w\.(csv|html|json|npz)\b"
)
"""What makes sense to somebody who types commands and looks into folders, and not on a page."""


def texts_in(source: str) -> Iterator[str]:
    """Strings that may be shown; nobody but a programmer reads docstrings."""
    tree = ast.parse(source)
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    statements = (statement for body in bodies if isinstance(body, list) for statement in body)
    documentation = {id(statement.value) for statement in statements if isinstance(statement, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def flags_in(source: str) -> list[str]:
    strings = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return [node.value for node in strings if isinstance(node.value, str) and FLAG.search(node.value)]


def terminal_words_in(source: str) -> list[str]:
    """Sentences with such words; a string without a space is a name."""
    return [text for text in texts_in(source) if " " in text and TERMINAL.search(text)]


def settings_in(source: str) -> set[str]:
    words = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword) and node.arg == "setting"]
    values = [node.value.value for node in words if isinstance(node.value, ast.Constant)]
    return {value for value in values if isinstance(value, str) and value}


def test_the_library_names_no_option_of_the_command_line() -> None:
    found = {path.name: flags_in(path.read_text(encoding="utf-8")) for path in LIBRARY}
    assert {name: strings for name, strings in found.items() if strings} == {}


def test_a_planted_option_is_found() -> None:
    assert flags_in('raise InputError(f"{file}: no; use --snap")') == [": no; use --snap"]
    assert flags_in('dashes = "a -- b"') == []


def test_the_library_speaks_of_no_command_and_no_file_of_a_results_folder() -> None:
    found = {path.name: terminal_words_in(path.read_text(encoding="utf-8")) for path in LIBRARY}
    assert {name: strings for name, strings in found.items() if strings} == {}


@pytest.mark.parametrize(
    "said",
    [
        "peerage credit DIR lists them",
        "try peerage fit again",
        "; repeat the command later",
        "run.json says how wide",
        "read them in comments.csv",
    ],
)
def test_planted_words_of_a_terminal_are_found(said: str) -> None:
    assert terminal_words_in(f'"""A file of the command line."""\nraise InputError(f"{{who}} {said}")') == [f" {said}"]
    assert terminal_words_in('NAME = "grades.csv"\nPROBLEM = "was not written by peerage and would be lost"') == []


def test_every_setting_has_an_option() -> None:
    problems = [path for path in LIBRARY if "Problem" in path.read_text(encoding="utf-8")]
    named = set().union(*(settings_in(path.read_text(encoding="utf-8")) for path in problems))
    assert {"columns", "draws", "snap"} <= named <= {*FLAGS, *ASKED}


def test_every_option_is_one_of_a_command() -> None:
    commands = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [flag for name, flag in FLAGS.items() if name != "token" and f"{flag} " not in commands] == []
    assert TOKEN_VARIABLE in commands


@pytest.mark.parametrize(
    ("setting", "line"),
    [("snap", "g.csv, row 2: 9 is too high; correct it (--snap)"), ("", "g.csv, row 2: 9 is too high; correct it")],
)
def test_a_printed_problem_has_its_option(setting: str, line: str) -> None:
    problem = pg.Problem("9 is too high", "correct it", "g.csv", 2, setting)
    assert as_line(problem) == line
    assert str(problem) == "g.csv, row 2: 9 is too high; correct it"


def test_the_option_stands_before_the_full_stop() -> None:
    assert with_flag("It was moved.", "staff_level") == "It was moved (--no-staff-level)."
    assert with_flag("It was moved", "staff_level") == "It was moved (--no-staff-level)"
    assert with_flag("It was moved.", "") == "It was moved."


def test_many_problems_of_a_kind_end_with_their_remedy_and_option() -> None:
    lines = shorten(pg.Problem(f"{row} is too high", "correct it", "", row, "snap") for row in range(12))
    assert len(lines) == 11
    assert lines[-1] == "and 2 more like these: correct it (--snap)"
