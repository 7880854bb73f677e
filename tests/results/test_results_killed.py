"""A writer that is killed, at any point, leaves the earlier results or the new ones, whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from peerage import ResultsError
from peerage.results import result_folder
from support.faults.killed_writer import FILES, write

WRITER = Path(__file__).parents[1] / "support" / "faults" / "killed_writer.py"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot start a process for each point"),
]


def targets_of_killed_writers(folder: Path, way: str, earlier: str) -> list[Path]:
    """The targets of writers of which all but the last were killed, in the order of their points."""
    subprocess.run([sys.executable, str(WRITER), str(folder), way, earlier], check=True, timeout=300)
    targets = [path / "results" for path in sorted(folder.iterdir(), key=lambda path: int(path.name))]
    assert len(targets) > 80
    return targets


def contents(folder: Path) -> str:
    """The text that all files of a result folder share."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {*FILES, result_folder.MARKER}
    (text,) = {(folder / name).read_text() for name in FILES}
    return text


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_earlier_or_new_results_are_found_wherever_the_writer_dies(tmp_path: Path, way: str) -> None:
    found, absent = [], 0
    for target in targets_of_killed_writers(tmp_path, way, "earlier"):
        absent += not target.exists()
        found.append(contents(result_folder.find(target)))
        write(target, "next")
        assert contents(target) == "next"
        assert [entry.name for entry in target.parent.iterdir()] == ["results"]
    assert set(found) == {"old", "new"}
    assert found == sorted(found, reverse=True), "new results, once there, stay"
    in_one_step = way == "exchange" and sys.platform in ("linux", "darwin")
    assert (absent == 0) == in_one_step


def test_results_are_kept_before_new_ones_take_their_place_wherever_the_writer_dies(tmp_path: Path) -> None:
    found = []
    for target in targets_of_killed_writers(tmp_path, "keeping", "earlier"):
        found.append(contents(result_folder.find(target)))
        kept = target.with_name("results-before-1")
        if kept.exists() or found[-1] == "new":
            assert contents(result_folder.find(kept)) == "old"
    assert set(found) == {"old", "new"}


def test_first_results_are_there_whole_or_not_at_all_wherever_the_writer_dies(tmp_path: Path) -> None:
    found = []
    for target in targets_of_killed_writers(tmp_path, "exchange", "none"):
        try:
            found.append(contents(result_folder.find(target)))
        except ResultsError:
            assert not target.exists()
            found.append("none")
    assert set(found) == {"none", "new"}
    assert found == sorted(found, reverse=True)


def test_a_careless_writer_is_found_out(tmp_path: Path) -> None:
    broken = 0
    for target in targets_of_killed_writers(tmp_path, "careless", "earlier"):
        try:
            contents(result_folder.find(target))
        except (AssertionError, ResultsError):
            broken += 1
    assert broken > 0
