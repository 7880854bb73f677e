"""The documentation as a site: it builds without a warning, needs no network, and shows what --help says."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import peerage as pg

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="(\w+:)?//|<link[^>]* href="(\w+:)?//|@import|url\("?https?:')


def test_the_command_reference_is_what_help_says() -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "command_reference.py"))["reference"]()
    written = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert written == reference, "a command's help has changed: run `python docs/command_reference.py`"


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_loads_nothing_from_the_network(tmp_path: Path) -> None:
    site = tmp_path / "site"
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-d", str(tmp_path / "doctrees")]
    build = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(site)]
    run = subprocess.run(build, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")

    pages = {page.relative_to(site).as_posix(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert {"index.html", "commands.html", "import/moodle.html"} <= set(pages)
    assert [name for name in pg.__all__ if f'id="peerage.{name}"' not in pages["python.html"]] == []
    assert "<math" in pages["model.html"]
    assert [name for name, page in pages.items() if LOADED.search(page)] == []
    styles = [style.read_text(encoding="utf-8") for style in (site / "_static").rglob("*.css")]
    assert not any(LOADED.search(style) for style in styles)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_paths_that_the_map_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|tests|docs|benchmarks)/[\w./-]+)`", text)
    assert [path for path in paths if "NAME" not in path and not (ROOT / path).exists()] == []
