"""Spot checks: what a check is worth, against brute force; who is proposed, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr

import peerage as pg
from peerage.cli import main
from peerage.decisions.spotchecks.benefit import benefit_of
from peerage.decisions.spotchecks.spotcheck_ranking import choose
from peerage.gradebook.book import TA
from support.classes.classes import gradebooks
from support.classes.tiny import FIXED, MODELS, model_id, tiny_class

FAST = ["--chains", "2", "--draws", "30", "--burn-in", "10", "-q"]

Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    """A class of 20 submissions that staff have not seen."""
    book, truth = pg.simulate(20, 1, seed=6, tas=0, components=2)
    return pg.fit(book, truth.model, chains=2, draws=400, seed=0)


def shortest_distance(values: Floats, weights: Floats) -> float:
    """The least weighted sum of distances that any value on a fine grid has from others."""
    tried = np.linspace(values.min(), values.max(), 400)
    return float((np.abs(tried[:, None] - values) @ weights).min())


def gain_by_draws(component: pg.Component, drawn: Floats, precisions: Floats) -> tuple[float, float, float]:
    """The loss of one true grade, and what a TA's report takes off it and off the variance: no grid, every draw."""
    points = np.interp(np.clip(drawn, 0, 5), component.scaled, component.worth)
    edges = np.concatenate([[-np.inf], component.cuts, [np.inf]])
    below = ndtr((edges - drawn[:, None, None]) * np.sqrt(precisions)[:, None])
    likelihood = np.diff(below, axis=2).mean(axis=1)
    now = shortest_distance(points, np.full(len(points), 1 / len(points)))
    after = sum(shortest_distance(points, column / len(points)) for column in likelihood.T)
    share = likelihood.mean(axis=0)
    means = (points[:, None] * likelihood).mean(axis=0) / share
    left = ((points[:, None] - means) ** 2 * likelihood).mean()
    return now, now - after, float(points.var() - left * likelihood.shape[1])


def test_losses_and_gains_agree_with_brute_force(posterior: pg.Posterior) -> None:
    """The grid and the 32 reliabilities of a TA move losses and gains by less than one part in a hundred.

    What is taken off a loss, a difference of two, is moved by less than a hundredth of the loss.
    """
    benefit = benefit_of(posterior)
    draws = posterior.draws.on_model_scale("true_grade").reshape(800, 20, 2).astype(float)
    precisions = np.asarray(gammaincinv(4.0, (np.arange(100) + 0.5) / 100) / 2.0, dtype=float)
    components = posterior.book.rubric.components
    expected = np.array(
        [
            [gain_by_draws(component, draws[:, u, index], precisions) for index, component in enumerate(components)]
            for u in range(5)
        ]
    ).sum(axis=1)
    np.testing.assert_allclose(benefit.loss[:5], expected[:, 0], rtol=0.01)
    assert (np.abs(benefit.reduced[:5] - expected[:, 1]) < 0.01 * expected[:, 0]).all()
    np.testing.assert_allclose(benefit.gain[:5], expected[:, 2], rtol=0.01)


def test_points_are_the_unit(posterior: pg.Posterior) -> None:
    """A rubric that pays seven points a grade makes losses seven times as large, and squared errors 49 times."""
    dear = pg.Rubric(
        tuple(
            replace(part, points=tuple(7 * grade for grade in part.grades)) for part in posterior.book.rubric.components
        )
    )
    plain, paid = benefit_of(posterior), benefit_of(replace(posterior, book=replace(posterior.book, rubric=dear)))
    for name, factor in (("loss", 7), ("reduced", 7), ("gain", 49)):
        np.testing.assert_allclose(getattr(paid, name), factor * getattr(plain, name), rtol=1e-5)


def test_the_better_the_tas_the_more_a_check_is_worth(posterior: pg.Posterior) -> None:
    gains = [
        benefit_of(replace(posterior, model=posterior.model.with_priors(beta_tau_ta=rate))).gain
        for rate in (0.5, 2.0, 8.0)
    ]
    assert (gains[0] > gains[1]).all()
    assert (gains[1] > gains[2]).all()


# Who is proposed


def test_the_list_is_ranked_by_benefit_and_random_ones_are_spread_over_it(posterior: pg.Posterior) -> None:
    table = pg.spot_checks(posterior, 15, random_share=0.2, seed=3)
    assert list(table["rank"]) == list(range(1, 16))
    assert table["submission"].is_unique
    is_random = table["reason"].str.startswith("Chosen at random")
    assert list(table.loc[is_random, "rank"]) == [5, 10, 15]
    worth = dict(zip(posterior.book.submissions, benefit_of(posterior).gain, strict=True))
    assert list(table["priority"]) == [worth[name] for name in table["submission"]]
    by_benefit = list(table.loc[~is_random, "submission"])
    assert by_benefit == sorted(worth, key=lambda name: -worth[name])[:12]


