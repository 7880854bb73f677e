"""``peerage study``: its files, what it prints and refuses, and the page that is made of its results."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from peerage.cli import main
from peerage.cli.commands import study as command
from peerage.results import result_folder
from peerage_studies import NAMES
from peerage_studies.estimates import estimates
from peerage_studies.labels import METRICS, PAPER, SETTINGS, TITLES
from peerage_studies.panels import LAYOUTS
from peerage_studies.statements import CLAIMS
from peerage_studies.study_definition import COLUMNS
from peerage_studies.study_figure import draw
from support.classes.study_tables import made_up

SCRIPT = Path(__file__).parents[3] / "docs" / "reproduction.py"
QUICK = ["--quick", "--classes", "a", "--workers", "1", "-q"]


def texts(path: Path) -> str:
    """All text in an SVG file."""
    return " ".join(text for entry in ET.parse(path).iter() if entry.tag.endswith("text") for text in entry.itertext())


def test_all_that_is_said_of_studies_is_said_of_each() -> None:
    assert tuple(LAYOUTS) == tuple(CLAIMS) == tuple(TITLES) == NAMES
    assert set(PAPER) == {name for name in NAMES if not all(claim.ours for claim in CLAIMS[name])}
    for name in NAMES:
        table = made_up(name, replicates=1)
        assert set(estimates(table)["metric"]) <= set(METRICS)
        assert set(table["setting"]) <= set(SETTINGS)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_names_its_classes_and_axes(name: str) -> None:
    figure = draw(name, made_up(name, replicates=2))
    figure.draw_without_rendering()
    panels = LAYOUTS[name].panels
    assert len(figure.axes) == len(panels)
    words = {text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel(), axes.get_title())}
    assert {METRICS[panel.metrics[0]] for panel in panels if len(panel.metrics) == 1} <= words
    (legend,) = figure.legends
    entries = {entry.get_text().split(":")[0] for entry in legend.get_texts()}
    assert {"class (a)", "class (b)", "class (c)"} <= entries


def test_what_the_paper_states_is_marked() -> None:
    figure = draw("recovery-graders", made_up("recovery-graders", replicates=2))
    marked: dict[str, list[Any]] = {}
    for line in figure.axes[0].get_lines():
        marked.setdefault(str(line.get_label()), []).append(np.asarray(line.get_xydata()).tolist())
    assert marked["the paper"] == [[[1, 0.52]], [[4, 0.41]]]
    assert marked["the paper: below"] == [[[32, 0.2]]]
    assert marked["the paper: a TA"] == [[[0, 0.48], [1, 0.48]]]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    arguments = ["study", "recovery-students", "-o", str(out), "--replicates", "2", *QUICK]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("recovery-students: of 4 statements in the paper, ")
    assert "Written to " in printed
    names = {f"recovery-students.{suffix}" for suffix in ("csv", "png", "svg", "md", "json", "findings.jsonl")}
    assert {path.name for path in out.iterdir()} == names | {result_folder.MARKER}
    assert (out / "recovery-students.png").read_bytes().startswith(b"\x89PNG")
    assert "students" in texts(out / "recovery-students.svg")
    table = pd.read_csv(out / "recovery-students.csv")
    assert tuple(table.columns) == COLUMNS
    assert set(table["replicate"]) == {0, 1}
    text = (out / "recovery-students.md").read_text("utf-8")
    assert text.startswith("# Whether class size matters\n")
    assert "Class (a), small classes and few values, 2 replicates, seed 0" in text
    assert "| class size has little effect on true grades |" in text
    before = (out / "recovery-students.findings.jsonl").read_bytes()
    assert main([*arguments, "--json"]) == 0
    (claims,) = json.loads(capsys.readouterr().out).values()
    assert [entry["claim"] for entry in claims] == [claim.says for claim in CLAIMS["recovery-students"]]
    assert (out / "recovery-students.findings.jsonl").read_bytes() == before


@pytest.mark.slow
def test_several_studies_share_a_folder_and_become_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Those that no other test runs from end to end.
    names = ("ablation", "convergence", "learned-priors")
    monkeypatch.setattr(command, "_studies", lambda: SimpleNamespace(NAMES=names))
    out = tmp_path / "out"
    assert main(["study", "all", "-o", str(out), "--replicates", "1", *QUICK]) == 0
    printed = capsys.readouterr().out
    assert [line.split(":")[0] for line in printed.splitlines() if line and line[0] in "acl"] == list(names)
    assert reproduction(monkeypatch, tmp_path).main([out]) == 0
    text = (tmp_path / "page.md").read_text("utf-8")
    missing = ", ".join(f"`{name}`" for name in NAMES if name not in names)
    assert f"Not run yet: {missing}." in text
    for name in names:
        assert f"## {TITLES[name]}" in text
        assert f"](page/{name}.png)" in text
        assert (tmp_path / "page" / f"{name}.png").stat().st_size < 100_000
        assert (tmp_path / "page" / f"{name}.md").read_text("utf-8") == (out / f"{name}.md").read_text("utf-8")


def reproduction(monkeypatch: pytest.MonkeyPatch, folder: Path) -> ModuleType:
    """The script that makes the page, which is to write into a folder."""
    spec = importlib.util.spec_from_file_location("reproduction", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAGE", folder / "page.md")
    monkeypatch.setattr(module, "PARTS", folder / "page")
    return module


def test_the_page_needs_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduction(monkeypatch, tmp_path).main([tmp_path]) == 2
    assert "there is no table of a study here; run: peerage study all -o" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["recovery-months"], "there is no study 'recovery-months'; choose one of recovery-weeks,"),
        (["baselines", "--classes", "ax"], "there is no class 'x'"),
        (["baselines", "--replicates", "0"], "greater than or equal to 1"),
        (["baselines", "--workers", "2", "--scheduler", "tcp://127.0.0.1:9"], "a number of workers or a scheduler"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["study", *arguments, "-o", str(out)]) == 2
    assert words in " ".join(capsys.readouterr().err.replace("│", "").split())
    assert not out.exists()


def test_a_folder_with_other_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["study", "baselines", "-o", str(tmp_path)]) == 2
    assert "this folder holds files that are not results" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
