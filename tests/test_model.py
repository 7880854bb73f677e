"""Models, priors and fixed values: what is refused, in which words, and that TOML gives back what it was given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peerage as pg
from support.classes.tiny import MODELS

POSITIVE = st.floats(0.01, 20, allow_nan=False)
IDS = st.text(min_size=1, max_size=12)


@st.composite
def models(draw: st.DrawFn) -> pg.Model:
    """Any model: flags, priors (some by component), fixed values under any ids."""
    priors = pg.Priors.paper(
        mu_s=draw(st.one_of(st.floats(-2, 7), st.tuples(POSITIVE, POSITIVE))),
        sigma_s=draw(POSITIVE),
        sigma_b=draw(st.floats(0, 3)),
        alpha_e=draw(POSITIVE),
        epsilon=draw(st.floats(0, 1)),
    )
    fixed = pg.Fixed(
        effort=draw(st.dictionaries(IDS, st.floats(0, 1), max_size=3)),
        reliability=draw(st.dictionaries(IDS, POSITIVE, max_size=3)),
        bias=draw(st.dictionaries(IDS, st.floats(-5, 5), max_size=3)),
        true_grade=draw(st.dictionaries(st.tuples(IDS, IDS), st.floats(0, 100), max_size=3)),
    )
    flags = {name: draw(st.booleans()) for name in ("bias", "effort", "censoring", "correlation")}
    return pg.Model(**flags, priors=priors, fixed=fixed, grids=draw(st.sampled_from(["wide", "paper"])))


@given(models())
def test_a_model_survives_toml(model: pg.Model) -> None:
    assert pg.Model.from_toml(model.to_toml()) == model


@given(st.sampled_from(["learned", "students", 0.3]), st.sampled_from(["students", 0.2]))
def test_spreads_of_staff_survive_toml(tas: float | str, instructors: float | str) -> None:
    model = pg.Model(ta_spread=tas, instructor_spread=instructors)
    assert pg.Model.from_toml(model.to_toml()) == model


def test_drift_is_off_unless_it_is_chosen() -> None:
    model = pg.Model(drift=True)
    assert pg.Model.from_toml(model.to_toml()) == model
    assert model.name == "bias + effort + censoring + drift"
    assert "drift" not in pg.Model().to_dict()
    assert not model.with_priors(mu_s=3.0).drift


@given(models())
def test_priors_survive_toml(model: pg.Model) -> None:
    assert pg.Priors.from_toml(model.hyperparameters.to_toml()) == model.priors


def test_the_default_is_the_papers_model_with_learned_priors() -> None:
    model = pg.Model()
    assert (model.bias, model.effort, model.censoring, model.correlation) == (True, True, True, False)
    assert model.learned
    assert pg.Model(priors="paper").priors == pg.Priors.paper()
    assert len({m.name for m in MODELS}) == 16


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"grids": "paper"}, "the paper's grids are for fixed priors"),
        ({"priors": "guessed"}, "priors are 'learned', 'paper' or Priors.paper"),
        ({"bias": 1}, "bias is either True or False, not 1"),
        ({"grids": "fine"}, "grids are 'wide' or 'paper', not 'fine'"),
        ({"ta_spread": "wide"}, "ta_spread is 'learned' or 'students' or a number, not 'wide'"),
        ({"ta_spread": 0}, "ta_spread must be positive, not 0"),
        ({"instructor_spread": "learned"}, "instructor_spread is 'students' or a number, not 'learned'"),
        ({"priors": "paper", "ta_spread": 0.3}, "a setting of learned priors; fixed ones have sigma_b"),
        ({"drift": None}, "drift is either True or False, not None"),
        *(
            ({"drift": True} | settings, "drift needs learned priors, censoring and bias, and does not work with")
            for settings in ({"priors": "paper"}, {"censoring": False}, {"bias": False}, {"correlation": True})
        ),
    ],
)
def test_models_that_make_no_sense(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(pg.ModelError, match=words.replace("(", r"\(")):
        pg.Model(**settings)


@pytest.mark.parametrize(
    ("hyperparameters", "words"),
    [
        ({"sigma_s": 0}, "sigma_s must be positive, not 0"),
        ({"sigma_s": -1.0}, "sigma_s must be positive, not -1"),
        ({"sigma_b": float("nan")}, "sigma_b must be a finite number, not nan"),
        ({"alpha_tau": "two"}, "alpha_tau must be a finite number, not 'two'"),
        ({"alpha_e": (1.0, 2.0)}, "alpha_e must be one number"),
        ({"epsilon": 1.5}, "epsilon is a probability between 0 and 1, not 1.5"),
        ({"mu_s": (1.0, 2.0), "sigma_s": (1.0, 1.0, 1.0)}, "mu_s has 2 values but sigma_s has 3"),
        ({"sigma_s": 400.0}, "sigma_s is far outside the scale of 0 to 5; it can be at most 50"),
        ({"sigma_t": 1.0}, "there is no hyperparameter 'sigma_t'"),
    ],
)
def test_priors_that_make_no_sense(hyperparameters: dict[str, Any], words: str) -> None:
    with pytest.raises(pg.ModelError, match=words):
        pg.Priors.paper(**hyperparameters)


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ({"effort": {"ann": 1.2}}, "the fixed effort of 'ann' must be a probability between 0 and 1, not 1.2"),
        ({"reliability": {"ann": 0.0}}, "the fixed reliability of 'ann' must be between 0.000001 and 1,000,000"),
        ({"reliability": {"ann": 1e17}}, "the fixed reliability of 'ann' must be between"),
        ({"bias": {"ann": 1e30}}, "the fixed bias of 'ann' must be between -100 and 100"),
        ({"true_grade": {("p1", "S"): float("inf")}}, "the fixed true_grade of 'S of p1' must be a finite number"),
    ],
)
def test_fixed_values_that_make_no_sense(fixed: dict[str, Any], words: str) -> None:
    with pytest.raises(pg.ModelError, match=words):
        pg.Fixed(**fixed)


def test_one_prior_per_component_must_fit_the_rubric() -> None:
    book, _ = pg.simulate(students=6, weeks=1, components=3, seed=0)
    with pytest.raises(pg.ModelError, match="mu_s has 2 values but the rubric has 3 components"):
        pg.fit(book, pg.Model(priors=pg.Priors.paper(mu_s=(3.0, 4.0))), draws=10)


def test_a_priors_file_names_itself_in_errors(tmp_path: Path) -> None:
    file = tmp_path / "priors.toml"
    file.write_text("sigma_s = -1\n")
    with pytest.raises(pg.InputError, match=r"priors\.toml: sigma_s must be positive, not -1; correct the priors file"):
        pg.Priors.read(file)
    with pytest.raises(pg.InputError, match="cannot be read"):
        pg.Priors.read(tmp_path / "absent.toml")
