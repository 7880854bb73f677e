"""Biases that drift: what a fit finds of them, and that everything downstream knows them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import peerage as pg
from peerage.cli.setting_flags import as_line
from peerage.inference.checking.leave_one_out import predict_unseen
from peerage.inference.layout import lay_out
from peerage.model import Fixed
from peerage.results.provenance import found_by_checks, judged
from peerage.simulation.truth import Truth

STUDENTS, WEEKS = 20, 4


@cache
def drifting_class() -> tuple[pg.Gradebook, Truth]:
    """Twenty students whose biases move by 0.6 a week, and their four reviews of four components in each of four."""
    model = pg.Model(priors="paper").with_priors(mu_s=3.0, sigma_b=0.5, alpha_tau=6.0, beta_tau=3.0)
    return pg.simulate(students=STUDENTS, weeks=WEEKS, tas=0, seed=4, drift=0.6, model=model)


@cache
def fitted() -> pg.Posterior:
    return pg.fit(drifting_class()[0], pg.Model(drift=True), chains=2, draws=300, burn_in=200, seed=0)


@cache
def steady() -> pg.Posterior:
    return pg.fit(drifting_class()[0], pg.Model(), chains=2, draws=300, burn_in=200, seed=0)


def covered(posterior: pg.Posterior) -> float:
    """The share of true biases in an assignment that lie in their intervals."""
    found = posterior.biases().merge(drifting_class()[1].biases(), on=["grader", "assignment"], suffixes=("", "_true"))
    assert len(found) == STUDENTS * WEEKS
    return float(found["bias_true"].between(found["bias_lower"], found["bias_upper"]).mean())


def test_biases_by_assignment_are_recovered() -> None:
    """Of 80 biases 90 % are to be covered; fewer than 64 or all of them are, if independent, once in 200 fits."""
    assert 0.8 <= covered(fitted()) < 1.0
    assert covered(steady()) < 0.65, "a bias that stays cannot be right in all assignments"
    step = fitted().priors().query("parameter == 'drift'")
    assert step["lower"].between(0.3, 0.6).all()
    assert (step["upper"] > 0.6).all()


def test_a_bias_is_the_mean_over_assignments() -> None:
    found = fitted().biases()
    assert list(found.columns) == ["grader", "assignment", "n_graded", "bias", "bias_lower", "bias_upper"]
    assert (found["n_graded"] == 4).all()
    assert list(found["assignment"].unique()) == ["week1", "week2", "week3", "week4"]
    means = found.groupby("grader", sort=False)["bias"].mean()
    np.testing.assert_allclose(means, fitted().graders()["bias"], atol=1e-5)
    assert found["bias"].to_numpy() != pytest.approx(np.repeat(means, WEEKS), abs=0.1)


def test_the_likelihood_of_a_review_has_the_bias_of_its_assignment() -> None:
    book = drifting_class()[0]
    plain = pg.Model(drift=True, effort=False, merit=False, halo=False, scale=False)
    posterior = pg.fit(book, plain, chains=1, draws=5, seed=0)
    logs, draws, walks = posterior.log_likelihood()[0], posterior.draws, posterior.layout.walks
    true_grade = draws["true_grade"][0].astype(float)
    for review in (0, 100, 250):
        grader, submission = book.review_grader[review], book.review_submission[review]
        week = int(book.assignments[submission].removeprefix("week")) - 1
        drift = draws.drifts()[0, :, walks.start[grader] + week].astype(float)
        centre = true_grade[:, submission] + (draws["bias"][0, :, grader] + drift)[:, None]
        root = np.sqrt(draws["reliability"][0, :, grader].astype(float))[:, None]
        grade = book.levels[review]
        low, high = np.where(grade == 0, -np.inf, grade - 0.5), np.where(grade == 5, np.inf, grade + 0.5)
        masses = ndtr((high - centre) * root) - ndtr((low - centre) * root)
        np.testing.assert_allclose(logs[:, review], np.log(masses).sum(axis=1), rtol=1e-4)


def test_predictions_differ_by_assignment() -> None:
    """What a grader would give, who was more generous in one assignment than in another."""
    posterior = fitted()
    found = posterior.biases().pivot_table(index="grader", columns="assignment", values="bias")
    gap = found.max(axis=1) - found.min(axis=1)
    grader, book = str(gap.idxmax()), posterior.book
    low, high = (str(found.loc[grader].agg(way)) for way in ("idxmin", "idxmax"))

    def beyond(week: str) -> float:
        """How much more than the expected grade is predicted, over all work of an assignment."""
        works = [name for name, where in zip(book.submissions, book.assignments, strict=True) if where == week]
        tables, means = [posterior.predict(grader, name) for name in works], posterior.submissions()
        given = sum(float((table["grade"] * table["probability"]).sum()) for table in tables)
        return float(given - means[means["submission"].isin(works)]["expected"].sum()) / (4 * len(works))

    assert beyond(high) - beyond(low) > gap[grader] / 3


def test_a_single_assignment_leaves_drift_out() -> None:
    book = pg.simulate(students=8, weeks=1, tas=1, components=2, seed=0)[0]
    models = (pg.Model(drift=drift) for drift in (True, False))
    asked, plain = (pg.fit(book, model, chains=2, draws=30, burn_in=20, seed=0) for model in models)
    for name in ("true_grade", "bias", "reliability"):
        np.testing.assert_array_equal(asked.draws[name], plain.draws[name])
    assert "drift" not in set(asked.priors()["parameter"])
    assert any("all work belongs to one assignment" in str(problem) for problem in asked.warnings)


def test_staff_and_fixed_biases_do_not_drift() -> None:
    book = pg.simulate(students=6, weeks=2, tas=1, calibrations=1, components=1, seed=0)[0]
    layout = lay_out(book, pg.Model(drift=True, fixed=Fixed(bias={book.graders[0]: 0.5})))
    drifts = dict(zip(book.graders, layout.walks.start > 0, strict=True))
    students = [name for name in book.graders if name.startswith("student")]
    assert [name for name, walks in drifts.items() if walks] == students[1:]


def test_a_saved_fit_goes_on(tmp_path: Path) -> None:
    fitted().save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    pd.testing.assert_frame_equal(loaded.biases(), fitted().biases())
    np.testing.assert_array_equal(loaded.extend(5).draws.drifts(), fitted().extend(5).draws.drifts())


def without_last_week() -> tuple[pg.Gradebook, pg.Gradebook]:
    """The gradebook of all weeks but the last, and that of the last."""
    frame = drifting_class()[0].table()
    rubric, last = drifting_class()[0].rubric, frame["assignment"] == "week4"
    return pg.read_grades(frame[~last], rubric=rubric), pg.read_grades(frame[last], rubric=rubric)


def test_a_new_assignment_joins_by_preview_and_by_update() -> None:
    """A preview goes on from the last drift that is known; an update learns the new one."""
    before, new = without_last_week()
    posterior = pg.fit(before, pg.Model(drift=True), chains=2, draws=150, burn_in=200, seed=0)
    updated = posterior.update(new)
    assert updated.layout.walks.assignments == ("week1", "week2", "week3", "week4")
    assert covered(updated) >= 0.8
    preview = posterior.preview(new).set_index(["submission", "component"])["expected"]
    after = updated.submissions().set_index(["submission", "component"])["expected"].loc[preview.index]
    assert np.abs(preview - after).mean() < 0.2


def test_reviews_that_were_held_out_are_predicted() -> None:
    """Better with drift than without: the class drifts far."""
    book = drifting_class()[0]
    seen, found = np.random.default_rng(0).random(book.n_reviews) < 0.8, {}
    for drift in (True, False):
        model = pg.Model(drift=drift)
        posterior = pg.fit(book.select(seen), model, chains=2, draws=150, burn_in=150, seed=0)
        found[drift] = predict_unseen(lay_out(book, model), seen, posterior.samples, posterior.draws, 0).sum()
    assert found[True] > found[False] + 5


def test_checks_name_the_setting_and_are_content_with_it() -> None:
    checks = steady().check()
    [found] = [problem for problem in checks.problems if problem.message.startswith("From one assignment to another")]
    assert found.setting == "drift"
    [warning] = [one for one in found_by_checks(judged(steady())) if one.setting]
    assert as_line(warning).endswith(
        "is too narrow; with learned priors, biases can be allowed to drift from one assignment to the next (--drift)"
    )
    assert f"{found}." in checks.sentences
    assert (fitted().check().table.query("statistic == 'drift'")["tail_probability"] > 0.01).all()