def test_nobody_can_be_sure_not_to_be_checked() -> None:
    """Ten of 19 others are drawn with equal chances: each count lies within 5 standard errors (90,000 to 1)."""
    drawn = np.zeros(20)
    for seed in range(1900):
        chosen, is_random = choose(np.arange(20), 11, 10 / 11, np.random.default_rng(seed))
        assert list(chosen[~is_random]) == [0]
        drawn[chosen[is_random]] += 1
    assert drawn.sum() == 19_000
    assert (np.abs(drawn[1:] - 1000) < 5 * np.sqrt(1900 * (10 / 19) * (9 / 19))).all()


def test_the_draw_cannot_be_foreseen_from_the_seed(posterior: pg.Posterior) -> None:
    other = replace(posterior, book=replace(posterior.book, levels=posterior.book.levels[::-1]))
    drawn = [set(pg.spot_checks(one, 10, random_share=1.0, seed=0)["submission"]) for one in (posterior, other)]
    assert drawn[0] != drawn[1]
    assert drawn[0] == set(pg.spot_checks(posterior, 10, random_share=1.0, seed=0)["submission"])


def test_what_staff_graded_or_fixed_is_not_proposed() -> None:
    """The TA graded s0 and s3, the teacher s2 and s3; each left a component of s0 and s2 open at most."""
    book = tiny_class(1)
    levels = book.levels.copy()
    by = {
        (book.submissions[u], book.graders[v]): i
        for i, (u, v) in enumerate(zip(book.review_submission, book.review_grader, strict=True))
    }
    levels[by["s0", "ta"]] = [4, 1]
    levels[by["s2", "teacher"]] = [4, -1]
    fixed = pg.Fixed(true_grade={("s5", "Structure"): 3.0, ("s1", "Structure"): 2.0})
    posterior = pg.fit(replace(book, levels=levels), pg.Model(fixed=fixed, priors="paper"), chains=2, draws=50, seed=0)
    assert set(pg.spot_checks(posterior)["submission"]) == {"s1", "s2", "s4"}


def test_only_components_that_staff_left_open_count() -> None:
    book, _ = pg.simulate(10, 1, seed=2, tas=1, ta_share=1.0, components=2)
    half = book.levels.copy()
    half[np.ix_(book.roles[book.review_grader] == TA, [1])] = -1
    posterior = pg.fit(replace(book, levels=half), chains=2, draws=100, seed=0)
    unseen = replace(posterior, book=book.select(book.roles[book.review_grader] != TA))
    assert (benefit_of(posterior).gain < benefit_of(unseen).gain).all()
    assert (benefit_of(posterior).gain > 0).all()


@pytest.mark.parametrize(("budget", "number"), [(0, 0), (7, 7), (100, 20)])
def test_no_more_than_the_budget_or_the_class(posterior: pg.Posterior, budget: int, number: int) -> None:
    table = pg.spot_checks(posterior, budget)
    assert list(table.columns) == ["rank", "submission", "priority", "reason"]
    assert len(table) == number


def test_a_class_that_staff_have_graded_needs_no_check() -> None:
    book, _ = pg.simulate(8, 1, seed=2, tas=1, ta_share=1.0)
    assert len(pg.spot_checks(pg.fit(book, chains=1, draws=20, seed=0))) == 0


@pytest.mark.parametrize(
    ("budget", "share", "named"), [(-1, 0.1, "budget"), (5, 1.5, "random_share"), (5, -0.1, "random")]
)
def test_requests_must_make_sense(posterior: pg.Posterior, budget: int, share: float, named: str) -> None:
    with pytest.raises(pg.ModelError, match=named):
        pg.spot_checks(posterior, budget, random_share=share)


@pytest.mark.parametrize("model", MODELS, ids=model_id)
def test_every_model_has_spot_checks(model: pg.Model) -> None:
    posterior = pg.fit(tiny_class(1), replace(model, fixed=replace(FIXED, effort={})), chains=2, draws=20, seed=0)
    table = pg.spot_checks(posterior)
    assert len(table) > 0
    assert (table["priority"] >= 0).all()
    assert np.isfinite(table["priority"]).all()


