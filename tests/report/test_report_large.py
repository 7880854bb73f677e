"""The staff's page of a class with too many submissions for a browser lists those that matter most."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.report import submission_columns
from peerage.report.report_source import ReportSource
from peerage.report.staff_page import StaffPage, staff_page
from peerage.results.results import Results
from support.programs.reporting import data_of, staff_page_of, write

CHECKS, LISTED = 4, 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    book, _ = pg.simulate(students=15, weeks=2, tas=0, components=2, seed=3)
    posterior = pg.fit(book, pg.Model(priors="paper"), chains=2, draws=40, burn_in=10, seed=2)
    return write(posterior, tmp_path_factory.mktemp("class") / "results", spot_checks=CHECKS)


def page_of(folder: Path, monkeypatch: pytest.MonkeyPatch, listed: int) -> StaffPage:
    monkeypatch.setattr(submission_columns, "LISTED", listed)
    return staff_page(ReportSource(Results.read(folder)))


def test_submissions_to_check_and_those_that_changed_most_are_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(folder, monkeypatch, LISTED)
    names = page.data.submissions["id"]
    assert (len(names), page.unlisted) == (LISTED, 30 - LISTED)
    assert page.spot_checks is not None
    assert [names[check.target] for check in page.spot_checks] == [check.submission for check in page.spot_checks]
    named = [mention for entry in page.attention for mention in entry.mentions if mention.target is not None]
    assert named
    assert all(mention.name.split(" ")[0] == names[mention.target] for mention in named if mention.target is not None)


def test_what_is_listed_is_what_a_whole_page_tells(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, short = (page_of(folder, monkeypatch, listed).data for listed in (30, LISTED))
    for row, name in enumerate(short.submissions["id"]):
        same = whole.submissions["id"].index(name)
        for column in ("authors", "before", "after", "lower", "upper", "certainty"):
            assert short.submissions[column][row] == whole.submissions[column][same]
        for table in ("cells", "reviews"):
            for column in getattr(short, table).keys() - {"sentence"}:
                first, second = (
                    getattr(page, table)[column][slice(*([0, *page.submissions[table]][place : place + 2]))]
                    for page, place in ((short, row), (whole, same))
                )
                assert first == second


def test_every_submission_to_check_is_listed_however_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = page_of(folder, monkeypatch, 2)
    checked = set(pd.read_csv(folder / "spotchecks.csv")["submission"])
    assert set(page.data.submissions["id"]) == checked


def test_the_page_says_how_many_are_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "submissions are not listed" not in staff_page_of(folder)
    monkeypatch.setattr(submission_columns, "LISTED", LISTED)
    page = staff_page_of(folder)
    assert "20 more submissions are not listed" in page
    assert len(data_of(page)["submissions"]["id"]) == LISTED
