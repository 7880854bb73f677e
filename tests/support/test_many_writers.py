"""Several processes that write to the same place lose nothing of each other's, and no reader sees half a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from peerage.formats.staff.pseudonyms import Key
from peerage.results import result_folder
from peerage.results.verifying import verify
from support.faults.many_writers import ROWS

WRITER = Path(__file__).parent / "faults" / "many_writers.py"
ROUNDS = 100
"""How often each writer writes."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.parametrize("writers", [8]),
]


def started(folder: Path, what: str, writers: int) -> subprocess.Popen[bytes]:
    paths = [str(WRITER.parents[2]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(folder), what, str(writers), str(ROUNDS)], env=environment
    )


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_no_name_is_lost_from_the_key(tmp_path: Path, writers: int) -> None:
    with started(tmp_path, "key", writers) as child:
        assert child.wait(300) == 0
    key = Key.read(tmp_path / "key.csv")
    for writer in range(writers):
        expected = json.loads((tmp_path / f"expected-{writer}.json").read_text())
        assert len(expected) == 2 * ROUNDS
        assert [[name, key.people[name]] for name, _ in expected] == expected
    assert len(set(key.people.values())) == len(key.people)
    assert left_over(tmp_path) == []


def test_a_table_is_always_one_writers(tmp_path: Path, writers: int) -> None:
    with started(tmp_path, "table", writers) as child:
        seen = 0
        while child.poll() is None:
            if (tmp_path / "table.csv").exists():
                found = pd.read_csv(tmp_path / "table.csv")["writer"]
                assert len(found) == ROWS
                assert len(set(found)) == 1
                seen += 1
        assert child.returncode == 0
    assert seen > 0
    assert left_over(tmp_path) == []


def test_results_are_always_one_writers(tmp_path: Path, writers: int) -> None:
    with started(tmp_path, "results", writers) as child:
        assert child.wait(300) == 0
    texts = {(tmp_path / "results" / name).read_text() for name in ("grades.csv", "graders.csv")}
    assert len(texts) == 1
    assert verify(tmp_path / "results").findings == ()
    assert left_over(tmp_path) == []


def test_files_added_by_several_are_all_there(tmp_path: Path, writers: int) -> None:
    with result_folder.writing(tmp_path / "results") as fresh:
        (fresh / "grades.csv").write_text("grades")
    with started(tmp_path, "added", writers) as child:
        assert child.wait(300) == 0
    found = {path.name: path.read_text() for path in (tmp_path / "results").glob("*.txt")}
    assert found == {f"{writer}.txt": f"{writer} {ROUNDS - 1}" for writer in range(writers)}
    assert verify(tmp_path / "results").findings == ()
    assert left_over(tmp_path) == []
