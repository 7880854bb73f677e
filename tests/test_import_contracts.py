"""The contracts of who may import whom (pyproject.toml) hold, and refuse what is planted against them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PLANTED = {
    "rooms": ("support/words/wording.py", "from peerage.gradebook.book import MISSING"),
    "circles": ("gradebook/rulings.py", "def count() -> None:\n    from peerage.gradebook.book import MISSING"),
    "numerics": ("inference/numerics/psis.py", "import pandas"),
    "files": ("methods/method_needs.py", "from peerage.formats.reading import read_grades"),
    "decisions": ("decisions/final_grades.py", "from peerage.inference.fitting import fit"),
    "workflow": ("cli/commands/pay.py", "from peerage.inference.fitting import fit"),
    "studies": ("evaluation/folds.py", "import peerage_studies"),
    "command line": ("../../studies/src/peerage_studies/labels.py", "import peerage.cli"),
}
"""By contract: a file, and a line at its end that breaks the contract."""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    shutil.copytree(ROOT / "studies" / "src", folder / "studies" / "src", ignore=ignored)
    return folder


def lint_imports(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo", *arguments]
    paths = os.pathsep.join([str(folder / "src"), str(folder / "studies" / "src")])
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )


def test_the_documentation_lists_the_rooms_in_the_order_of_the_contract() -> None:
    """So that it is true of its table, too, that a room imports only from rooms above it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "rooms")
    height = {name: place for place, layer in enumerate(reversed(layers)) for name in layer.split(" | ")}
    table = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## The rooms")[2].partition("![")[0]
    rows = [re.findall(r"`(\w+)(?:/|\.py)`", line.split("|")[1]) for line in table.splitlines() if "` |" in line]
    listed = [name for row in rows[1:] for name in row]
    assert [height[name] for name in listed] == sorted(height[name] for name in listed)
    assert {*listed, *rows[0]} == {*height} - {"__main__", "version"}


def test_all_contracts_hold(copied: Path) -> None:
    run = lint_imports(copied)
    assert run.returncode == 0, run.stdout
    assert f"Contracts: {len(PLANTED)} kept, 0 broken." in run.stdout, "each contract is tested below"


@pytest.mark.parametrize("contract", PLANTED)
def test_a_forbidden_import_is_refused(copied: Path, contract: str) -> None:
    name, line = PLANTED[contract]
    path = copied / "src" / "peerage" / name
    before = path.read_text(encoding="utf-8")
    path.write_text(f"{before}\n\n{line}\n", encoding="utf-8")
    try:
        run = lint_imports(copied, "--contract", contract)
    finally:
        path.write_text(before, encoding="utf-8")
    assert run.returncode == 1, run.stdout
    assert "Contracts: 0 kept, 1 broken." in run.stdout