@pytest.mark.slow
@given(gradebooks())
@settings(max_examples=20)
def test_any_class_has_spot_checks_trust_and_marks(book: pg.Gradebook) -> None:
    posterior = pg.fit(book, chains=1, draws=3, burn_in=0, seed=0)
    table = pg.spot_checks(posterior)
    assert set(table["submission"]) <= set(book.submissions)
    assert np.isfinite(table["priority"]).all()
    assert (table["reason"].str.len() > 0).all()
    assert list(pg.trust(posterior)["grader"]) == list(book.graders)
    assert pg.credit(posterior, required_reviews=2)["credit"].between(0, 100).all()


def test_fine_scales_are_thinned() -> None:
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 100 by 0.1"}})
    book, _ = pg.simulate(8, 1, seed=2, tas=0, components=rubric)
    posterior = pg.fit(book, chains=1, draws=50, seed=0)
    benefit = benefit_of(posterior)
    sd = posterior.submissions()["sd"].to_numpy()
    assert (benefit.gain > 0).all()
    assert ((benefit.loss / sd > 0.4) & (benefit.loss / sd < 1)).all()


# Why


def reasons(posterior: pg.Posterior) -> dict[str, str]:
    table = pg.spot_checks(posterior, 1000, random_share=0)
    return dict(zip(table["submission"], table["reason"], strict=True))


def class_of(rows: list[tuple[str, str, int]], count: int = 20) -> pg.Posterior:
    """A class of five diligent graders who give 3 to many submissions, and some rows more."""
    table = [(f"plain{u}", f"g{(u + k) % 5}", 3) for u in range(count) for k in range(3)] + rows
    frame = pd.DataFrame(table, columns=["submission", "grader", "Essay"])
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 10 by 1"}})
    model = pg.Model(bias=False, effort=False, priors="paper").with_priors(mu_s=1.5, sigma_s=1.0)
    return pg.fit(pg.read_grades(frame, rubric), model, chains=2, draws=200, seed=0)


def test_disagreement_single_reviews_and_high_averages_are_named() -> None:
    posterior = class_of(
        [
            ("split", "g0", 1),
            ("split", "g1", 3),
            ("split", "g2", 8),
            ("alone", "g3", 3),
            *(("top", f"g{k}", 9) for k in range(3)),
        ]
    )
    found = reasons(posterior)
    assert "its graders differ by 7 in Essay" in found["split"]
    assert "only one student reviewed it" in found["alone"]
    assert "the peers' mean, 90% of the scale, is one of the highest" in found["top"]
    assert all("differ" not in found[name] and "average" not in found[name] for name in found if "plain" in name)


def test_an_average_that_the_estimate_does_not_support_is_called_suspicious() -> None:
    """Two graders whose reviews are known to lack effort praise what a good one does not."""
    rows = [("liked", "g0", 2), ("liked", "idle1", 10), ("liked", "idle2", 10)]
    plain = [(f"p{u}", f"g{(u + k) % 4}", 2 + u % 2) for u in range(12) for k in range(3)]
    frame = pd.DataFrame([*plain, *rows], columns=["submission", "grader", "Essay"])
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 10 by 1"}})
    fixed = pg.Fixed(effort={"idle1": 0.0, "idle2": 0.0})
    model = pg.Model(bias=False, fixed=fixed, priors="paper").with_priors(mu_s=1.5, sigma_s=1.0)
    posterior = pg.fit(pg.read_grades(frame, rubric), model, chains=2, draws=300, seed=0)
    assert "the peers' mean, 73% of the scale, is suspiciously high: the estimate is 2" in reasons(posterior)["liked"]


# The command


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    book, _ = pg.simulate(8, 2, seed=3, tas=0, components=2)
    book.write(tmp_path / "grades.csv", rubric=True)
    return tmp_path / "grades.csv"


def test_a_fit_proposes_checks_and_records_what_was_asked(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["fit", str(grades), "-o", str(out), "--spot-checks", "6", "--random-share", "0.5", *FAST]) == 0
    table = pd.read_csv(out / "spotchecks.csv")
    assert list(table.columns) == ["rank", "submission", "priority", "reason"]
    assert list(table["reason"].str.startswith("Chosen at random")) == [False, True] * 3
    said = capsys.readouterr().out
    assert f"Check first: {', '.join(table['submission'][:3])} (spotchecks.csv)." in said
    assert max(map(len, said.split("Written to")[0].splitlines())) <= 80
    record = json.loads((out / "run.json").read_text("utf-8"))["choices"]
    assert (record["spot_checks"], record["random_share"]) == (6, 0.5)


@pytest.mark.parametrize("option", [["--spot-checks", "-1"], ["--random-share", "2"]])
def test_senseless_requests_are_refused_before_anything_is_read(
    option: list[str], grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *option]) == 2
    assert option[0] in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
