"""Leave-one-out against integrals, where graders are known, and against fits without the review that is predicted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.inference.checking.leave_one_out import LeaveOneOut, leave_one_out, predict_by_chain
from peerage.model import Model
from support.references.integrals import exact, known_model, small_class

CHAINS = 20
"""Independent chains, from whose differences Monte-Carlo errors are taken."""

GRID_ERROR = 0.002
"""What the grid of a censored model adds to the relative error of a probability."""

ARITHMETIC = 1e-12
"""What rounding adds, where every chain predicts the same."""

FALSE_ALARM = 1e-3
"""How often each of the tests with a Monte-Carlo error may fail by chance, all its comparisons taken together."""

SETTLED = 0.5
"""Up to this Pareto shape the weights have a variance, and errors are what the chains' differences tell."""

Floats = NDArray[np.float64]


def predicted(posterior: pg.Posterior) -> LeaveOneOut:
    """Leave-one-out by every draw."""
    samples = posterior.samples
    count = samples.n_chains * samples.n_draws
    return leave_one_out(posterior.layout, samples, posterior.draws, posterior.seed, count=count, workers=2)


def by_chain(posterior: pg.Posterior) -> Floats:
    """(chains, reviews) the probability of each review, by every draw of each chain."""
    samples = posterior.samples
    count = samples.n_chains * samples.n_draws
    arguments = posterior.layout, samples, posterior.draws, posterior.seed
    return np.exp(predict_by_chain(*arguments, count=count, workers=2))


def errors_of(values: Floats) -> Floats:
    """Relative standard errors of means over chains (the first axis), from the chains' differences."""
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)) / values.mean(axis=0))


# Where graders are known, all that is left is an integral over true grades

both = pytest.mark.parametrize("censoring", [True, False], ids=["censored", "uncensored"])


def test_with_known_graders_and_efforts_predictions_are_integrals() -> None:
    """Every draw predicts the same.

    Expected grades are computed as if true grades were normal, which the ends of a rubric make slightly wrong.
    """
    book, model = small_class(), known_model(effort=False, censoring=False)
    result = predicted(pg.fit(book, model, chains=2, draws=20, burn_in=0, seed=1))
    assert not result.untrusted.any()
    for review in range(book.n_reviews):
        log_mass, means = exact(book, model, review)
        assert result.log_mass[review] == pytest.approx(log_mass, abs=1e-4)
        np.testing.assert_allclose(result.mean[review], means, atol=0.02)


@pytest.mark.parametrize(
    ("effort", "censoring"),
    [(False, True), (True, True), (True, False)],
    ids=["known efforts, censored", "censored", "uncensored"],
)
def test_with_known_graders_all_else_is_summed_out(effort: bool, censoring: bool) -> None:
    """Reviews whose weights have no variance that the chains could tell are left out.

    With a few others' efforts to reweigh, many weights tie, and some tails are too short to be judged.
    """
    book, model = small_class(), known_model(effort=effort, censoring=censoring)
    posterior = pg.fit(book, model, chains=CHAINS, draws=200, burn_in=20, seed=1)
    result = predicted(posterior)
    wanted = np.array([exact(book, model, review)[0] for review in range(book.n_reviews)])
    error = np.hypot(errors_of(by_chain(posterior)), GRID_ERROR if censoring else ARITHMETIC)
    settled = (result.pareto_k <= SETTLED) & (error < 0.1)
    assert settled.sum() > book.n_reviews / 2
    limit = stats.t(CHAINS - 1).isf(FALSE_ALARM / 2 / book.n_reviews)
    distance = np.abs(result.log_mass - wanted) / error
    assert (distance < limit)[settled].all()


# Where graders are not known: fits without the review

REVIEWS = {
    "bias + effort + censoring": (Model(priors="paper"), (0, 7, 16, 23)),
    "correlation": (Model(correlation=True, priors="paper"), (8, 21)),
    "uncensored": (Model(censoring=False, priors="paper"), (7, 16, 23)),
    "uncensored, no effort, no bias": (Model(False, False, False, priors="paper"), (0, 10, 16, 23)),
    "learned": (Model(), (10, 16)),
    "uncensored, learned": (Model(censoring=False), (7, 10, 16)),
}
"""Models, and reviews that are left out: of a calibration, the only one of a submission, a TA's, and others.

The Pareto shapes of their weights, which are estimated with an error of 0.1, are well below ``SETTLED``.
"""

N_COMPARED = sum(len(reviews) for _, reviews in REVIEWS.values())


