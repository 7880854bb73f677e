"""``peerage credit``: marks from saved results, by the scale of the fit or by another, without changing anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a class of eight, one of whom graded once, and whose author zoe graded nothing."""
    root = tmp_path_factory.mktemp("class")
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    table = book.table(wide=True)
    table = table[(table["grader"] != "student8") | ~table["grader"].duplicated()]
    table.loc[table["submission"] == table["submission"].iloc[0], "author"] = "zoe"
    table.to_csv(root / "grades.csv", index=False)
    fast = ["--chains", "2", "--draws", "300", "--burn-in", "10", "-q"]
    assert main(["fit", str(root / "grades.csv"), "-o", str(root / "out"), *fast]) == 0
    return root / "out"


def as_json(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["credit", str(folder), "--json", *options]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_without_options_the_marks_are_those_of_the_fit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = pd.read_csv(folder / "graders.csv").set_index("grader")
    rows = as_json(folder, capsys)["marks"]
    assert [row["grader"] for row in rows] == [name for name in written.index if name.startswith("student")]
    for row in rows:
        credit, note = written.loc[row["grader"], ["credit", "credit_note"]]
        assert (row["credit"] is None) == pd.isna(credit)
        assert row["credit"] is None or row["credit"] == pytest.approx(credit, rel=1e-4)
        assert row["note"] == ("" if pd.isna(note) else note)
    assert rows[-1] | {"estimate": 0} == {
        "grader": "student8", "n_graded": 1, "estimate": 0, "credit": None, "note": "too little to tell",
    }  # fmt: skip


def test_another_scale_gives_other_marks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = as_json(folder, capsys, "--scale", "0.2:0, 1:8", "--completion", "0.25", "--minimum-reviews", "0")
    assert answer["choices"]["credit_scale"] == "0.2:0, 1:8"
    for row in answer["marks"]:
        quality = min(max((row["estimate"] - 0.2) * 10, 0), 8)
        assert row["credit"] == pytest.approx(0.25 * 8 + 0.75 * quality)


def test_sceptical_marks_can_be_tried(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    usual = [row["estimate"] for row in as_json(folder, capsys)["marks"]]
    sceptical = as_json(folder, capsys, "--sceptical")
    assert sceptical["choices"]["sceptical"] is True
    assert [row["estimate"] for row in sceptical["marks"]] != usual


def test_those_who_graded_nothing_are_listed_where_reviews_are_required(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {row["grader"]: row for row in as_json(folder, capsys, "--required-reviews", "16")["marks"]}
    assert (rows["zoe"]["n_graded"], rows["zoe"]["credit"]) == (0, 0)
    assert all(row["credit"] <= 50 for row in rows.values())
    assert "zoe" not in {row["grader"] for row in as_json(folder, capsys)["marks"]}


def test_the_distribution_and_everybody_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["credit", str(folder), "--scale", "0.1:0, 1:10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "50% of the mark is for doing the reviews, the rest for their quality.",
        "Marks for quality, by dependability: 0.1:0, 1:10",
    ]
    bars = [line.split() for line in lines if re.match(r" +\d+ to ", line)]
    assert [bar[0] for bar in bars] == [str(tenth) for tenth in range(10)]
    assert sum(int(bar[3]) for bar in bars) == 7
    assert any(line.split() == ["none", "1", "too", "little", "to", "tell"] for line in lines)
    assert sum(line.startswith("student") for line in lines) == 1 + 8
    assert max(map(len, lines)) <= 80


def test_nothing_is_written(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["credit", str(folder), "--scale", "0.1:0, 1:10"]) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "good"], "'good' is not a scale of marks; write it as 0.2:0, 1:80, 2:100"),
        (["--scale", "1:0, 0.5:80"], "in a scale of marks, dependability must rise"),
        (["--required-reviews", "-1"], "--required-reviews"),
    ],
)
def test_senseless_requests_are_refused(
    folder: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["credit", str(folder), *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["credit", str(tmp_path)]) == 2
    assert "there are no results here; name a folder that peerage has written" in capsys.readouterr().err
