"""Information: what a report tells about a true grade, against integrals, and what the tables make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import peerage as pg
from peerage.inference.information import Information, information
from peerage.rubric import Component

WHOLE = Component("Whole", tuple(map(float, range(6))))
UNEVEN = Component("Uneven", (0.0, 1.0, 4.0, 5.0))


def by_integration(precision: float, bias: float, mean: float, sd: float, component: Component) -> float:
    """1 / E Var(s | report) − 1/σ² from three moments of the likelihood on a fine grid of true grades."""
    s = np.linspace(mean - 8 * sd, mean + 8 * sd, 4001)
    prior = norm.pdf(s, mean, sd)
    prior /= prior.sum()
    likelihood = np.diff(norm.cdf((component.edges[:, None] - s - bias) * precision**0.5), axis=0)
    zeroth, first, second = (likelihood @ (prior * s**power) for power in range(3))
    seen = zeroth > 1e-14
    left = float(np.sum(second[seen] - first[seen] ** 2 / zeroth[seen]))
    return 1 / left - sd**-2


@given(
    st.floats(0.05, 20), st.floats(-3, 3), st.floats(0.5, 4.8), st.floats(0.3, 1.5), st.sampled_from([WHOLE, UNEVEN])
)
def test_it_is_what_a_report_takes_off_the_variance(
    precision: float, bias: float, mean: float, sd: float, component: Component
) -> None:
    found = information(np.array([precision]), np.array([bias]), mean, sd, component.edges)[0]
    assert found == pytest.approx(by_integration(precision, bias, mean, sd, component), rel=1e-3, abs=1e-6)


def test_it_is_the_precision_where_grades_are_not_rounded() -> None:
    fine = np.concatenate([[-np.inf], np.linspace(-20, 20, 4001), [np.inf]])
    precision = np.array([0.1, 1.0, 4.0])
    np.testing.assert_allclose(information(precision, np.full(3, 1.5), 3.7, 0.8, fine), precision, rtol=1e-3)


def test_it_has_a_bound_where_they_are() -> None:
    """Reports without error of grades around 3.7 leave what a width of 1 leaves, about 1/12."""
    told = information(np.array([1e3, 1e6]), np.zeros(2), 3.7, 0.8, WHOLE.edges)
    assert 8 < told[0] < told[1] < 13


def test_an_unbiased_grader_counts_with_the_reliability_and_nobody_with_more() -> None:
    table = Information.of((WHOLE, UNEVEN), (3.7, 3.0), (0.8, 1.0))
    reliability = np.geomspace(0.01, 30, 50)
    np.testing.assert_allclose(table.equivalent(reliability, np.zeros(50)), reliability, rtol=1e-9)
    for bias in (-2.0, -0.3, 0.7, 3.0):
        assert (table.equivalent(reliability, np.full(50, bias)) <= reliability * (1 + 1e-12)).all()


def test_a_generous_grader_loses_what_the_top_hides() -> None:
    """Beyond the ends of the table, too: a bias of +9 leaves next to nothing, whatever the reliability."""
    table = Information.of((WHOLE,), (3.7,), (0.8,))
    told = [float(table.equivalent(np.array([4.0]), np.array([bias]))[0]) for bias in (0.0, 1.0, 2.0, 3.0, 9.0)]
    assert told == sorted(told, reverse=True)
    assert told[1] < 3
    assert told[3] < told[0] / 20
    assert told[4] < 0.01


def test_the_table_is_fine_enough_between_its_points() -> None:
    table, rng = Information.of((WHOLE,), (3.7,), (0.8,)), np.random.default_rng(0)
    precision, bias = np.exp(rng.uniform(-4, 2.5, 200)), rng.uniform(-3, 3, 200)
    unbiased = np.geomspace(1e-4, 1e3, 4000)
    levels = information(unbiased, np.zeros(4000), 3.7, 0.8, WHOLE.edges)
    exact = np.minimum(np.interp(information(precision, bias, 3.7, 0.8, WHOLE.edges), levels, unbiased), precision)
    np.testing.assert_allclose(table.equivalent(precision, bias), exact, rtol=0.02)


@pytest.fixture(scope="module")
def class_and_fit() -> tuple[pg.Gradebook, pg.Posterior]:
    """A class in which student01 gives the top grade to everything."""
    book, _ = pg.simulate(24, 4, seed=5, tas=1, components=2)
    levels = book.levels.copy()
    levels[book.review_grader == 0] = 5
    book = replace(book, levels=levels)
    return book, pg.fit(book, chains=2, draws=200, burn_in=100, seed=0)


def test_who_always_gives_the_top_has_next_to_no_weight_trust_or_credit(
    class_and_fit: tuple[pg.Gradebook, pg.Posterior],
) -> None:
    """Fails if steadiness at an end of the scale is taken for reliability."""
    book, posterior = class_and_fit
    graders = posterior.graders()
    students = graders[graders["role"] == "student"]
    assert graders["dependability"][0] < students["dependability"].quantile(0.25)
    for sceptical in (True, False):
        marks = pg.credit(posterior, completion=0, sceptical=sceptical)["credit"]
        assert marks[0] < marks.mean() / 4
    assert pg.trust(posterior)["standing"][0] != "unsupervised"
    weights = pg.explain(posterior).weights.groupby("grader")["desired_weight"].mean()
    assert weights[book.graders[0]] < weights[weights.index.str.startswith("student")].mean() / 2


def test_the_tables_agree(class_and_fit: tuple[pg.Gradebook, pg.Posterior]) -> None:
    """A grader's influence over all reviews is what the grader's dependability says, up to what effort leaves open."""
    _, posterior = class_and_fit
    graders, reviews = posterior.graders(), posterior.reviews()
    assert posterior.dependability.shape == posterior.draws["effort"].shape
    np.testing.assert_allclose(graders["dependability"], posterior.dependability.mean(axis=(0, 1)), rtol=1e-5)
    plain = (posterior.draws["reliability"] * posterior.draws["effort"]).mean(axis=(0, 1))
    np.testing.assert_allclose(graders["precision"], plain, rtol=1e-4)
    told = graders["dependability"].to_numpy() / graders["precision"].to_numpy()
    order = np.argsort(posterior.layout.review_order)
    expected = posterior.samples.influence[order] * told[posterior.book.review_grader]
    np.testing.assert_allclose(reviews["influence"], expected)


@pytest.mark.parametrize("model", [pg.Model(priors="paper"), pg.Model(censoring=False)], ids=lambda model: model.name)
def test_with_fixed_priors_or_without_censoring_it_is_the_plain_product(model: pg.Model) -> None:
    book, _ = pg.simulate(8, 1, seed=2)
    graders = pg.fit(book, model, chains=1, draws=20, burn_in=5, seed=0).graders()
    np.testing.assert_allclose(graders["dependability"], graders["precision"], rtol=1e-5)


def test_who_gives_the_same_grades_to_everything_counts_nothing_and_is_told_why() -> None:
    """Two constant students, whom the model takes for precise graders: no weight, no trust, no mark, and a note."""
    book, _ = pg.simulate(24, 4, seed=6, tas=1, components=2)
    levels = book.levels.copy()
    for grader, level in ((0, 2), (1, 4)):
        levels[book.review_grader == grader] = level
    book = replace(book, levels=levels)
    posterior = pg.fit(book, chains=2, draws=100, burn_in=100, seed=0)
    assert set(posterior.constant["grader"]) == set(book.graders[:2])
    assert (posterior.graders()["dependability"][:2] == 0).all()
    assert (pg.trust(posterior)["standing"][:2] == "practice").all()
    marks = pg.credit(posterior)
    assert (marks["credit"][:2] == 0).all()
    assert (marks["note"][:2] == "gives the same grades to everything").all()
    weights = pg.explain(posterior).weights
    assert (weights.loc[weights["grader"].isin(book.graders[:2]), "desired_weight"] == 0).all()
