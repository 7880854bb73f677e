"""The search: what it finds, that it goes on where it was stopped, and what it says and refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.evaluation.folds import NO_FOLD
from peerage.evaluation.prior_search.search_folder import FINDINGS, TABLE, open_folder
from peerage.evaluation.prior_search.search_table import MARGIN, Standings
from peerage.evaluation.prior_search.search_tasks import SearchFinding, SearchTask

GRID = {"mu_s": [2, 3.5, 4], "sigma_b": [0.1, 1], "tau_l": [1, 4]}
SHORT = pg.Sampling(chains=1, draws=60, burn_in=20)
PLAN = pg.SearchPlan(folds=3)
FAST: dict[str, Any] = {"plan": PLAN, "sampling": SHORT}
OPTIONS = ["--folds", "3", "--chains", "1", "--draws", "60", "--burn-in", "20"]


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    return pg.simulate(students=16, weeks=2, components=2, seed=5)[0]


@pytest.fixture
def grades(book: pg.Gradebook, tmp_path: Path) -> Path:
    path = tmp_path / "class" / "grades.csv"
    path.parent.mkdir()
    book.write(path, rubric=True)
    (path.parent / "grid.toml").write_text("mu_s = [3, 4]\nsigma_b = [0.1, 1]\nlambda_tau = [1, 2]\n")
    return path


def findings(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FINDINGS).read_bytes().splitlines()]


def untimed(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seconds")


@pytest.mark.slow
def test_screening_keeps_the_winner_of_an_exhaustive_search(book: pg.Gradebook) -> None:
    exhaustive = pg.search(book, grid=GRID, plan=replace(PLAN, screening=False), sampling=SHORT)
    assert exhaustive.table["score"].notna().all()
    assert exhaustive.table["screened"].isna().all()
    screened = pg.search(book, grid=GRID, plan=replace(PLAN, keep=1), sampling=SHORT)
    finalists = screened.table["score"].notna()
    assert finalists.sum() < len(screened.table) == 12
    assert screened.best == exhaustive.best
    # Both find the same of each finalist.
    names = ["mu_s", "sigma_b", "tau_l"]
    scores = exhaustive.table.set_index(names)["score"]
    np.testing.assert_array_equal(
        scores[screened.table[finalists].set_index(names).index], screened.table["score"][finalists]
    )


def test_the_score_is_that_of_cross_validation(book: pg.Gradebook) -> None:
    model = pg.Model(effort=False).with_priors(sigma_b=0.5)
    sampling = replace(SHORT, seed=3)
    found = pg.search(book, pg.Model(effort=False), grid={"sigma_b": [0.5]}, plan=PLAN, sampling=sampling)
    evaluated = pg.evaluate(book, models=[model], folds=3, sampling=sampling).table().iloc[0]
    row = found.table.iloc[0]
    assert (row["score"], row["score_se"]) == pytest.approx((evaluated["elpd"], evaluated["elpd_se"]))
    assert found.best == model.priors
    assert row["difference"] == 0
    assert row["seconds"] > 0


def synthetic(*gaps: float) -> Standings:
    """Settings that were screened, worse than the first by so many standard errors."""
    rng = np.random.default_rng(0)
    best, noise = rng.normal(-10, 3, 400), rng.normal(0, 1, 400)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    priors = tuple(pg.Priors.paper(mu_s=float(index)) for index in range(len(gaps)))
    sums = (best + (noise - gap / np.sqrt(400) if gap else 0) for gap in gaps)
    found = {SearchTask(entry, NO_FOLD): SearchFinding(row, 1.0) for entry, row in zip(priors, sums, strict=True)}
    return Standings(("mu_s",), priors, 3, found)


def test_settings_that_are_clearly_worse_are_given_up() -> None:
    near, far = MARGIN - 0.1, MARGIN + 0.1
    standings = synthetic(far, 0, near, far + 5)
    assert [priors.mu_s for priors in standings.finalists(1)] == [1, 2]
    assert [priors.mu_s for priors in standings.finalists(3)] == [1, 2, 0]
    table = standings.table()
    assert list(table["mu_s"]) == [1, 2, 0, 3]
    np.testing.assert_allclose(table["difference"] / table["difference_se"], [np.nan, near, far, far + 5])


def test_the_same_seed_gives_the_same_table_whatever_the_number_of_workers(book: pg.Gradebook) -> None:
    places = [pg.Running(workers=workers) for workers in (1, 3)]
    tables = [pg.search(book, grid={"mu_s": [3, 4]}, running=running, **FAST).table for running in places]
    pd.testing.assert_frame_equal(untimed(tables[0]), untimed(tables[1]), check_exact=True)
    other = pg.search(book, grid={"mu_s": [3, 4]}, plan=PLAN, sampling=replace(SHORT, seed=1)).table
    assert not untimed(other).equals(untimed(tables[0]))


def test_a_larger_search_in_the_same_folder_repeats_nothing(book: pg.Gradebook, tmp_path: Path) -> None:
    out = tmp_path / "out"
    pg.search(book, grid=GRID, plan=replace(PLAN, random=2), out=out, sampling=SHORT)
    few = findings(out)
    found = pg.search(book, grid=GRID, plan=replace(PLAN, random=3), out=out, sampling=SHORT)
    more = findings(out)
    assert len(found.table) == 3
    assert more[: len(few)] == few
    tasks = [(json.dumps(entry["priors"]), entry["fold"]) for entry in more]
    assert len(set(tasks)) == len(tasks) == 3 * (1 + 3)


def test_a_line_that_was_not_written_to_its_end_is_done_again(book: pg.Gradebook, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = pg.search(book, grid={"mu_s": [3, 4]}, out=out, **FAST)
    lines = (out / FINDINGS).read_bytes().splitlines(keepends=True)
    (out / FINDINGS).write_bytes(b"".join(lines[:3]) + lines[3][:-20])
    again = pg.search(book, grid={"mu_s": [3, 4]}, out=out, **FAST)
    pd.testing.assert_frame_equal(untimed(again.table), untimed(whole.table), check_exact=True)
    assert (out / FINDINGS).read_bytes().splitlines(keepends=True)[:3] == lines[:3]
    assert len(findings(out)) == len(lines)


def test_a_broken_line_is_named(book: pg.Gradebook, tmp_path: Path) -> None:
    out = tmp_path / "out"
    pg.search(book, grid={"mu_s": [4]}, out=out, **FAST)
    with (out / FINDINGS).open("ab") as file:
        file.write(b'{"priors": 3}\n')
    with pytest.raises(pg.ResultsError, match=r"findings.jsonl, row 5: is not what a search writes; remove that row"):
        pg.search(book, grid={"mu_s": [4]}, out=out, **FAST)


def test_a_folder_of_something_else_is_refused(book: pg.Gradebook, tmp_path: Path) -> None:
    out = tmp_path / "out"
    pg.search(book, grid={"mu_s": [4]}, out=out, **FAST)
    before = findings(out)
    with pytest.raises(pg.ResultsError, match="holds a search that differs in sampling, folds; name another folder"):
        pg.search(book, grid={"mu_s": [4]}, plan=replace(PLAN, folds=4), out=out, sampling=replace(SHORT, draws=10))
    others = book.select(np.arange(book.n_reviews) > 0)
    with pytest.raises(pg.ResultsError, match="holds a search that differs in class; name another folder"):
        pg.search(others, grid={"mu_s": [4]}, out=out, **FAST)
    with pytest.raises(pg.ResultsError, match="holds a search that differs in model"):
        pg.search(book, pg.Model(effort=False), grid={"mu_s": [4]}, out=out, **FAST)
    assert findings(out) == before
    pg.fit(book, chains=1, draws=5, burn_in=0, seed=0).save(tmp_path / "posterior.npz")
    with pytest.raises(pg.ResultsError, match="this folder holds files that are not results"):
        pg.search(book, grid={"mu_s": [4]}, out=tmp_path, **FAST)


def test_two_searches_in_one_folder(grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    with open_folder(out, {}, 1):
        assert main(["search", str(grades), "-o", str(out), *OPTIONS]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"{out}: another search is at work in this folder; wait until it ends, or name another folder"
    )
    assert [entry.name for entry in tmp_path.iterdir() if "peerage-" in entry.name] == []


def test_the_command(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = str(grades.parent / "grid.toml")
    assert main(["search", str(grades), "--grid", grid, "--keep", "1", *OPTIONS]) == 0
    shown = capsys.readouterr()
    out = grades.parent / "grades-search"
    table = pd.read_csv(out / TABLE)
    assert list(table.columns[:4]) == ["mu_s", "sigma_b", "screened", "screened_se"]
    assert len(table) == 4
    assert table["score"].iloc[0] == table["score"].max()
    assert "Of 4 settings, " in shown.out
    assert f"mu_s {table['mu_s'][0]:g}, sigma_b {table['sigma_b'][0]:g}: cross-validated with" in shown.out
    assert "best so far, of 1 setting: mu_s " in shown.err
    assert "note: no effect in this model of this class, so not searched: lambda_tau" in shown.err
    assert pg.Priors.read(out / "best.toml") == pg.Priors.paper(mu_s=table["mu_s"][0], sigma_b=table["sigma_b"][0])
    assert (out / "search.png").read_bytes().startswith(b"\x89PNG")
    figure = (out / "search.svg").read_text("utf-8")
    assert all(f">{name}<" in figure for name in ("mu_s", "sigma_b"))
    before = findings(out)
    assert main(["search", str(grades), "--grid", grid, "--keep", "1", *OPTIONS, "-q", "--json"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out)["best"]["mu_s"] == table["mu_s"][0]
    assert "so far" not in again.err
    assert findings(out) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--grid", "small"], "there is no grid 'small'"),
        (["--priors", "learned"], "a search is for fixed priors"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:9"], "a number of workers or a scheduler, not both"),
        (["--random", "2", "--one-at-a-time"], "drawn at random or changed one at a time, not both"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(
    grades: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(grades), *arguments]) == 2
    shown = capsys.readouterr().err
    assert words in " ".join(shown.replace("│", "").split())
    assert not (grades.parent / "grades-search").exists()


def test_grids_that_do_not_fit_the_class_are_refused(book: pg.Gradebook) -> None:
    with pytest.raises(pg.ModelError, match="mu_s has 3 values but the rubric has 2 components"):
        pg.search(book, grid={"mu_s": [[3, 4, 5]]}, **FAST)
    with pytest.raises(pg.InputError, match="no hyperparameter of the grid has any effect"):
        pg.search(book, pg.Model(effort=False), grid={"tau_l": [1, 4]}, **FAST)
