"""The charts of a grader's bias and error by assignment: what they show, how wide their intervals are, and for whom."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.report import graders_over_time as module
from peerage.report.graders_over_time import change_of, graders_over_time, occasions_of
from peerage.report.report_source import ReportSource
from peerage.results.results import Results
from support.programs.reporting import staff_page_of, write

GRADERS, WEEKS, REVIEWS, COMPONENTS = 60, 8, 4, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of three weeks, in which student01 turns from severe to generous and student02 misses two."""
    book, _ = pg.simulate(students=12, weeks=3, tas=0, components=2, seed=5)
    table = book.table()
    table = table[(table["grader"] != "student02") | (table["assignment"] == "week2")]
    mine = table["grader"] == "student01"
    table.loc[mine & (table["assignment"] == "week1"), "grade"] = 1.0
    table.loc[mine & (table["assignment"] == "week3"), "grade"] = 5.0
    changed = pg.read_grades(table, pg.Rubric.uniform(book.rubric.names, range(6)))
    posterior = pg.fit(changed, pg.Model(priors="paper"), chains=2, draws=40, burn_in=10, seed=2)
    return write(posterior, tmp_path_factory.mktemp("class") / "results")


def test_an_occasion_compares_reports_with_expected_grades(folder: Path) -> None:
    source = ReportSource(Results.read(folder))
    found = graders_over_time(source)
    table = source.book.table().merge(source.cells[["submission", "component", "expected"]])
    table["more"] = table["grade"] - table["expected"]
    for name, occasions in found.items():
        mine = table[table["grader"] == name]
        assert [occasion.assignment for occasion in occasions] == sorted(mine["assignment"].unique())
        for occasion in occasions:
            rows = mine[mine["assignment"] == occasion.assignment]
            assert occasion.bias.value == pytest.approx(rows["more"].mean())
            assert occasion.n_reviews == rows["submission"].nunique()
            assert occasion.bias.lower < occasion.bias.value < occasion.bias.upper
            assert 0 < occasion.error.lower < occasion.error.value < occasion.error.upper


def test_a_change_of_heart_is_seen(folder: Path) -> None:
    found = graders_over_time(ReportSource(Results.read(folder)))
    first, _, last = found["student01"]
    assert first.bias.upper < last.bias.lower
    assert max(found, key=lambda name: change_of(found[name])) == "student01"


def test_there_is_a_chart_for_everyone_who_graded_twice(folder: Path) -> None:
    page = staff_page_of(folder)
    drawn = re.findall(r'aria-label="Bias and error of (\S+) in (\d) assignments"', page)
    assert sorted(drawn) == [(f"student{number:02d}", "3") for number in range(1, 13) if number != 2]
    assert "By assignment" in page
    assert re.search(r"<title>week1, 4 reviews: bias -\d\.\d\d \(-\d\.\d\d to [+-]\d\.\d\d\), off by ", page)


@pytest.mark.parametrize("attribute", ["DRAWN", "one assignment"])
def test_without_charts_the_page_does_not_speak_of_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attribute: str
) -> None:
    if attribute == "DRAWN":
        monkeypatch.setattr(module, "DRAWN", 5)
    else:
        posterior = pg.load(folder / "posterior.npz")
        book = pg.read_grades(posterior.book.table().drop(columns="assignment"), posterior.book.rubric)
        fitted = pg.fit(book, pg.Model(priors="paper"), chains=2, draws=40, burn_in=10, seed=2)
        folder = write(fitted, tmp_path / "results")
    assert "By assignment" not in staff_page_of(folder)


def simulated(rng: np.random.Generator, halo: float) -> tuple[pd.DataFrame, float, float]:
    """Occasions of graders whose bias and error stay the same, and how often their intervals hold the truth.

    Reports of a review share an error of variance ``halo``; the rest of it, of 1 in all, is their own.
    """
    shape = (GRADERS, WEEKS * REVIEWS)
    sd, bias = rng.uniform(0.4, 1.2, GRADERS), rng.normal(0, 0.5, GRADERS)
    shared = np.sqrt(halo) * rng.normal(size=(*shape, 1))
    noise = shared + np.sqrt(1 - halo) * rng.normal(size=(*shape, COMPONENTS))
    residuals = (bias[:, None, None] + sd[:, None, None] * noise).reshape(-1, COMPONENTS)
    grader = np.repeat(np.arange(GRADERS), shape[1])
    where = np.tile(np.repeat(np.arange(WEEKS), REVIEWS), GRADERS)
    found = pd.DataFrame(occasions_of(residuals, grader, where), columns=["grader", "week", "number", "bias", "error"])
    held = [
        np.mean(
            [
                estimate.lower < truth[who] < estimate.upper
                for who, estimate in zip(found["grader"], column, strict=True)
            ]
        )
        for truth, column in ((bias, found["bias"]), (sd, found["error"]))
    ]
    return found, float(held[0]), float(held[1])


@pytest.mark.parametrize("halo", [0.0, 0.5])
def test_intervals_hold_the_truth_about_as_often_as_they_say(halo: float) -> None:
    found, bias, error = simulated(np.random.default_rng(1), halo)
    assert len(found) == GRADERS * WEEKS
    assert set(found["number"]) == {REVIEWS}
    # 480 intervals, of which those of a grader share an estimate: a standard error of about .02.
    assert bias == pytest.approx(0.9, abs=0.06)
    assert 0.84 < error < 0.99
