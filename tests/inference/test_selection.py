"""The choice of a model: the simplest that predicts as well as any, what the others would change, and the words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import peerage as pg
from peerage.cli import main
from peerage.inference.choose_model import MARGIN, candidates, choose, compare
from peerage.inference.chosen_model import ModelChoice
from peerage.model import Model

FAST: dict[str, Any] = {"chains": 2, "draws": 100, "burn_in": 60}
OPTIONS = ["--chains", "2", "--draws", "40", "--burn-in", "20"]


def plain_class(**priors: float) -> pg.Gradebook:
    """A class whose students all try; without biases unless the priors say so."""
    model = Model(bias="sigma_b" in priors, effort=False, priors=pg.Priors.paper(**priors))
    return pg.simulate(students=30, weeks=2, tas=1, components=2, seed=3, model=model)[0]


@pytest.fixture(scope="module")
def biased() -> pg.Posterior:
    """A fit of a model chosen for a class with strong biases."""
    return pg.fit(plain_class(sigma_b=1.2), "auto", seed=1, **FAST)


def test_a_class_without_biases_and_shirkers_gets_the_simplest_model() -> None:
    """Each of three richer models is two standard errors better by chance in at most one of 40 such classes.

    As many draws as the command makes: two chains of 100 would leave a Monte-Carlo error of two units in each sum.
    """
    posterior = pg.fit(plain_class(), "auto", seed=1)
    assert (posterior.model.bias, posterior.model.effort) == (False, False)
    assert posterior.model.learned


def test_strong_biases_are_found(biased: pg.Posterior) -> None:
    assert (biased.model.bias, biased.model.effort, biased.model.correlation) == (True, False, False)
    assert biased.samples.n_draws == FAST["draws"]


def test_every_model_is_compared_and_correlation_only_compared(biased: pg.Posterior) -> None:
    assert biased.choice is not None
    table = biased.choice.table
    assert list(table["model"]) == [
        "censoring",
        "effort + censoring",
        "bias + censoring",
        "bias + effort + censoring, without scale",
        "bias + effort + censoring, without merit and halo",
        "bias + effort + censoring",
        "bias + effort + censoring + correlation",
    ]
    assert list(table["chosen"]) == [False, False, True, False, False, False, False]
    chosen = table[table["chosen"]].iloc[0]
    assert (chosen["difference"], chosen["difference_se"], chosen["grade_change"]) == (0.0, 0.0, 0.0)
    np.testing.assert_allclose(table["difference"], table["elpd"] - chosen["elpd"], atol=1e-6)
    worse = table[~table["bias"]]
    assert (worse["difference"] < -MARGIN * worse["difference_se"]).all()
    # Where effort is inferred too, halo stands in for a part of the missing bias, and grades move less.
    assert (worse["grade_change"] > 0).all()
    assert worse["grade_change"].max() > 0.1, "biases of more than a grade move grades"


def test_what_was_chosen_and_by_how_much_is_said(biased: pg.Posterior) -> None:
    assert biased.choice is not None
    lines = biased.choice.sentences
    assert len(lines) == 7
    assert lines[0].startswith("Of 7 models, 'bias + censoring' was chosen")
    (without,) = [line for line in lines if line.strip().startswith("censoring")]
    row = biased.choice.table.iloc[0]
    assert f"{row['difference']:+.1f} ± {row['difference_se']:.1f}" in without
    assert f"{row['grade_change']:.2f}" in without
    (correlated,) = [line for line in lines if "correlation" in line]
    assert "used only if asked for" in correlated


def test_a_choice_survives_a_file(biased: pg.Posterior, tmp_path: Path) -> None:
    biased.save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    assert biased.choice is not None
    assert loaded.choice is not None
    pd.testing.assert_frame_equal(loaded.choice.table, biased.choice.table)
    assert loaded.model == biased.model


def test_correlation_is_never_chosen_however_well_it_predicts() -> None:
    """Every review is ten times as probable under correlation, and nothing else differs."""
    book = pg.simulate(students=10, weeks=1, tas=0, components=1, seed=1)[0]
    fits = {model.name: pg.fit(book, model, chains=1, draws=20, seed=1) for model in candidates(book, Model())}

    def favoured(model: Model) -> Any:
        posterior = fits[model.name]
        found = posterior.leave_one_out
        object.__setattr__(found, "log_mass", np.full(book.n_reviews, np.log(10.0) if model.correlation else 0.0))
        return posterior

    model, choice = choose(book, Model(), favoured)
    assert not model.correlation
    assert (model.bias, model.effort) == (False, False)
    assert choice.table.iloc[-1]["difference"] == pytest.approx(book.n_reviews * np.log(10.0))


def test_candidates_depend_on_what_is_known() -> None:
    book = pg.simulate(students=6, weeks=1, tas=0, seed=1)[0]
    assert [model.correlation for model in candidates(book, Model())] == [False] * 6 + [True]
    anonymous = pg.read_grades(book.table().drop(columns="author"), book.rubric)
    assert [model.correlation for model in candidates(anonymous, Model())] == [False] * 6
    paper = candidates(anonymous, Model(priors="paper"))
    assert [model.name for model in paper] == [
        "censoring",
        "effort + censoring",
        "bias + censoring",
        "bias + effort + censoring",
    ]
    fixed = Model(fixed=pg.Fixed(effort={"student1": 0.5}), censoring=False)
    kept = candidates(anonymous, fixed)
    assert [model.effort for model in kept] == [True, True]
    assert not any(model.censoring for model in kept)


def test_differences_have_standard_errors_by_submission() -> None:
    """1,000 submissions of 4 reviews that err together: a sum of differences of 4 ± 4 each is 4,000 ± 126.

    The error's own relative error is 1/√2000, and its estimate lies within 4 of these with probability 0.9999.
    """
    rng = np.random.default_rng(0)
    one = np.repeat(1 + rng.standard_normal(1000), 4)
    difference, error = compare(one, np.zeros(4000), np.repeat(np.arange(1000), 4))
    assert difference == pytest.approx(one.sum())
    assert error == pytest.approx(4 * np.sqrt(1000), rel=4 / np.sqrt(2000))
    assert stats.norm.sf(abs(difference - 4000) / error) > 1e-4


def test_a_choice_of_nothing_else_than_auto_is_refused() -> None:
    book = plain_class()
    with pytest.raises(pg.ModelError, match="there is no model 'best'"):
        pg.fit(book, "best")


def test_the_command_chooses_and_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "class.csv"
    book = pg.simulate(students=10, weeks=1, tas=0, components=1, seed=1)[0]
    book.write(path, rubric=True)
    assert main(["fit", str(path), "--model", "auto", *OPTIONS, "-q"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    record = json.loads((tmp_path / "class" / "run.json").read_text("utf-8"))
    rows = record["choice"]
    assert [row["correlation"] for row in rows] == [False] * 5 + [True], "one component shares nothing"
    (chosen,) = [row for row in rows if row["chosen"]]
    assert f"Of 6 models, {chosen['model']!r} was chosen" in said
    assert record["model"]["bias"] == chosen["bias"]
    loaded = pg.load(tmp_path / "class" / "posterior.npz")
    assert loaded.choice is not None
    assert loaded.choice.to_rows() == ModelChoice.from_rows(rows).to_rows()
