"""What every posterior promises, whatever the model: tables, draws, files, going on, and stopping."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.inference.sampling.chains import VARIABLES
from peerage.model import Model
from support.classes.tiny import MODELS, PRIORS, model_id, tiny_class

CELLS = [
    (f"s{index}", name) for index in range(6) for name in ("Structure", "Code") if index < 4 or name == "Structure"
]
"""The tiny class's submissions and components, without the component that the second assignment lacks."""

ALL = [replace(model, priors=PRIORS) for model in MODELS]
every_model = pytest.mark.parametrize("model", ALL, ids=model_id)


def fitted(model: Model, draws: int = 30, seed: int = 5, workers: int | None = None) -> pg.Posterior:
    return pg.fit(tiny_class(1), model, chains=2, draws=draws, burn_in=20, seed=seed, workers=workers)


@pytest.fixture(scope="module", params=ALL, ids=model_id)
def posterior(request: pytest.FixtureRequest) -> pg.Posterior:
    return fitted(request.param)


def ids(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(table["submission"], table["component"], strict=True))


def assert_same_draws(first: pg.Posterior, second: pg.Posterior) -> None:
    for name in VARIABLES:
        np.testing.assert_array_equal(first.samples.draws[name], second.samples.draws[name])


# Tables


def test_submissions_have_the_promised_columns_and_ids(posterior: pg.Posterior) -> None:
    table = posterior.submissions()
    wanted = "submission component most_likely expected sd lower upper confidence peer_mean n_grades staff_mean"
    assert list(table.columns) == wanted.split()
    assert ids(table) == CELLS
    assert list(table.index) == list(range(len(CELLS)))


def test_level_masses_are_probabilities_of_the_rubrics_grades(posterior: pg.Posterior) -> None:
    table = posterior.level_mass()
    assert list(table.columns) == ["submission", "component", "grade", "probability"]
    assert (table["probability"] >= 0).all()
    groups = table.groupby(["submission", "component"], sort=False)
    assert list(groups.groups) == CELLS
    for (_, name), (_, group) in zip(CELLS, groups, strict=True):
        assert list(group["grade"]) == list(posterior.book.rubric[name].grades)
        assert group["probability"].sum() == pytest.approx(1.0, abs=1e-6)


def test_submissions_summarise_the_level_masses(posterior: pg.Posterior) -> None:
    table, masses = posterior.submissions(), posterior.level_mass()
    for row, (_, group) in zip(
        table.to_dict("records"), masses.groupby(["submission", "component"], sort=False), strict=True
    ):
        grades, mass = group["grade"].to_numpy(), group["probability"].to_numpy()
        assert row["confidence"] == mass.max() == mass[grades == row["most_likely"]][0]
        assert row["expected"] == pytest.approx(mass @ grades)
        assert row["sd"] == pytest.approx(np.sqrt(mass @ (grades - mass @ grades) ** 2), abs=1e-6)
        assert grades[0] <= row["lower"] < row["upper"] <= grades[-1]


def test_intervals_are_quantiles_of_the_latent_grade_cut_at_the_rubrics_ends(posterior: pg.Posterior) -> None:
    """Draws are known to a cell of 0.05 on the model's scale: at most 5 % of them lie a cell below the lower end and at
    least 5 % not a cell above it; likewise for the upper end."""
    book = posterior.book
    draws = posterior.draws["true_grade"].reshape(-1, book.n_submissions, len(book.rubric))
    for row in posterior.submissions().to_dict("records"):
        component = book.rubric[row["component"]]
        lowest, highest = component.grades[0], component.grades[-1]
        values = draws[:, book.submissions.index(row["submission"]), book.rubric.names.index(component.name)]
        values, cell = np.clip(values, lowest, highest), 0.0501 * (highest - lowest) / 5
        for share, end in ((0.05, row["lower"]), (0.95, row["upper"])):
            assert np.mean(values < end - cell) <= share <= np.mean(values <= end + cell)


def test_peer_mean_is_of_students_and_n_grades_of_everyone(posterior: pg.Posterior) -> None:
    long = posterior.book.table()
    keys = ["submission", "component"]
    students = long[long["role"] == "student"].groupby(keys)["grade"].mean()
    everyone = long.groupby(keys)["grade"].size()
    table = posterior.submissions().set_index(keys)
    for key in CELLS:
        assert table.loc[key, "peer_mean"] == pytest.approx(students.get(key, np.nan), nan_ok=True)
        assert table.loc[key, "n_grades"] == everyone.get(key, 0)


