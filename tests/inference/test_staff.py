"""Staff define the scale, their grades are the check of the estimates, and fits whose chains disagree are not used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.gradebook.book import STUDENT, TA
from peerage.inference import chain_agreement, fitting
from peerage.inference.chain_agreement import is_hopeless, next_simpler
from peerage.inference.numerics.hyperparameters import coordinates
from peerage.inference.staff_in_words import staff_sentences
from peerage.model import Model
from peerage.rubric import Component, Rubric

FAST: dict[str, Any] = {"chains": 2, "draws": 150, "burn_in": 100, "seed": 1}
RUBRIC = Rubric((Component("Essay", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)), Component("Code", (0.0, 0.5, 1.0, 1.5, 2.0))))


def severe_class(tas: int = 2, seed: int = 0, severity: float = 1.0) -> tuple[pg.Gradebook, np.ndarray]:
    """30 submissions by peers who give less than they are worth, and by TAs who do not; and the true grades."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3.8, 0.7, (30, 2))
    pairs = [(u, (u + step) % 30) for u in range(30) for step in (1, 2, 3)]
    pairs += [(u, 30 + ta) for ta in range(tas) for u in range(10 * ta, 10 * ta + 10)]
    submission, grader = np.array(pairs).T
    bias = np.append(rng.normal(-severity, 0.3, 30), np.zeros(tas))
    noise = np.append(np.full(30, 0.7), np.full(tas, 0.4))
    reports = truth[submission] + bias[grader][:, None] + noise[grader][:, None] * rng.standard_normal((len(pairs), 2))
    levels = [np.searchsorted(part.cuts, reports[:, c], side="right") for c, part in enumerate(RUBRIC.components)]
    book = pg.Gradebook(
        rubric=RUBRIC,
        submissions=tuple(f"u{index}" for index in range(30)),
        graders=tuple(f"v{index}" for index in range(30 + tas)),
        roles=np.array([STUDENT] * 30 + [TA] * tas, np.int8),
        authors=((),) * 30,
        assignments=("",) * 30,
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=np.stack(levels, axis=1).astype(np.int16),
    )
    return book, truth


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(severe_class()[0], **FAST)


def level_error(posterior: pg.Posterior, truth: np.ndarray) -> float:
    """How far expected grades lie above the true ones in the mean, on the scale of 0 to 5."""
    expected = posterior.submissions()["expected"].to_numpy().reshape(truth.shape)
    scaled = [part.to_model(expected[:, c]) for c, part in enumerate(posterior.book.rubric.components)]
    return float((np.stack(scaled, axis=1) - np.clip(truth, 0, 5)).mean())


# Whose scale it is


def test_two_tas_on_a_third_of_the_work_fix_the_level(posterior: pg.Posterior) -> None:
    """Peers are severe by 1. Two TAs of a spread of 0.2 and the noise of 40 reports tell the level to 0.2 (sd)."""
    assert abs(level_error(posterior, severe_class()[1])) < 0.6
    alike = pg.fit(severe_class()[0], Model(ta_spread="students"), **FAST)
    assert level_error(alike, severe_class()[1]) < -0.6, "without staff who define it, the level is the peers'"


def test_staff_are_not_said_to_be_generous(posterior: pg.Posterior) -> None:
    graders = posterior.graders().set_index("role")["bias"]
    assert graders["ta"].abs().max() < 0.5
    assert graders["student"].mean() < -0.4


def test_what_staff_think_of_the_peers_is_said(posterior: pg.Posterior) -> None:
    first, second = staff_sentences(posterior)
    assert first.startswith("Students give ")
    assert " of 5 less than staff (90% interval -" in first
    assert second.startswith("On 20 submissions that staff graded, the estimates from peers alone are off by ")


def test_tas_drawn_like_students_have_no_say_of_their_own() -> None:
    found = pg.fit(severe_class()[0], Model(ta_spread="students"), chains=1, draws=5, seed=1).priors()["parameter"]
    assert not {"mean_bias", "sigma_ta"} & set(found)
    fixed = pg.fit(severe_class()[0], Model(ta_spread=0.3), chains=1, draws=5, seed=1).priors()["parameter"]
    assert "mean_bias" in set(fixed)
    assert "sigma_ta" not in set(fixed)


def test_without_staff_it_is_said_what_they_would_tell() -> None:
    (sentence,) = staff_sentences(pg.fit(severe_class(tas=0)[0], chains=1, draws=20, seed=1))
    assert sentence.startswith(
        "No staff graded, so the general level of the grades is that of the peers. If a TA graded 10 "
    )


