"""Learned priors: what is reported of them and where, and that a fit with them can be kept and gone on with."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import peerage as pg
from peerage.cli import main
from peerage.cli.terminal import fit_summary
from peerage.inference.numerics.hyperparameters import EPSILON, N_CLASSWIDE, TA_SHAPE
from peerage.inference.sampling.chains import VARIABLES
from peerage.model import Model

OPTIONS = ["--chains", "2", "--draws", "30", "--burn-in", "20", "-q"]
FAST: dict[str, Any] = {"chains": 2, "draws": 40, "burn_in": 30}


def small_class(tas: int = 1) -> pg.Gradebook:
    return pg.simulate(students=10, weeks=2, tas=tas, components=2, seed=3)[0]


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(small_class(), seed=1, **FAST)


def parameters(posterior: pg.Posterior) -> list[str]:
    return list(dict.fromkeys(posterior.priors()["parameter"]))


def learned(posterior: pg.Posterior) -> dict[str, dict[Any, Any]]:
    """The row of each parameter; of the last component, where there are several."""
    return {row["parameter"]: row for row in posterior.priors().to_dict("records")}


def said(posterior: pg.Posterior) -> str:
    console = Console(file=io.StringIO(), width=100)
    fit_summary.show(posterior, console)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


# The table


def test_priors_are_learned_by_default(posterior: pg.Posterior) -> None:
    assert Model().learned
    assert posterior.model.learned
    assert posterior.samples.hyper.shape == (2, 40, N_CLASSWIDE + 5 * 2)


def test_the_table_has_value_interval_and_meaning(posterior: pg.Posterior) -> None:
    table = posterior.priors()
    assert list(table.columns) == ["parameter", "symbol", "component", "value", "lower", "upper", "meaning"]
    assert (table["lower"] <= table["upper"]).all()
    assert (table["meaning"].str.len() > 10).all()
    per_component = table[table["component"] != ""]
    names = ["mu_s", "sigma_s", "mu_l", "component_halo", "component_error"]
    assert list(per_component["parameter"]) == [name for name in names for _ in range(2)]
    assert list(per_component["component"]) == ["Component 1", "Component 2"] * len(names)


def test_values_and_intervals_are_those_of_the_draws(posterior: pg.Posterior) -> None:
    """Coordinate 0 is log σ_b, 5 the logit of the mean effort; means of grades follow those of the class."""
    hyper = posterior.samples.hyper.reshape(-1, N_CLASSWIDE + 10)
    logit = 1 / (1 + np.exp(-hyper[:, 5]))
    for name, values in (("sigma_b", np.exp(hyper[:, 0])), ("effort", logit), ("mu_s", hyper[:, N_CLASSWIDE + 1])):
        row = learned(posterior)[name]
        lower, upper = np.quantile(values, [0.05, 0.95])
        assert (row["value"], row["lower"], row["upper"]) == pytest.approx((values.mean(), lower, upper))


def test_only_what_has_a_part_in_the_model_is_shown(posterior: pg.Posterior) -> None:
    assert {"mean_bias", "sigma_ta", "reliability_ta"} <= set(parameters(posterior))
    assert not {"sigma_tau", "lambda_tau"} & set(parameters(posterior))
    shared = pg.fit(small_class(tas=0), Model(effort=False), seed=1, **FAST)
    students = ["sigma_b", "reliability", "reliability_shape"]
    of_components = ["mu_s", "sigma_s", "component_halo", "component_error"]
    assert parameters(shared) == [*students, "merit", "halo", "scale", *of_components]
    apart = pg.fit(small_class(tas=0), Model(effort=False, merit=False, halo=False, scale=False), seed=1, **FAST)
    assert parameters(apart) == [*students, "mu_s", "sigma_s"]
    plain = pg.fit(small_class(tas=0), Model(bias=False, effort=False, correlation=True), seed=1, **FAST)
    assert {"sigma_tau", "lambda_tau"} <= set(parameters(plain))
    assert "sigma_b" not in parameters(plain)


def test_fixed_priors_are_shown_as_they_are() -> None:
    fixed = Model(priors=pg.Priors.paper(mu_s=(3.0, 4.0), sigma_b=0.4))
    table = pg.fit(small_class(), fixed, chains=1, draws=5, seed=1).priors()
    assert table["lower"].isna().all()
    assert list(table[table["parameter"] == "mu_s"]["value"]) == [3.0, 4.0]
    assert table[table["parameter"] == "sigma_b"]["value"].item() == 0.4


def test_hyperparameters_are_those_of_a_typical_draw(posterior: pg.Posterior) -> None:
    priors, mean = posterior.hyperparameters, posterior.samples.hyper.mean(axis=(0, 1))
    assert priors.mu_s == pytest.approx(tuple(mean[N_CLASSWIDE : N_CLASSWIDE + 2]))
    assert priors.sigma_s == pytest.approx(tuple(np.exp(mean[N_CLASSWIDE + 2 : N_CLASSWIDE + 4])))
    assert (priors.epsilon, priors.alpha_tau_ta) == (EPSILON, TA_SHAPE)
    assert priors.alpha_tau / priors.beta_tau == pytest.approx(np.exp(mean[2]))
    assert priors.alpha_tau_ta / priors.beta_tau_ta == pytest.approx(np.exp(mean[4]))
    assert priors.alpha_e / priors.beta_e == pytest.approx(np.exp(mean[5]))


def test_learned_priors_go_where_the_grades_are() -> None:
    """The mean true grade of 40 submissions with 4 reports each is known to about 0.1; the paper's prior mean is 4.

    Biases of graders, of a standard deviation of 0.1 here, leave the class's mean as it is.
    """
    model = Model(priors=pg.Priors.paper(mu_s=1.5, sigma_s=0.5, sigma_b=0.1))
    book, truth = pg.simulate(students=20, weeks=2, tas=0, components=1, seed=2, model=model)
    posterior = pg.fit(book, chains=2, draws=1000, burn_in=300, seed=1)
    assert learned(posterior)["mu_s"]["value"] == pytest.approx(truth.true_grade.mean(), abs=4 * 0.1)
    assert learned(posterior)["sigma_b"]["upper"] < 0.8, "the hyperprior's median is 0.5 and its 95 % quantile 1.9"


def test_diagnostics_have_a_row_for_the_priors(posterior: pg.Posterior) -> None:
    table = posterior.diagnostics()
    assert list(table["variable"]) == ["true_grade", "reliability", "bias", "effort", "priors"]
    assert table["worst"].iloc[-1].split(" of ")[0] in parameters(posterior)
    fixed = pg.fit(small_class(), Model(priors="paper"), chains=2, draws=5, seed=1)
    assert "priors" not in set(fixed.diagnostics()["variable"])


# What cannot be learned


def test_one_grade_a_submission_is_warned_of() -> None:
    words = "no submission has two reports of a component, so noise cannot be distinguished from true differences"
    book = small_class(tas=0)
    first = np.zeros(book.n_reviews, bool)
    first[np.unique(book.review_submission, return_index=True)[1]] = True
    lonely = book.select(first)
    for model, warned in ((Model(), True), (Model(priors="paper"), False)):
        warnings = pg.fit(lonely, model, chains=1, draws=5, seed=1).warnings
        assert (words in [warning.message for warning in warnings]) == warned
    assert words not in [warning.message for warning in pg.fit(book, chains=1, draws=5, seed=1).warnings]


def test_the_papers_grids_are_refused() -> None:
    with pytest.raises(pg.ModelError, match="the paper's grids are for fixed priors"):
        Model(grids="paper")


@pytest.mark.parametrize("censoring", [True, False])
def test_tiny_classes_stay_sane(censoring: bool) -> None:
    """Two submissions and two graders: grades lie between what was reported, 3.5 and 1.5, and the hyperprior's 3.5."""
    table = pd.DataFrame({"submission": list("ppqq"), "grader": list("abab"), "Essay": [3, 4, 1, 2]})
    book = pg.read_grades(table, pg.Rubric.from_dict({"Essay": {"grades": "0 to 5 by 1"}}))
    posterior = pg.fit(book, Model(censoring=censoring), chains=2, draws=300, burn_in=60, seed=1)
    first, second = posterior.submissions()["expected"]
    assert first == pytest.approx(3.5, abs=0.5)
    assert 1.5 < second < first
    assert posterior.priors()[["value", "lower", "upper"]].notna().all().all()


