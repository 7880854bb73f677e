"""What a posterior tells of a class whose components share merit and halo, and whose graders stretch the scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import peerage as pg
from peerage.errors import ModelError
from peerage.gradebook.book import TA
from peerage.inference.layout import lay_out
from peerage.inference.numerics.hyperparameters import ERROR, of_components
from peerage.inference.report_bins import report_bins, says_or_less
from peerage.model import Model

CLASS: dict[str, Any] = {
    "students": 12,
    "weeks": 2,
    "tas": 1,
    "components": 3,
    "merit": 0.6,
    "halo": 0.6,
    "calibrations": 1,
    "scale": 0.3,
}

BOTH = Model()


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    return pg.simulate(seed=5, **CLASS)[0]


@pytest.fixture(scope="module")
def posterior(book: pg.Gradebook) -> pg.Posterior:
    return pg.fit(book, BOTH, chains=2, draws=60, burn_in=120, seed=1)


def test_each_is_on_where_it_can_be_unless_it_is_switched_off(book: pg.Gradebook) -> None:
    assert lay_out(book, Model()).has_merit
    assert lay_out(book, Model()).has_halo
    assert not lay_out(book, Model(merit=False)).has_merit
    assert not lay_out(book, Model(halo=False)).has_halo
    for other in (Model(priors="paper"), Model(correlation=True), Model(censoring=False)):
        assert not other.has_merit
        assert not other.has_halo


def test_with_one_component_both_drop_out() -> None:
    book, _ = pg.simulate(students=6, weeks=1, tas=0, components=1, seed=1)
    layout = lay_out(book, Model(merit=True, halo=True))
    assert not layout.has_merit
    assert not layout.has_halo


@pytest.mark.parametrize(
    "setting", [{"priors": "paper"}, {"correlation": True}, {"censoring": False}], ids=lambda entry: next(iter(entry))
)
def test_asking_for_them_elsewhere_is_refused(setting: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="needs learned priors and censoring"):
        Model(halo=True, **setting)  # type: ignore[arg-type]


def test_a_model_keeps_what_was_set() -> None:
    for model in (Model(), Model(merit=True), Model(halo=False), Model(habits=False), Model(scale=False)):
        assert Model.from_toml(model.to_toml()) == model


def test_everybody_but_staff_may_stretch_the_scale(book: pg.Gradebook, posterior: pg.Posterior) -> None:
    slopes = posterior.draws.slopes()
    staff = book.roles != 0
    assert (slopes[:, :, staff] == 1).all()
    assert (slopes[:, :, ~staff].std(axis=(0, 1)) > 0).all()
    learned, table = posterior.priors().set_index("parameter")["value"], posterior.graders()
    assert 0.05 < learned["scale"] < 0.8
    np.testing.assert_allclose(table["slope"], slopes.mean(axis=(0, 1)), rtol=1e-6)
    assert (table["slope_lower"] <= table["slope"]).all()
    assert (table["slope"] <= table["slope_upper"]).all()
    without = pg.fit(book, Model(scale=False), chains=1, draws=10, burn_in=5, seed=1)
    assert (without.draws.slopes() == 1).all()


def test_scale_needs_biases(book: pg.Gradebook) -> None:
    with pytest.raises(ModelError, match="scale needs learned priors, censoring and bias"):
        Model(scale=True, bias=False)
    assert not lay_out(book, Model(bias=False)).may_stretch.any()


def test_what_was_learned_is_told(posterior: pg.Posterior) -> None:
    table = posterior.priors().set_index("parameter")
    for share in ("merit", "halo"):
        row = table.loc[share]
        assert 0 < row["lower"] < row["value"] < row["upper"] < 1
    for name in ("component_halo", "component_error"):
        by_component = table[table.index == name]
        assert list(by_component["component"]) == list(posterior.book.rubric.names)
        assert by_component["value"].between(by_component["lower"], by_component["upper"]).all()
    sizes = table[table.index == "component_error"]
    assert sizes["lower"].min() < 1 < sizes["upper"].max(), "errors are as large as others' on average"


def test_a_prediction_knows_how_large_the_errors_of_each_component_are(posterior: pg.Posterior) -> None:
    """Of a TA, who has no lowest grade: from the draws and the sizes that were learned."""
    book, draws, layout = posterior.book, posterior.draws, posterior.layout
    grader, submission = int(np.flatnonzero(book.roles == TA)[0]), 1
    predicted = posterior.predict(book.graders[grader], book.submissions[submission])
    n_components = len(book.rubric)
    size = np.exp(posterior.samples.kept_hyper[..., of_components(ERROR, n_components)])
    effort = draws["effort"][:, :, grader, None].astype(float)
    careless = draws.low_effort_masses()
    for index, component in enumerate(book.rubric.components):
        usual = layout.mean_reports[index]
        grade = component.to_model(draws["true_grade"][:, :, submission, index].astype(float))
        centre = usual + draws.slopes()[:, :, grader] * (grade - usual) + draws["bias"][:, :, grader]
        root = np.sqrt(draws["reliability"][:, :, grader].astype(float)) / size[..., index]
        masses = np.diff(ndtr((component.edges - centre[..., None]) * root[..., None]), axis=-1)
        expected = (effort * masses + (1 - effort) * careless[:, :, index, : component.n_levels]).mean(axis=(0, 1))
        mine = predicted[predicted["component"] == component.name]
        np.testing.assert_allclose(mine["probability"], expected, atol=1e-3)


def test_the_likelihood_of_a_review_sums_its_halo_out(posterior: pg.Posterior) -> None:
    """Against a fine sum over the halo, for every review of a draw."""
    layout, draws, chain, draw = posterior.layout, posterior.draws, 1, 7
    low, high = report_bins(layout)
    parts = draws.error_parts()
    grade = draws.on_model_scale("true_grade")[chain, draw]
    reliability, bias, effort = (draws[name][chain, draw].astype(float) for name in ("reliability", "bias", "effort"))
    slope, usual = draws.slopes()[chain, draw].astype(float), layout.mean_reports
    nodes = np.linspace(-8, 8, 801)
    weights = np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()
    careless, lowest = draws.low_effort_masses()[chain, draw], says_or_less(layout)
    expected = np.empty(posterior.book.n_reviews)
    for review in range(len(expected)):
        grader = layout.reports.review_grader[review]
        product, without = weights.copy(), 1.0
        own, loading = (part[chain, draw, parts.kind[grader]] for part in (parts.own_variance, parts.loading))
        for report in range(layout.reports.review_reports[review], layout.reports.review_reports[review + 1]):
            component = layout.report_component[report]
            middle = usual[component]
            seen = middle + slope[grader] * (grade[layout.reports.report_cell[report]] - middle)
            centre = seen + bias[grader] + loading[component] * reliability[grader] ** -0.5 * nodes
            root = np.sqrt(reliability[grader] / own[component])
            product *= ndtr((high[report] - centre) * root) - ndtr((low[report] - centre) * root)
            masses, level = careless[layout.report_component[report]], layout.report_level[report]
            without *= masses[: level + 1].sum() if lowest[report] else masses[level]
        expected[layout.review_order[review]] = effort[grader] * product.sum() + (1 - effort[grader]) * without
    np.testing.assert_allclose(posterior.log_likelihood()[chain, draw], np.log(expected), atol=2e-3)


def test_a_saved_posterior_goes_on(posterior: pg.Posterior, book: pg.Gradebook, tmp_path: Path) -> None:
    posterior.save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    first, second = (each.update(book, draws=12, burn_in=5) for each in (posterior, loaded))
    np.testing.assert_array_equal(first.samples.hyper, second.samples.hyper)
    assert np.isfinite(first.samples.hyper).all()


def test_running_summaries_tell_the_same_reliabilities(book: pg.Gradebook, posterior: pg.Posterior) -> None:
    """The same draws, of which few are kept: means differ by less than a cell of the grid."""
    thinned = pg.fit(book, BOTH, chains=2, draws=60, burn_in=120, seed=1, memory=1e-4)
    assert thinned.samples.running
    whole, few = (each.graders()["reliability"].to_numpy() for each in (posterior, thinned))
    np.testing.assert_allclose(whole, few, rtol=0.05)
