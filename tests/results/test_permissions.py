"""Only their owner can read results, unless told otherwise; what is told stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pandas as pd
import pytest

from peerage.canvas.place import Place
from peerage.canvas.store import Store
from peerage.results import result_folder
from peerage.tables.writing_tables import write_table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions work differently on this system")


@pytest.fixture(autouse=True)
def usual_umask() -> None:
    os.umask(0o022)


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


def write(folder: Path) -> None:
    with result_folder.writing(folder) as fresh:
        (fresh / "A").mkdir()
        (fresh / "grades.csv").write_text("grades")
        (fresh / "A" / "grades.csv").write_text("grades")


def test_new_results_are_the_owners(tmp_path: Path) -> None:
    write(tmp_path / "out")
    result_folder.add(tmp_path / "out", "report.html", "<html>")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out" / "A").stat().st_mode) == 0o700
    assert modes(tmp_path / "out") == {0o600}


def test_an_empty_folder_says_nothing_about_who_may_read_results(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(0o755)
    write(tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_results_that_were_shared_stay_shared(tmp_path: Path) -> None:
    write(tmp_path / "out")
    (tmp_path / "out").chmod(0o750)
    write(tmp_path / "out")
    result_folder.add(tmp_path / "out", "report.html", "<html>")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o750
    assert modes(tmp_path / "out") == {0o640}
    assert modes(result_folder.keep(tmp_path / "out")) == {0o600}


def test_tables_and_what_canvas_answers_are_the_owners(tmp_path: Path) -> None:
    write_table(pd.DataFrame({"grader": ["ann"]}), tmp_path / "table.csv")
    Store.open(tmp_path / "pull", Place("https://canvas.example.com", 1, 2)).add("request", "reviews", b"[]", "")
    assert modes(tmp_path) == {0o600}
    assert stat.S_IMODE((tmp_path / "pull").stat().st_mode) == 0o700
    (tmp_path / "table.csv").chmod(0o644)
    write_table(pd.DataFrame({"grader": ["bob"]}), tmp_path / "table.csv")
    assert stat.S_IMODE((tmp_path / "table.csv").stat().st_mode) == 0o644
