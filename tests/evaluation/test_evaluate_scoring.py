"""Folds and predictions of held-out reviews: what is dealt, and exact leave-one-out as the referee of both methods."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp, ndtr

import peerage as pg
from peerage.evaluation.folds import NO_FOLD, deal
from peerage.evaluation.scoring import Sampling, score_by_loo, score_fold, score_nothing
from peerage.inference.choose_model import compare, expected_grades
from peerage.model import Model
from support.classes.classes import gradebooks
from support.references.integrals import exact, known_model, small_class

SEEDS = 8
"""Independent runs, from whose differences Monte-Carlo errors are taken."""

GRID_ERROR = 0.002
"""What the grid of a censored model adds to the relative error of a probability."""

FALSE_ALARM = 1e-3
"""How often each of the tests with a Monte-Carlo error may fail by chance, all its comparisons taken together."""

Floats = NDArray[np.float64]


# Folds


@given(gradebooks(), st.integers(1, 6), st.integers(0, 9))
def test_reviews_of_a_submission_are_spread_evenly(book: pg.Gradebook, folds: int, seed: int) -> None:
    dealt = deal(book, folds, seed)
    assert set(dealt) <= set(range(folds))
    table = np.zeros((book.n_submissions, folds), int)
    np.add.at(table, (book.review_submission, dealt), 1)
    assert (np.ptp(table, axis=1) <= 1).all(), "none twice in a fold if it has at most as many reviews as there are"
    assert np.ptp(table.sum(axis=0)) <= 1
    np.testing.assert_array_equal(deal(book, folds, seed), dealt)


@given(gradebooks(), st.integers(1, 6), st.data())
def test_only_those_among_are_dealt(book: pg.Gradebook, folds: int, data: st.DataObject) -> None:
    some = np.array(data.draw(st.lists(st.booleans(), min_size=book.n_reviews, max_size=book.n_reviews)))
    dealt = deal(book, folds, 0, among=some)
    np.testing.assert_array_equal(dealt != NO_FOLD, some)
    assert np.ptp(np.bincount(dealt[some], minlength=folds)) <= 1


def test_another_seed_deals_otherwise() -> None:
    book = pg.simulate(students=12, weeks=1, tas=0, seed=1)[0]
    assert (deal(book, 10, 0) != deal(book, 10, 1)).any()


# With known graders, reviews of other submissions say nothing, so that folds leave out one at a time, too


def in_folds(book: pg.Gradebook, model: Model, sampling: Sampling) -> Floats:
    folds = deal(book, 10, sampling.seed)
    log_mass = np.zeros(book.n_reviews)
    for fold in range(10):
        log_mass[folds == fold] = score_fold(book, model, folds, fold, sampling).log_mass
    return log_mass


def by_loo(book: pg.Gradebook, model: Model, sampling: Sampling) -> Floats:
    return score_by_loo(book, model, sampling).log_mass


def as_seen(book: pg.Gradebook, model: Model, sampling: Sampling) -> Floats:
    """A planted bug: predictions by fits that have seen the review."""
    logs = pg.fit(book, model, chains=sampling.chains, draws=sampling.draws, seed=sampling.seed).log_likelihood()
    return np.asarray(logsumexp(logs, axis=(0, 1)) - np.log(logs.shape[0] * logs.shape[1]))


METHODS = {"folds": in_folds, "leave-one-out": by_loo, "as seen": as_seen}


def distances(method: str, model: Model, wanted: Floats) -> Floats:
    """(reviews,) how many standard errors predictions are from what they should be."""
    runs = [METHODS[method](small_class(), model, Sampling(1, 200, 20, seed)) for seed in range(SEEDS)]
    masses = np.exp(runs)
    error = masses.std(axis=0, ddof=1) / np.sqrt(SEEDS) / masses.mean(axis=0)
    return np.asarray(np.abs(np.log(masses.mean(axis=0)) - wanted) / np.hypot(error, GRID_ERROR))


@pytest.mark.parametrize("censoring", [True, False], ids=["censored", "uncensored"])
def test_both_methods_agree_with_exact_leave_one_out(censoring: bool) -> None:
    book, model = small_class(), known_model(effort=True, censoring=censoring)
    wanted = np.array([exact(book, model, review)[0] for review in range(book.n_reviews)])
    limit = stats.t(SEEDS - 1).isf(FALSE_ALARM / 2 / (2 * book.n_reviews))
    assert (distances("folds", model, wanted) < limit).all()
    assert (distances("leave-one-out", model, wanted) < limit).all()
    assert (distances("as seen", model, wanted) > limit).any()


# With unknown graders, exact leave-one-out is a fit without each review


@cache
def elpd(method: str) -> tuple[float, float]:
    """The log probability of all reviews of a small class, and its standard error."""
    book, model, sampling = small_class(), Model(priors="paper"), Sampling(2, 300, 50, 1)
    if method == "exact":
        folds = np.arange(book.n_reviews)
        each = [score_fold(book, model, folds, int(fold), sampling).log_mass[0] for fold in folds]
        log_mass = np.array(each)
    else:
        log_mass = METHODS[method](book, model, sampling)
    return compare(log_mass, np.zeros(book.n_reviews), book.review_submission)


@pytest.mark.parametrize("method", ["folds", "leave-one-out"])
def test_both_methods_are_within_half_a_standard_error_of_fits_without_each_review(method: str) -> None:
    """Folds leave out more than one review, so that they predict slightly worse; a fit that has seen it, far better."""
    wanted, error = elpd("exact")
    assert abs(elpd(method)[0] - wanted) < error / 2
    assert elpd("as seen")[0] - wanted > error / 2


# What else is promised


def test_a_review_without_any_other_is_predicted_from_the_priors() -> None:
    """Its grader and its submission keep their places in the fit, with nothing known about them."""
    book = pg.simulate(2, 1, seed=1, reviews_per_student=1, tas=0, components=1)[0]
    model = Model(False, False, True, priors="paper")
    runs = [score_fold(book, model, np.array([0, 1]), 0, Sampling(1, 400, 10, seed)).log_mass[0] for seed in range(8)]
    masses, level = np.exp(runs), book.levels[0, 0]
    sd = np.sqrt(0.8**2 + 1 / np.random.default_rng(0).gamma(2, 1 / 2, 1_000_000))
    low, high = book.rubric.components[0].edges[level : level + 2]
    wanted = (ndtr((high - 4) / sd) - ndtr((low - 4) / sd)).mean()
    error = masses.std(ddof=1) / np.sqrt(SEEDS)
    assert masses.mean() == pytest.approx(wanted, abs=stats.t(SEEDS - 1).isf(FALSE_ALARM / 2) * error)


def test_reviews_that_leave_one_out_cannot_predict_are_fitted_anew() -> None:
    """Only these differ from leave-one-out without further fits, and they are predicted as in folds."""
    book, sampling = small_class(), Sampling(1, 100, 20, 3)
    model = Model(priors="paper")
    plain, refitted = (score_by_loo(book, model, sampling, refit=refit) for refit in (False, True))
    posterior = pg.fit(book, model, chains=1, draws=100, burn_in=20, seed=3)
    untrusted = posterior.leave_one_out.untrusted
    assert untrusted.any()
    assert refitted.refitted == untrusted.sum()
    assert plain.refitted == 0
    np.testing.assert_array_equal(plain.log_mass, posterior.leave_one_out.log_mass)
    np.testing.assert_array_equal(plain.log_mass != refitted.log_mass, untrusted)


def test_expected_grades_are_those_of_a_fit_on_the_models_scale() -> None:
    book, sampling = small_class(), Sampling(1, 50, 20, 3)
    posterior = pg.fit(book, Model(), chains=1, draws=50, burn_in=20, seed=3)
    found = score_nothing(book, Model(), sampling)
    assert len(found.log_mass) == 0
    np.testing.assert_array_equal(found.expected, expected_grades(posterior))
    table = posterior.submissions()
    pairs = zip(table["component"], table["expected"], strict=True)
    scaled = [book.rubric[name].to_model(np.float64(grade)) for name, grade in pairs]
    np.testing.assert_allclose(found.expected, scaled)
