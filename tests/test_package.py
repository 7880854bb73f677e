"""The package as a whole: its public names, its documentation and its make targets agree with what there is."""

from __future__ import annotations

import ast
import doctest
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer

import peerage as pg
from peerage.cli import app

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
MODULES = sorted(module.name for module in pkgutil.walk_packages(pg.__path__, "peerage."))


def examples() -> list[tuple[str, str]]:
    """The Python examples of each document; those of a document run one after the other."""
    found = []
    for document in DOCUMENTS:
        blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        if blocks:
            found.append((document.name, "\n".join(blocks)))
    return found


def test_public_names_are_sorted_and_each_is_where_the_table_says() -> None:
    assert pg.__all__ == sorted(pg._HOMES)
    for name in pg.__all__:
        assert getattr(pg, name) is getattr(import_module(f"peerage.{pg._HOMES[name]}"), name)


@pytest.mark.parametrize("name", ["mechanisms", "methods"])
def test_a_function_is_not_hidden_by_the_room_of_the_same_name(name: str) -> None:
    room = import_module(f"peerage.{name}")
    assert sys.modules[f"peerage.{name}"] is room
    assert getattr(pg, name) is getattr(import_module(f"peerage.{pg._HOMES[name]}"), name)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(pg.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == {name: f"peerage.{home}" for name, home in pg._HOMES.items()}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        pg.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, peerage; print(*{'numpy', 'pandas', 'scipy', 'numba'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == pg.__version__
    assert f"\nversion: {pg.__version__}\n" in citation
    assert f"## {pg.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_public_name_is_documented() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [name for name in pg.__all__ if f"`{name}`" not in index] == []


def test_every_command_is_documented() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `peerage (\w+)", index, re.MULTILINE))
    commands = typer.main.get_command(app)
    assert documented == set(getattr(commands, "commands"))  # noqa: B009


def test_every_document_is_reachable_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [path.name for path in DOCUMENTS if path.parent.name == "docs" and path.name != "index.md"]
    assert [page for page in pages if f"({page})" not in index] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize(("document", "program"), examples(), ids=lambda text: text if text.endswith(".md") else "")
def test_the_python_examples_of_the_documentation_run(
    document: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(program, document, "exec"), {})


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_says_what_to_install_where_python_is_too_old(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "studies", tmp_path / "studies", ignore=shutil.ignore_patterns("src"))
    make = shutil.which("make")
    assert make is not None
    environment = {**os.environ, "PATH": str(tools)}
    run = subprocess.run([make, "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "Python 3.11 or newer with its venv module is needed and was not found" in run.stderr
    assert "sudo apt install python3 python3-venv" in run.stderr
    assert not (tmp_path / ".venv").exists()