def test_the_staffs_own_mean_stands_beside_the_estimate(posterior: pg.Posterior) -> None:
    table, book = posterior.submissions(), posterior.book
    review = int(np.flatnonzero(book.review_grader == 30)[0])
    submission = book.submissions[book.review_submission[review]]
    mine = table[(table["submission"] == submission) & (table["component"] == "Code")]
    assert mine["staff_mean"].item() == book.values[review, 1]
    assert table["staff_mean"].notna().sum() == 2 * 20


# The check that counts


def test_the_check_compares_with_the_staffs_mean(posterior: pg.Posterior) -> None:
    check = posterior.staff_check()
    assert check is not None
    assert check.n_submissions == 20
    assert list(check.table.columns) == ["submission", "component", "staff_mean", "model", "mean", "median"]
    totals = check.table.groupby("submission")[["staff_mean", "mean"]].sum()
    error = float(np.sqrt(((totals["staff_mean"] - totals["mean"]) ** 2).mean()))
    assert check.errors["mean"].value == pytest.approx(error)
    assert check.errors["mean"].lower < error < check.errors["mean"].upper
    assert check.verdict == "better", "peers are severe by 1, and staff elsewhere tell that"


def test_what_may_be_due_to_chance_is_named(posterior: pg.Posterior) -> None:
    """Beside it stands how much more or less students give than staff, and that grades are moved by that."""
    check = posterior.staff_check()
    assert check is not None
    for value, how in ((0.1, "the estimates are nearer than both"), (-0.1, "one of these is nearer")):
        alike = replace(check, gain=check.gain._replace(value=value, lower=-0.3, upper=0.3))
        assert alike.sentence.endswith(f". That {how} may be due to chance.")
    assert "chance" not in check.sentence


def test_with_few_grades_by_staff_there_is_no_check() -> None:
    book = severe_class(tas=1)[0]
    few = book.select(np.arange(book.n_reviews) < 90 + 4)
    assert pg.fit(few, chains=1, draws=5, seed=1).staff_check() is None


# Chains that do not agree


def disagreeing(posterior: pg.Posterior, name: str, efforts: tuple[float, float] = (0.9, 0.9)) -> pg.Posterior:
    """The same, with one chain that learned something else of a parameter, and with certain efforts in each chain."""
    place = next(index for index, (entry, _) in enumerate(coordinates(2)) if entry.name == name)
    hyper = posterior.samples.hyper.copy()
    hyper[0, :, place] += 50 * hyper[:, :, place].std() + 1
    effort = np.empty_like(posterior.samples.draws["effort"])
    effort[0], effort[1] = efforts
    draws = {**posterior.samples.draws, "effort": effort}
    return replace(posterior, samples=replace(posterior.samples, hyper=hyper, draws=draws))


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("tau_l", "bias + censoring"),
        ("mu_l", "bias + censoring"),
        ("scale", "bias + effort + censoring, without scale"),
        ("halo", "bias + effort + censoring, without merit and halo"),
    ],
)
def test_the_part_on_which_chains_agree_least_is_left_out(posterior: pg.Posterior, parameter: str, name: str) -> None:
    simpler = next_simpler(disagreeing(posterior, parameter))
    assert simpler is not None
    assert simpler.name == name


@pytest.mark.parametrize(("highest", "stays"), [(0.65, True), (0.9, False)])
def test_effort_stays_if_all_chains_find_much_without_it(posterior: pg.Posterior, highest: float, stays: bool) -> None:
    simpler = next_simpler(disagreeing(posterior, "tau_l", (highest, 0.6)))
    assert simpler is not None
    assert simpler.effort == stays


def test_habits_that_were_asked_for_go_with_effort(posterior: pg.Posterior) -> None:
    asked = replace(disagreeing(posterior, "tau_l"), model=Model(habits=True))
    simpler = next_simpler(asked)
    assert simpler is not None
    assert simpler.name == "bias + censoring"
    assert not simpler.has_habits


def test_correlation_goes_first() -> None:
    book = replace(severe_class()[0], authors=tuple((f"v{index}",) for index in range(30)))
    posterior = pg.fit(book, Model(correlation=True), chains=2, draws=10, burn_in=5, seed=1)
    assert next_simpler(posterior) == Model()


def test_what_is_fixed_by_hand_stays() -> None:
    model: Model | None = Model(fixed=pg.Fixed(effort={"v1": 0.5}, bias={"v2": 0.1}))
    seen = []
    while model is not None:
        seen.append(model)
        model = next_simpler(pg.fit(severe_class()[0], model, chains=2, draws=10, burn_in=5, seed=1))
    assert len(seen) == 4
    assert all(model.effort and model.bias for model in seen)
    assert not any((seen[-1].has_scale, seen[-1].has_merit, seen[-1].reliability))