# The words and the files


def test_the_summary_tells_what_was_learned_and_whose_level_it_is(posterior: pg.Posterior) -> None:
    words = said(posterior)
    assert f"Learned from the class: effort in {learned(posterior)['effort']['value']:.0%} of reviews" in words
    assert "than staff (90% interval" in words
    assert "No staff graded" not in words
    alone = said(pg.fit(small_class(tas=0), seed=1, **FAST))
    assert "No staff graded, so the general level of the grades is that of the peers." in alone
    assert "than staff" not in alone
    assert "A held-out peer grade is predicted with an error of" in alone


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned")
    small_class().write(folder / "class.csv", rubric=True)
    (folder / "priors.toml").write_text("mu_s = 3.0\n")
    return folder / "class.csv"


def record(grades: Path, out: Path, *options: str) -> dict[str, Any]:
    assert main(["fit", str(grades), "-o", str(out), *options, *OPTIONS]) == 0
    content: dict[str, Any] = json.loads((out / "run.json").read_text("utf-8"))
    return content


def test_the_record_has_what_was_learned_and_how_well_it_predicts(grades: Path, tmp_path: Path) -> None:
    run = record(grades, tmp_path / "out")
    posterior = pg.load(tmp_path / "out" / "posterior.npz")
    assert run["model"]["priors"] == "learned"
    assert [row["parameter"] for row in run["learned"]] == list(posterior.priors()["parameter"])
    assert run["learned"][0]["value"] == pytest.approx(posterior.priors()["value"].iloc[0], rel=1e-4)
    assert set(run["learned"][0]) == {"parameter", "symbol", "component", "value", "lower", "upper", "meaning"}
    assert run["priors"]["mu_s"] == pytest.approx(posterior.hyperparameters.mu_s)
    assert run["prediction"]["elpd"] == pytest.approx(posterior.leave_one_out.log_mass.sum(), rel=1e-4)
    assert run["prediction"]["untrusted_reviews"] == posterior.leave_one_out.untrusted.sum()
    assert run["prediction"]["held_out"]["verdict"] in ("better", "alike", "worse")
    assert run["choice"] is None
    assert run["diagnostics"][-1]["variable"] == "priors"