def test_graders_have_the_promised_columns_and_ids(posterior: pg.Posterior) -> None:
    table, book = posterior.graders(), posterior.book
    quantities = ("reliability", "bias", "effort", "dependability", "slope")
    spread = [f"{name}{suffix}" for name in quantities for suffix in ("", "_lower", "_upper")]
    assert list(table.columns) == ["grader", "role", "n_graded", *spread, "precision"]
    assert list(table["grader"]) == list(book.graders)
    assert list(table["role"]) == ["student"] * 5 + ["ta", "instructor"]
    assert list(table["n_graded"]) == [int(np.sum(book.review_grader == index)) for index in range(book.n_graders)]
    for name in quantities:
        assert (table[f"{name}_lower"] <= table[f"{name}_upper"]).all()


def test_graders_summarise_the_draws(posterior: pg.Posterior) -> None:
    table, draws = posterior.graders(), posterior.draws
    drawn = {name: draws[name].reshape(-1, 7) for name in ("reliability", "bias", "effort")}
    drawn["dependability"] = posterior.dependability.reshape(-1, 7)
    for name, values in drawn.items():
        np.testing.assert_allclose(table[name], values.mean(axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(table[f"{name}_lower"], np.quantile(values, 0.05, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(table[f"{name}_upper"], np.quantile(values, 0.95, axis=0), rtol=1e-4, atol=1e-6)


def test_switched_off_features_are_constant(posterior: pg.Posterior) -> None:
    table, model = posterior.graders(), posterior.model
    assert (table["bias"] == 0).all() == (not model.bias)
    assert (table["effort"] == 1).all() == (not model.effort)
    reviews = posterior.reviews()
    staff = np.isin(reviews["grader"], ["ta", "teacher"])
    assert (reviews["effort_probability"] == 1)[staff | (not model.effort)].all()
    assert reviews["effort_probability"].between(0, 1 + 1e-9).all()
    assert (reviews["influence"] >= 0).all()


def test_totals_add_up_the_worth_of_grades(posterior: pg.Posterior) -> None:
    submissions, totals = posterior.submissions(), posterior.totals()
    sums = submissions.groupby("submission")[["most_likely", "expected"]].sum()
    assert list(totals["submission"]) == list(posterior.book.submissions)
    np.testing.assert_allclose(totals["most_likely"], sums["most_likely"])
    np.testing.assert_allclose(totals["expected"], sums["expected"])
    assert (totals["lower"] <= totals["upper"]).all()


def test_diagnostics_have_a_row_for_each_variable_that_is_inferred(posterior: pg.Posterior) -> None:
    table, model = posterior.diagnostics(), posterior.model
    inferred = ["true_grade", "reliability"] + ["bias"] * model.bias + ["effort"] * model.effort
    assert list(table["variable"]) == inferred
    places = {*posterior.book.graders, *(f"{submission} in {component}" for submission, component in CELLS)}
    assert set(table["worst"]) <= places
    assert (table["r_hat_median"] <= table["r_hat"]).all()
    assert (table["ess_bulk"] <= table["ess_bulk_median"]).all()
    assert (table["ess_tail"] <= table["ess_tail_median"]).all()


# Draws


def test_draws_have_the_promised_shapes(posterior: pg.Posterior) -> None:
    draws = posterior.draws
    assert list(draws) == ["true_grade", "reliability", "bias", "effort"]
    assert draws["true_grade"].shape == (2, 30, 6, 2)
    absent = np.isnan(draws["true_grade"])
    assert absent[:, :, 4:, 1].all()
    assert np.count_nonzero(absent) == absent[:, :, 4:, 1].size
    for name in ("reliability", "bias", "effort"):
        assert draws[name].shape == (2, 30, 7)
        assert np.isfinite(draws[name]).all()
    with pytest.raises(KeyError, match="'grade' is not drawn"):
        draws["grade"]


@pytest.mark.slow
@every_model
def test_expected_grades_agree_with_rounded_draws(model: Model) -> None:
    """Level masses are averages of conditional probabilities; draws must agree with them, in the rubric's units. A
    t-test on 40 batches for each of the ten cells, false-alarm rate 1e-3 for all cells and models together."""
    posterior, batches = fitted(model, draws=1000), 40
    expected = posterior.submissions().set_index(["submission", "component"])["expected"]
    limit = stats.t.isf(0.5e-3 / (len(CELLS) * len(ALL)), batches - 1)
    for submission, name in CELLS:
        component = posterior.book.rubric[name]
        place = posterior.book.submissions.index(submission), posterior.book.rubric.names.index(name)
        rounded = component.values[component.level_of(posterior.draws["true_grade"][:, :, *place])]
        means = rounded.reshape(batches, -1).mean(axis=1)
        error = means.std(ddof=1) / np.sqrt(batches)
        assert abs(means.mean() - expected[submission, name]) < limit * error


# Seeds, workers, files, going on


@every_model
def test_going_on_equals_one_longer_run(model: Model) -> None:
    longer, continued = fitted(model, draws=60), fitted(model, draws=30).extend(30)
    assert_same_draws(longer, continued)
    np.testing.assert_allclose(longer.samples.level_mass, continued.samples.level_mass, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(longer.samples.effortful, continued.samples.effortful, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(longer.samples.influence, continued.samples.influence, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(longer.samples.effortful_count, continued.samples.effortful_count)


@pytest.mark.parametrize("model", [Model(priors="paper"), Model(censoring=False, priors="paper")], ids=model_id)
def test_draws_depend_on_the_seed_and_not_on_the_workers(model: Model) -> None:
    one, two, other = fitted(model, workers=1), fitted(model, workers=2), fitted(model, seed=6)
    assert_same_draws(one, two)
    assert not np.array_equal(one.samples.draws["true_grade"], other.samples.draws["true_grade"])
    assert not np.array_equal(one.samples.draws["true_grade"][0], one.samples.draws["true_grade"][1])


def test_a_seed_that_was_drawn_is_recorded_and_repeats_the_fit() -> None:
    book = tiny_class(1)
    first = pg.fit(book, chains=1, draws=10, burn_in=0)
    assert_same_draws(first, pg.fit(book, chains=1, draws=10, burn_in=0, seed=first.seed))


def test_a_posterior_survives_its_file(posterior: pg.Posterior, tmp_path: Path) -> None:
    path = tmp_path / "posterior.npz"
    posterior.save(path)
    loaded = pg.load(path)
    assert (loaded.seed, loaded.burn_in, loaded.model) == (posterior.seed, posterior.burn_in, posterior.model)
    assert loaded.book.authors == posterior.book.authors
    for table in ("submissions", "graders", "level_mass", "reviews", "totals"):
        pd.testing.assert_frame_equal(getattr(loaded, table)(), getattr(posterior, table)())
    pd.testing.assert_frame_equal(loaded.check().table, posterior.check().table)
    assert_same_draws(loaded.extend(5), posterior.extend(5))


def numpy_file(array: NDArray[np.int64]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


FOREIGN = {"empty": b"", "cut": b"PK\x03\x04 cut short", "text": b"nothing of ours", "array": numpy_file(np.arange(3))}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_files_that_are_not_posteriors_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "posterior.npz"
    path.write_bytes(content)
    with pytest.raises(pg.ResultsError, match="this is not a posterior that peerage saved"):
        pg.load(path)
    with pytest.raises(pg.ResultsError, match="cannot be read"):
        pg.load(tmp_path / "absent.npz")


# Prediction


def bins(posterior: pg.Posterior, index: int) -> NDArray[np.float64]:
    return np.concatenate([[-np.inf], posterior.book.rubric.components[index].cuts, [np.inf]])


def low_effort(posterior: pg.Posterior, index: int) -> NDArray[np.float64]:
    """The probability of each grade of a component when no effort is made."""
    priors, edges = posterior.model.hyperparameters, bins(posterior, index)
    centre = priors.for_components(2)[0][index]
    normal = np.diff(ndtr((edges - centre) * np.sqrt(priors.tau_l)))
    return np.asarray((1 - priors.epsilon) * normal + priors.epsilon * np.diff(np.clip(edges, 0, 5)) / 5)


def test_log_likelihood_is_that_of_the_reported_bins(posterior: pg.Posterior) -> None:
    book, draws = posterior.book, posterior.draws
    effort, bias, reliability = (
        draws[name].astype(float)[:, :, book.review_grader] for name in ("effort", "bias", "reliability")
    )
    careful, careless = effort.copy(), 1 - effort
    for index, component in enumerate(book.rubric.components):
        graded = book.levels[:, index] >= 0
        level, edges = book.levels[graded, index], bins(posterior, index)
        true_grade = component.to_model(draws["true_grade"][:, :, book.review_submission[graded], index])
        centre, root = true_grade + bias[:, :, graded], np.sqrt(reliability[:, :, graded])
        careful[:, :, graded] *= ndtr((edges[level + 1] - centre) * root) - ndtr((edges[level] - centre) * root)
        careless[:, :, graded] *= low_effort(posterior, index)[level]
    direct, likelihood = np.log(careful + careless), posterior.log_likelihood()
    assert likelihood.shape == (2, 30, book.n_reviews)
    likely = direct > -20  # beyond, the difference of two probabilities near 1 has no digits left
    assert likely.mean() > 0.9
    np.testing.assert_allclose(likelihood[likely], direct[likely], rtol=1e-3, atol=1e-3)


def test_prediction_agrees_with_reports_drawn_by_hand(posterior: pg.Posterior) -> None:
    """A chi-square test of 60 × 200 reports of each component; false-alarm rate 1e-4 for all models together."""
    predicted = posterior.predict("d", "s3")
    assert list(predicted.columns) == ["component", "grade", "probability"]
    rng, book = np.random.default_rng(3), posterior.book
    grader, submission, shape = book.graders.index("d"), book.submissions.index("s3"), (200, 2, 30)
    reliability, bias, effort = (posterior.draws[name][:, :, grader] for name in ("reliability", "bias", "effort"))
    priors = posterior.model.hyperparameters
    for index, component in enumerate(book.rubric.components):
        mine = predicted[predicted["component"] == component.name]
        assert list(mine["grade"]) == list(component.grades)
        assert mine["probability"].sum() == pytest.approx(1.0)
        centre = component.to_model(posterior.draws["true_grade"][:, :, submission, index]) + bias
        careful = rng.normal(centre, reliability**-0.5, shape)
        near = rng.normal(priors.for_components(2)[0][index], priors.tau_l**-0.5, shape)
        careless = np.where(rng.random(shape) < priors.epsilon, rng.uniform(0, 5, shape), near)
        reports = np.where(rng.random(shape) < effort, careful, careless)
        counts = np.bincount(np.searchsorted(component.cuts, reports.ravel(), side="right"), minlength=len(mine))
        result = stats.chisquare(counts, mine["probability"] * counts.sum() / mine["probability"].sum())
        assert result.pvalue > 1e-4 / (2 * len(ALL))


def test_prediction_covers_graders_who_did_not_grade_the_submission_and_its_own_components_only() -> None:
    posterior = fitted(Model(priors="paper"))
    assert set(posterior.predict("teacher", "s5")["component"]) == {"Structure"}
    for grader, submission, words in (("nobody", "s1", "grader 'nobody'"), ("a", "s9", "submission 's9'")):
        with pytest.raises(pg.InputError, match=f"there is no {words} in this class"):
            posterior.predict(grader, submission)


# Other forms


def test_arviz_gets_names_and_the_log_likelihood() -> None:
    pytest.importorskip("arviz_base", reason="the arviz extra is not installed")
    posterior = fitted(Model(priors="paper"))
    tree = posterior.to_arviz()
    book, group = posterior.book, tree["posterior"]
    assert group["true_grade"].dims == ("chain", "draw", "submission", "component")
    assert group["reliability"].dims == ("chain", "draw", "grader")
    assert list(group["submission"].values) == list(book.submissions)
    assert list(group["component"].values) == list(book.rubric.names)
    assert list(group["grader"].values) == list(book.graders)
    one = group["bias"].sel(grader="c").values
    np.testing.assert_array_equal(one, posterior.draws["bias"][:, :, 2])
    likelihood = tree["log_likelihood"]["review"]
    assert likelihood.shape == (2, 30, book.n_reviews)
    assert likelihood["review_id"].values[0] == "b on s0"


def test_a_posterior_shows_itself_without_letting_ids_through() -> None:
    book = replace(tiny_class(1), submissions=("<script>", "s1", "s2", "s3", "s4", "s5"))
    posterior = pg.fit(book, chains=2, draws=30, seed=0)
    html = posterior._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert repr(posterior).startswith("Posterior(bias + effort + censoring; 2 chains of 30 draws; Gradebook(")
