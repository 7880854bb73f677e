"""A search that is stopped, in whatever way, repeats nothing that it had finished and ends with the same table."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.evaluation.prior_search.search_folder import FINDINGS, TABLE
from support.programs.children import COMMAND, running

pytestmark = pytest.mark.slow

GRID = '"mu_s" = [3, 4]\nsigma_b = [0.1, 0.5, 1]\ntau_l = 1\n'
SETTINGS, FOLDS, KEEP = 6, 3, 4


def arguments(grades: Path, out: Path) -> list[str]:
    sampling = ["--folds", str(FOLDS), "--chains", "1", "--draws", "200", "--burn-in", "20", "--keep", str(KEEP)]
    return ["search", str(grades), "--grid", str(grades.with_name("grid.toml")), "-o", str(out), *sampling, "-q"]


def finished(out: Path) -> list[bytes]:
    """The lines of fits that are done; a line that is being written is none yet."""
    path = out / FINDINGS
    return (
        [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")] if path.exists() else []
    )


def stopped(grades: Path, out: Path, when: int, how: signal.Signals) -> tuple[list[bytes], str]:
    """Start the search, stop it when so many fits are done, and return what it has left and said."""
    with running(COMMAND, *arguments(grades, out), hold=when) as child:
        while len(finished(out)) < when and child.poll() is None:
            time.sleep(0.002)
        child.send_signal(how)
        _, said = child.communicate(timeout=60)
    assert child.returncode == (130 if how == signal.SIGINT else -how), "it was stopped, and had not ended before"
    return finished(out), said


def test_a_search_that_is_stopped_three_times_ends_with_the_same_table(tmp_path: Path) -> None:
    book, _ = pg.simulate(students=16, weeks=2, components=2, seed=5)
    grades = tmp_path / "grades.csv"
    book.write(grades, rubric=True)
    grades.with_name("grid.toml").write_text(GRID)
    out, untroubled = tmp_path / "out", tmp_path / "untroubled"

    first, _ = stopped(grades, out, 3, signal.SIGKILL)
    assert len(first) >= 3
    second, _ = stopped(grades, out, SETTINGS + 2, signal.SIGKILL)
    assert second[: len(first)] == first
    third, said = stopped(grades, out, len(second) + 1, signal.SIGINT)
    assert third[: len(second)] == second
    assert said.splitlines()[-2:] == ["stopped; the same command continues from here", "interrupted"]
    assert pd.read_csv(out / TABLE)["screened"].notna().any(), "there is a table before the end"

    assert main(arguments(grades, out)) == 0
    everything = finished(out)
    assert everything[: len(third)] == third
    tasks = [line.split(b'"seconds"')[0] for line in everything]
    assert len(set(tasks)) == len(tasks), "no fit was done twice"
    assert main(arguments(grades, untroubled)) == 0
    assert len(finished(untroubled)) == len(everything)
    tables = [pd.read_csv(folder / TABLE).drop(columns="seconds") for folder in (out, untroubled)]
    pd.testing.assert_frame_equal(tables[0], tables[1], check_exact=True)
    assert {entry.name for entry in tmp_path.iterdir()} == {
        "grades.csv",
        "rubric.toml",
        "grid.toml",
        "out",
        "untroubled",
    }