@pytest.mark.parametrize(
    ("option", "used"),
    [("learned", "learned"), ("paper", pg.Priors.paper()), ("priors.toml", pg.Priors.paper(mu_s=3.0))],
)
def test_priors_are_learned_the_papers_or_from_a_file(
    grades: Path, tmp_path: Path, option: str, used: pg.Priors | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(grades.parent)
    run = record(grades, tmp_path / "out", "--priors", option)
    assert pg.load(tmp_path / "out" / "posterior.npz").model.priors == used
    assert (run["learned"] is None) == (option != "learned")


# Keeping and going on


def assert_same(first: pg.Posterior, second: pg.Posterior) -> None:
    for name in VARIABLES:
        np.testing.assert_array_equal(first.samples.draws[name], second.samples.draws[name])
    np.testing.assert_array_equal(first.samples.hyper, second.samples.hyper)


@pytest.mark.parametrize("censoring", [True, False])
def test_the_same_seed_gives_the_same_draws_whatever_the_workers(censoring: bool) -> None:
    """With enough burn-in for the chains to be compared."""
    settings: dict[str, Any] = {"chains": 3, "draws": 20, "burn_in": 100, "seed": 7}
    model = Model(censoring=censoring)
    first, second = (pg.fit(small_class(), model, workers=workers, **settings) for workers in (1, 3))
    assert_same(first, second)
    assert first.restarts == second.restarts
    other = pg.fit(small_class(), model, **(settings | {"seed": 8}))
    assert not np.array_equal(first.samples.hyper, other.samples.hyper)


def test_a_fit_survives_a_file_and_goes_on_as_if_never_saved(posterior: pg.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    assert_same(loaded, posterior)
    pd.testing.assert_frame_equal(loaded.priors(), posterior.priors())
    np.testing.assert_array_equal(loaded.leave_one_out.log_mass, posterior.leave_one_out.log_mass)
    assert_same(loaded.extend(10), posterior.extend(10))


@pytest.mark.parametrize("censoring", [True, False])
def test_a_longer_fit_is_a_shorter_one_extended(censoring: bool) -> None:
    long, short = (
        pg.fit(small_class(), Model(censoring=censoring), chains=2, draws=draws, burn_in=20, seed=1)
        for draws in (30, 20)
    )
    assert_same(short.extend(10), long)


def test_new_grades_go_on_with_the_priors_that_were_learned(posterior: pg.Posterior) -> None:
    """Hyperparameters go on from where the chains stood, with the widths of their moves."""
    book = posterior.book
    new = pg.read_grades(
        pd.DataFrame(
            {"submission": [book.submissions[0]], "grader": ["new ta"], "role": ["ta"]}
            | {name: [3] for name in book.rubric.names}
        ),
        book.rubric,
    )
    updated = posterior.update(new, draws=20, burn_in=0)
    assert updated.book.n_reviews == book.n_reviews + 1
    assert updated.model == posterior.model
    assert updated.samples.hyper.shape == (2, 20, N_CLASSWIDE + 10)
    width = posterior.samples.states[0].variables["hyper_width"]
    np.testing.assert_array_equal(updated.samples.states[0].variables["hyper_width"], width)
    assert np.isfinite(updated.leave_one_out.log_mass).all()
