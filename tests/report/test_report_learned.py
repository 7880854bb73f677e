"""What the staff's page says about learned priors, predictions and the choice of a model: the results' own words."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import peerage as pg
from peerage.report.model_in_words import choice_words, prediction_words, priors_of
from support.classes.tiny import tiny_class
from support.programs import reporting


def write(posterior: pg.Posterior, folder: Path) -> tuple[dict[str, Any], str]:
    """What ``run.json`` holds, and the page that is made of the folder."""
    reporting.write(posterior, folder)
    return json.loads((folder / "run.json").read_text("utf-8")), page_of(folder)


def page_of(folder: Path) -> str:
    return unescape(reporting.staff_page_of(folder))


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    book, _ = pg.simulate(12, 1, seed=3, tas=1, components=2)
    return pg.fit(book, "auto", chains=2, draws=100, burn_in=50, seed=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("class") / "results"


@pytest.fixture(scope="module")
def results(posterior: pg.Posterior, folder: Path) -> tuple[dict[str, Any], str]:
    return write(posterior, folder)


def test_learned_priors_are_told_with_their_intervals(
    posterior: pg.Posterior, results: tuple[dict[str, Any], str]
) -> None:
    record, page = results
    rows, learned = list(priors_of(record)), record["learned"]
    assert [row.symbol for row in rows] == list(posterior.priors()["symbol"])
    for name in ("symbol", "component"):
        assert [getattr(row, name) for row in rows] == [entry[name] for entry in learned]
    assert [row.value for row in rows] == [f"{entry['value']:.2f}" for entry in learned]
    intervals = [f"{entry['lower']:.2f} to {entry['upper']:.2f}" for entry in learned]
    assert [row.interval for row in rows] == intervals
    assert "What was learned about the class" in page
    assert "The fixed priors" not in page
    assert "the mean true grade: <bdi>Component 2</bdi>" in page
    assert all(f"<td>{interval}</td>" in page for interval in intervals)


def test_fixed_priors_are_told_as_such(tmp_path: Path) -> None:
    posterior = pg.fit(tiny_class(1), pg.Model(priors="paper"), chains=1, draws=20, seed=0)
    record, page = write(posterior, tmp_path / "results")
    assert {row.symbol: row.value for row in priors_of(record)}["σ_b"] == "1"
    assert {row.interval for row in priors_of(record)} == {""}
    symbols = {row.symbol for row in priors_of(record)}
    assert {"α_τ of TAs", "β_τ of TAs"} < symbols
    without_tas = record | {"counts": {"roles": {"student": 5, "ta": 0, "instructor": 1}}}
    assert {row.symbol for row in priors_of(without_tas)} == symbols - {"α_τ of TAs", "β_τ of TAs"}
    assert "The fixed priors" in page
    assert "What was learned" not in page
    assert "Which model was chosen" not in page


def test_the_page_says_whether_the_mean_is_beaten_and_which_model_was_chosen(
    posterior: pg.Posterior, results: tuple[dict[str, Any], str]
) -> None:
    record, page = results
    assert posterior.held_out is not None
    assert posterior.choice is not None
    assert posterior.held_out.sentence in page
    assert list(choice_words(record)) == posterior.choice.sentences
    assert all(sentence.strip() in page for sentence in posterior.choice.sentences)


@pytest.mark.parametrize(("verdict", "needs_attention"), [("better", False), ("alike", True), ("worse", True)])
def test_a_model_that_does_not_beat_the_mean_needs_attention(
    verdict: str, needs_attention: bool, folder: Path, results: tuple[dict[str, Any], str]
) -> None:
    record, _ = results
    difference = {"better": 0.3, "alike": 0.1, "worse": -0.3}[verdict]
    held_out = record["prediction"]["held_out"] | {
        "difference": difference,
        "difference_se": 0.1,
        "verdict": verdict,
    }
    changed = record | {"prediction": record["prediction"] | {"held_out": held_out}}
    try:
        (folder / "run.json").write_text(json.dumps(changed), "utf-8")
        page = page_of(folder)
    finally:
        (folder / "run.json").write_text(json.dumps(record), "utf-8")
    assert ("No better than the mean" in page) is needs_attention
    assert ("the model is better than both" in page) is not needs_attention


def test_predictions_that_cannot_be_trusted_are_counted(results: tuple[dict[str, Any], str]) -> None:
    record, _ = results

    def said(untrusted: int) -> list[str]:
        prediction = record["prediction"] | {"untrusted_reviews": untrusted, "held_out": None, "staff": {}}
        return list(prediction_words(record | {"prediction": prediction, "explanations": {}}))

    assert said(0) == []
    assert said(2)[0].startswith(f"For 2 of {record['counts']['reviews']} reviews this prediction is less exact")
