"""A fit whose results cannot be written is not lost."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import peerage as pg
from peerage.errors import ResultsError
from peerage.results.results import Results
from peerage.workflow import save_results
from support.classes.tiny import tiny_class

FAST = ["--chains", "2", "--draws", "10", "--burn-in", "5"]
PROGRAM = "import sys; from peerage.cli import main; sys.exit(main())"


@pytest.fixture(scope="module")
def results() -> Results:
    return Results.of(pg.fit(tiny_class(1), chains=1, draws=10, seed=0))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def saved_in(said: str) -> Path:
    match = re.search(r"nothing is lost: the fit was saved in (\S+)$", said)
    assert match, said
    return Path(match[1])


def test_results_that_have_no_place_are_saved_at_home(results: Results, home: Path) -> None:
    target = home.parent / "a file"
    target.write_text("mine")
    with pytest.raises(ResultsError) as caught:
        save_results.write_results(results, target)
    folder = saved_in(str(caught.value))
    assert folder.parent == home
    assert Results.read(folder).grades == results.grades
    assert target.read_text() == "mine"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("fault", [UnicodeEncodeError("utf-8", "\ud800", 0, 1, "planted"), MemoryError()], ids=repr)
def test_if_a_page_fails_the_draws_are_saved_and_the_fault_stays_one(
    results: Results, home: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(_: Results) -> str:
        raise fault

    monkeypatch.setattr(save_results, "staff_html", fail)
    with pytest.raises(type(fault)) as caught:
        save_results.write_results(results, home.parent / "out")
    assert not (home.parent / "out").exists()
    [said] = caught.value.__notes__
    loaded = pg.load(saved_in(said) / "posterior.npz")
    assert loaded.book.submissions == results.posterior.book.submissions


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="streams cannot be closed in this shell, nor a locale be set")
@pytest.mark.parametrize(
    ("environment", "redirections"),
    [
        ({"COLUMNS": "0"}, ""),
        ({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, ""),
        ({}, ">&- 2>&-"),
    ],
    ids=["no columns", "a name that is not in the locale", "closed streams"],
)
def test_odd_surroundings_lose_no_fit(tmp_path: Path, environment: dict[str, str], redirections: str) -> None:
    grades = tmp_path / "r\u00e9sum\u00e9.csv"
    tiny_class(1).write(grades)
    command = [sys.executable, "-c", PROGRAM, "fit", str(grades), "-o", str(tmp_path / "out"), *FAST]
    shell = ["sh", "-c", f'"$@" {redirections}', "sh", *command]
    done = subprocess.run(shell, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert Results.read(tmp_path / "out").record["input"][0]["name"] == "r\u00e9sum\u00e9.csv"
