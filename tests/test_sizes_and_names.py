"""How long files and functions are, how many parameters they take, that names are unique and merges complete."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("src", "tests", "studies", "benchmarks", "docs")
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "__pycache__" not in path.parts)

LONGEST_FILE, LONGEST_FUNCTION, MOST_PARAMETERS = 400, 60, 9

KERNELS = tuple(f"peerage/inference/{room}/" for room in ("censored", "latent", "checking", "uncensored", "numerics"))
"""Rooms of compiled kernels, which may take more parameters: an array each."""

FIXED_SIGNATURES = {
    "fit": "the fixed interface names each setting",
    "read_grades": "as fit does: what notebooks call first takes its settings by name",
    "simulate": "as fit does",
    "explain": "adjust_bias is kept beside correction, which can say the same",
}

SAMPLERS_ARRAYS = {
    f"src/peerage/inference/{sampler}/{sampler}_arrays.py" for sampler in ("censored", "latent", "uncensored")
}
ALIKE = {"Beliefs", "Given", "Learning", "State", "Work"}
"""What each sampler has arrays for, under the same names, so that one reads like the other."""

COMMANDS = "src/peerage/cli/commands/"
"""Each parameter of a command is an option of its own."""


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def is_kernel(path: Path) -> bool:
    return any(room in name_of(path) for room in KERNELS)


def test_no_file_is_too_long() -> None:
    lengths = {name_of(path): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_no_file_holds_leftovers_of_a_merge() -> None:
    texts = {".py", ".md", ".css", ".js", ".html", ".toml", ".json", ".csv"}
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in texts and path.is_file()]
    assert len(paths) > len(FILES)
    left = [name_of(path) for path in paths if b"\n<<<<<<< " in path.read_bytes()]
    assert left == []


def test_no_function_is_too_long() -> None:
    found = {
        f"{name_of(path)}: {function.name}": length(function)
        for path in FILES
        for function in functions(path)
        if length(function) > LONGEST_FUNCTION
    }
    assert found == {}


def test_no_function_of_the_library_takes_too_many_parameters() -> None:
    found = {}
    for path in FILES:
        if not name_of(path).startswith("src/") or is_kernel(path):
            continue
        for function in functions(path):
            given = function.args
            number = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
            most = 12 if name_of(path).startswith(COMMANDS) and function.name == "command" else MOST_PARAMETERS
            if number > most and function.name not in FIXED_SIGNATURES:
                found[f"{name_of(path)}: {function.name}"] = number
    assert found == {}


@pytest.mark.parametrize("room", ["src", "tests"])
def test_no_two_files_have_the_same_name(room: str) -> None:
    places = defaultdict(list)
    for path in FILES:
        # A command and what it does may share a name: the command is called as users type it.
        if name_of(path).startswith(f"{room}/") and path.name != "__init__.py" and path.parent.name != "commands":
            places[path.name].append(name_of(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_two_classes_of_the_library_have_the_same_name() -> None:
    places = defaultdict(list)
    for path in FILES:
        if name_of(path).startswith("src/"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(name_of(path))
    repeated = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert repeated.keys() >= ALIKE, "exempted though it is no longer repeated"
    alike = {name for name, paths in repeated.items() if name in ALIKE and set(paths) <= SAMPLERS_ARRAYS}
    assert {name: paths for name, paths in repeated.items() if name not in alike} == {}