def test_chains_stop_that_more_draws_would_not_bring_together(
    posterior: pg.Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = disagreeing(posterior, "tau_l")
    assert not is_hopeless(apart), "of 8,000 draws, 150 say little"
    monkeypatch.setattr(chain_agreement, "MOST_DRAWS_TO_AGREE", 5 * posterior.samples.n_draws)
    assert is_hopeless(apart)
    assert not is_hopeless(posterior)


def test_students_of_one_reliability_have_nearly_the_same() -> None:
    model = Model(bias=False, effort=False, reliability=False)
    posterior = pg.fit(severe_class()[0], model, **FAST)
    students = posterior.graders().set_index("role")["reliability"]["student"]
    assert students.std() < 0.1 * students.mean()
    assert "reliability_shape" not in set(posterior.priors()["parameter"])


def test_chains_that_never_agree_give_the_simplest_model_and_the_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "FIRST_DRAWS", 20)
    monkeypatch.setattr(chain_agreement, "MOST_DRAWS_TO_AGREE", 80)
    monkeypatch.setattr(fitting, "AGREED", 0.0)
    monkeypatch.setattr(fitting, "DISAGREED", 0.0)
    monkeypatch.setattr(fitting, "is_hopeless", lambda _: False)
    posterior = pg.fit(severe_class()[0], chains=2, burn_in=10, seed=1)
    assert posterior.model.name == "censoring + one reliability, without merit and halo"
    assert posterior.asked == Model()
    assert (posterior.samples.n_draws, posterior.burn_in) == (20 + 30 + 45, 10 + 20 + 20)
    assert posterior.warnings[0].message == (
        "the chains of the model 'bias + effort + censoring' did not agree on this class, so its grades are those of a "
        "simpler one, 'censoring + one reliability, without merit and halo'"
    )
    posterior.save(tmp_path / "posterior.npz")
    assert pg.load(tmp_path / "posterior.npz").asked == Model()


def test_chains_that_agree_stop_and_a_number_of_draws_is_kept_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "FIRST_DRAWS", 20)
    monkeypatch.setattr(chain_agreement, "MOST_DRAWS_TO_AGREE", 80)
    monkeypatch.setattr(fitting, "AGREED", 100.0)
    monkeypatch.setattr(fitting, "is_hopeless", lambda _: False)
    monkeypatch.setattr(chain_agreement, "WANTED_ESS", 0)
    monkeypatch.setattr(chain_agreement, "WANTED_OF_PRIORS", 0)
    assert pg.fit(severe_class()[0], chains=2, burn_in=10, seed=1).samples.n_draws == 20
    monkeypatch.setattr(chain_agreement, "WANTED_ESS", 1000)
    assert pg.fit(severe_class()[0], chains=2, burn_in=10, seed=1).samples.n_draws == 90, "imprecise chains go on"
    monkeypatch.setattr(fitting, "AGREED", 0.0)
    assert pg.fit(severe_class()[0], chains=2, draws=30, burn_in=10, seed=1).samples.n_draws == 30
    assert chain_agreement.AGREED < chain_agreement.DISAGREED


def test_the_same_seed_goes_on_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "FIRST_DRAWS", 15)
    monkeypatch.setattr(chain_agreement, "MOST_DRAWS_TO_AGREE", 60)
    monkeypatch.setattr(fitting, "AGREED", 0.0)
    monkeypatch.setattr(fitting, "DISAGREED", 100.0)
    first, second = (pg.fit(severe_class()[0], chains=2, burn_in=10, seed=3, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(first.samples.hyper, second.samples.hyper)
    assert first.asked is None


# Results of an earlier version


def test_a_posterior_of_an_earlier_version_is_refused_with_the_way_out(posterior: pg.Posterior, tmp_path: Path) -> None:
    path = tmp_path / "posterior.npz"
    posterior.save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    meta = json.loads(arrays["meta"].tobytes()) | {"format": 3}
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(pg.ResultsError, match="saved by another version of peerage; fit the class again"):
        pg.load(path)


# What must always hold


def same_grades(first: pg.Posterior, second: pg.Posterior) -> None:
    columns = ["most_likely", "expected", "sd"]
    pd.testing.assert_frame_equal(first.submissions()[columns], second.submissions()[columns])


def test_names_do_not_count(posterior: pg.Posterior) -> None:
    book = posterior.book
    renamed = replace(
        book,
        rubric=Rubric(tuple(Component(part.name[::-1], part.grades) for part in book.rubric.components)),
        submissions=tuple(f"other {name}" for name in book.submissions),
        graders=tuple(f"z{name}" for name in book.graders),
    )
    same_grades(pg.fit(renamed, **FAST), posterior)


def test_what_a_component_is_worth_does_not_count(posterior: pg.Posterior) -> None:
    parts = posterior.book.rubric.components
    worth = tuple(Component(part.name, part.grades, tuple(grade**2 for grade in part.grades)) for part in parts)
    same_grades(pg.fit(replace(posterior.book, rubric=Rubric(worth)), **FAST), posterior)
