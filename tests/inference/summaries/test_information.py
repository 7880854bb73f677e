"""Information: what a report tells about a true grade, against integrals, and what the tables make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

import peerage as pg
from peerage.inference.summaries.information import GradedComponent, Traits, equivalents
from peerage.rubric import Component

Floats = NDArray[np.float64]

WHOLE = Component("Whole", tuple(map(float, range(6))))
UNEVEN = Component("Uneven", (0.0, 1.0, 4.0, 5.0))


LOW = np.array([0.02, 0.03, 0.1, 0.3, 0.4, 0.15])
LOW_UNEVEN = np.array([0.1, 0.2, 0.5, 0.2])


def graded(
    component: Component, low: Floats, mean: float = 3.7, sd: float = 0.8, centre: float = 3.4
) -> GradedComponent:
    """True grades around 3.7, and a usual report of 3.4."""
    return GradedComponent.of(component, mean, sd, centre, low)


def by_integration(
    work: GradedComponent, traits: tuple[float, float, float, float], component: Component, low: Floats
) -> tuple[float, float]:
    """1 / E Var(s | report) − 1/σ² from three moments of the likelihood on a fine grid, and the slope of reports."""
    precision, bias, slope, effort = traits
    s = np.linspace(work.mean - 8 * work.sd, work.mean + 8 * work.sd, 4001)
    prior = norm.pdf(s, work.mean, work.sd)
    prior /= prior.sum()
    y = work.centre + slope * (s - work.centre) + bias
    likelihood = np.diff(norm.cdf((component.edges[:, None] - y) * precision**0.5), axis=0)
    likelihood = effort * likelihood + (1 - effort) * low[:, None]
    zeroth, first, second = (likelihood @ (prior * s**power) for power in range(3))
    seen = zeroth > 1e-14
    left = float(np.sum(second[seen] - first[seen] ** 2 / zeroth[seen]))
    report = component.scaled @ likelihood
    return 1 / left - work.sd**-2, float(prior @ ((s - work.mean) * report) / work.sd**2)


@given(
    st.tuples(st.floats(0.05, 20), st.floats(-3, 3), st.floats(-0.5, 2), st.floats(0, 1)),
    st.tuples(st.floats(0.5, 4.8), st.floats(0.3, 1.5), st.floats(1, 4)),
    st.sampled_from([(WHOLE, LOW), (UNEVEN, LOW_UNEVEN)]),
)
def test_it_is_what_a_report_takes_off_the_variance(
    traits: tuple[float, float, float, float], truth: tuple[float, float, float], rubric: tuple[Component, Floats]
) -> None:
    component, low = rubric
    work = graded(component, low, *truth)
    told, slope = (found[0] for found in work.judge(Traits.of(np.array(traits[:1]), *traits[1:])))
    expected = by_integration(work, traits, component, low)
    assert told == pytest.approx(expected[0], rel=1e-3, abs=1e-6)
    assert slope == pytest.approx(expected[1], rel=1e-3, abs=1e-4)


def test_it_is_the_precision_times_the_squared_slope_where_grades_are_not_rounded() -> None:
    edges = np.concatenate([[-np.inf], np.linspace(-20, 20, 4001), [np.inf]])
    fine = GradedComponent(3.7, 0.8, 3.4, edges, np.full(4002, 1 / 4002), np.full(4001, 0.01))
    precision = np.array([0.1, 1.0, 4.0])
    for slope in (1.0, 0.5):
        told, steepness = fine.judge(Traits.of(precision, 1.5, slope))
        np.testing.assert_allclose(told, slope**2 * precision, rtol=1e-3)
        np.testing.assert_allclose(steepness, slope, rtol=1e-3)


def test_reports_that_cannot_be_told_from_careless_ones_tell_with_the_square_of_effort() -> None:
    """Taken for the plain product, half of all reports made with effort would tell half as much."""
    alike = np.diff(norm.cdf((WHOLE.edges - 3.7) / (0.64 + 1 / 0.2) ** 0.5))
    told, _ = graded(WHOLE, alike).judge(Traits.of(np.full(3, 0.2), effort=np.array([0.25, 0.5, 1.0])))
    assert told[1] / told[2] == pytest.approx(0.25, abs=0.03)
    assert told[0] / told[1] == pytest.approx(0.25, abs=0.03)


def test_it_has_a_bound_where_they_are() -> None:
    """Reports without error of grades around 3.7 leave what a width of 1 leaves, about 1/12."""
    told, _ = graded(WHOLE, LOW).judge(Traits.of(np.array([1e3, 1e6])))
    assert 8 < told[0] < told[1] < 13


def test_an_unbiased_grader_counts_with_the_reliability_and_nobody_with_more() -> None:
    works = [graded(WHOLE, LOW), graded(UNEVEN, LOW_UNEVEN, 3.0, 1.0)]
    reliability = np.geomspace(0.01, 30, 50)
    np.testing.assert_allclose(equivalents(works, Traits.of(reliability))[0], reliability, rtol=0.01)
    for bias in (-2.0, -0.3, 0.7, 3.0):
        for slope in (0.5, 1.0, 1.4):
            told, _ = equivalents(works, Traits.of(reliability, bias, slope))
            assert (told <= slope**2 * reliability * (1 + 1e-12)).all()
        without, _ = equivalents(works, Traits.of(reliability, bias, effort=0.0))
        assert (without == 0).all(), "without effort nothing is told"


@pytest.mark.parametrize(("grades", "mean", "sd"), [((0, 1, 2), 2.5, 0.35), ((0, 1), 4.5, 0.8)])
def test_a_little_less_effort_counts_for_a_little_less(grades: tuple[int, ...], mean: float, sd: float) -> None:
    """Where grades are few, reports of very precise graders tell less than others: a reliability is found all the same.

    That of a precise grader was once found among the very precise, and that of a slightly worse one far below.
    """
    component = Component("Whole", tuple(map(float, grades)))
    work = GradedComponent.of(component, mean, sd, mean, np.full(len(grades), 1 / len(grades)))
    precise, falling = np.full(2001, 8.0), np.linspace(1.0, 0.8, 2001)
    for traits in (Traits.of(precise, effort=falling), Traits.of(precise, slope=falling)):
        told, equivalent = work.judge(traits)[0], work.equivalent(traits)[0]
        assert (np.diff(told) * np.diff(equivalent) >= 0).all()
        assert np.abs(np.diff(np.log(equivalent))).max() < 0.05


def test_a_generous_grader_loses_what_the_top_hides() -> None:
    """A bias of +9 leaves next to nothing, whatever the reliability."""
    biases = np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    told = equivalents([graded(WHOLE, LOW)], Traits.of(np.full(5, 4.0), biases))[0]
    assert (np.diff(told) < 0).all()
    assert told[1] < 3
    assert told[3] < told[0] / 20
    assert told[4] < 0.01


def test_grades_of_a_fine_rubric_may_be_taken_together() -> None:
    """What 101 grades tell, told by 35 bins; and blocks of graders make no difference to anything."""
    fine = Component("Fine", tuple(map(float, range(101))))
    low, rng = np.full(101, 1 / 101), np.random.default_rng(0)
    work = graded(fine, low)
    assert len(work.low) == 35
    exact = GradedComponent(3.7, 0.8, 3.4, fine.edges, low, np.diff(fine.scaled))
    graders = Traits.of(np.exp(rng.uniform(-2, 2, 150_000)), rng.normal(size=150_000), effort=0.8)
    told, slope = equivalents([work], graders)
    some = Traits.of(graders.reliability[99_900:100_100], graders.bias[99_900:100_100], effort=0.8)
    for found, expected in zip((told, slope), exact.equivalent(some), strict=True):
        np.testing.assert_allclose(found[99_900:100_100], expected, rtol=0.02, atol=1e-3)


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