def masses(posterior: pg.Posterior, book: pg.Gradebook, review: int) -> Floats:
    """(chain,) the mean over draws of e·∏L₁ + (1 − e)·∏L₀ of a review."""
    draws, grader, submission = posterior.draws, book.review_grader[review], book.review_submission[review]
    precision, bias, effort = (draws[name][:, :, grader].astype(float) for name in ("reliability", "bias", "effort"))
    careful, careless = np.ones_like(effort), np.ones_like(effort)
    for index, component in enumerate(book.rubric.components):
        level = book.levels[review, index]
        if level >= 0:
            centre = component.to_model(draws["true_grade"][:, :, submission, index].astype(float)) + bias
            low, high = ((edge - centre) * np.sqrt(precision) for edge in component.edges[level : level + 2])
            careful *= ndtr(high) - ndtr(low)
            careless *= draws.low_effort_masses()[:, :, index, level]
    return np.asarray((effort * careful + (1 - effort) * careless).mean(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", REVIEWS)
def test_predictions_are_those_of_fits_without_the_review(name: str) -> None:
    """The same check finds predictions by draws that have seen the review, as if its likelihood were not left out."""
    book, (model, reviews) = small_class(), REVIEWS[name]
    posterior = pg.fit(book, model, chains=CHAINS, draws=150, burn_in=60, seed=1)
    result, apart = predicted(posterior), by_chain(posterior)
    limit = stats.t(CHAINS - 1).isf(FALSE_ALARM / 2 / N_COMPARED)
    caught = []
    for review in reviews:
        assert result.pareto_k[review] <= SETTLED
        kept = np.arange(book.n_reviews) != review
        without = pg.fit(book.select(kept), model, chains=CHAINS, draws=150, burn_in=60, seed=2)
        refit, seen = masses(without, book, review), masses(posterior, book, review)
        wanted = np.log(refit.mean())
        error = np.hypot(errors_of(refit), errors_of(apart[:, review]))
        assert abs(result.log_mass[review] - wanted) < limit * error
        caught.append(abs(np.log(seen.mean()) - wanted) > limit * np.hypot(errors_of(refit), errors_of(seen)))
    assert any(caught)


# What else is promised


def test_a_review_taught_by_nobody_else_is_predicted_from_priors() -> None:
    """One review in all: without it, its grader and its submission are as the priors say."""
    book = pg.simulate(2, 1, seed=1, reviews_per_student=1, tas=0, components=1)[0]
    alone = book.select(np.arange(book.n_reviews) == 0)
    posterior = pg.fit(alone, Model(False, False, True, priors="paper"), chains=CHAINS, draws=200, burn_in=20, seed=1)
    result = predicted(posterior)
    level = book.levels[0, 0]
    rng = np.random.default_rng(0)
    sd = np.sqrt(0.8**2 + 1 / rng.gamma(2, 1 / 2, 1_000_000))
    edges = book.rubric.components[0].edges
    mass = (ndtr((edges[level + 1] - 4) / sd) - ndtr((edges[level] - 4) / sd)).mean()
    error = float(errors_of(by_chain(posterior))[0])
    assert result.log_mass[0] == pytest.approx(np.log(mass), abs=stats.t(CHAINS - 1).isf(FALSE_ALARM / 2) * error)


def test_reviews_are_in_the_gradebooks_order_whatever_the_workers() -> None:
    book = small_class()
    posterior = pg.fit(book, chains=2, draws=30, burn_in=20, seed=1)
    first, second = (
        leave_one_out(posterior.layout, posterior.samples, posterior.draws, 3, workers=workers) for workers in (1, 2)
    )
    np.testing.assert_array_equal(first.log_mass, second.log_mass)
    np.testing.assert_array_equal(np.isnan(first.mean), book.levels < 0)
    table = posterior.loo()
    assert list(table.columns) == ["submission", "grader", "log_probability", "pareto_k", "trusted"]
    assert list(table["submission"]) == [book.submissions[index] for index in book.review_submission]
    assert list(table["grader"]) == [book.graders[index] for index in book.review_grader]
    assert (table["trusted"] == (table["pareto_k"] <= 0.7)).all()


def test_products_of_many_small_masses_do_not_vanish() -> None:
    """The product of 19 masses of a hundredth each is smaller than single precision holds.

    Bins of 0.05 and reports far from the ends of the scale make the censored model that of exact reports, whose closed
    form needs no product. Graders are known, so that both are exact up to the bins' width and its square.
    """
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 100 by 1"}})
    priors = pg.Priors.paper(mu_s=2.5, sigma_s=0.4)
    names = [f"student{index:02}" for index in range(1, 21)]
    fixed = pg.Fixed(reliability=dict.fromkeys(names, 4.0), bias=dict.fromkeys(names, 0.1))
    models = [Model(effort=False, censoring=censoring, priors=priors, fixed=fixed) for censoring in (True, False)]
    book, _ = pg.simulate(20, 1, seed=1, reviews_per_student=19, tas=0, components=rubric, model=models[0])
    censored, exactly = (predicted(pg.fit(book, model, chains=1, draws=100, burn_in=10, seed=1)) for model in models)
    np.testing.assert_allclose(censored.mean, exactly.mean, atol=0.01)
    np.testing.assert_allclose(censored.log_mass, exactly.log_mass, atol=0.02)
