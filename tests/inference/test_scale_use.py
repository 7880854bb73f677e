"""Use of the scale: honest students keep what they tell, those whose grades do not follow the work lose it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import peerage as pg
from peerage.inference.scale_use import remaining, scale_use, slopes
from peerage.simulation import strategies
from peerage.simulation.burrell import burrell_schoenebeck

KINDS = {
    "usual": pg.Priors.paper(),
    "spread out": pg.Priors.paper(mu_s=3.0, sigma_s=1.2),
    "reliable": pg.Priors.paper(sigma_b=0.4, alpha_tau=4.0),
}

BLIND = (strategies.always_mean, strategies.mean_and_noise, strategies.always(2))

Floats = NDArray[np.float64]


def simulated(kind: str, seed: int) -> tuple[pg.Gradebook, pg.Truth]:
    """48 students with 24 reviews each."""
    return pg.simulate(students=48, weeks=6, tas=2, seed=seed, model=pg.Model(priors=KINDS[kind]))


def as_taken_for_reliable(truth: pg.Truth, players: range) -> tuple[Floats, Floats, Floats]:
    """Efforts, biases and reliabilities as they are, and of the players as a fit believes them."""
    mine = np.isin(np.arange(len(truth.effort)), players)
    return np.where(mine, 0.97, truth.effort), np.where(mine, 0.0, truth.bias), np.where(mine, 3.0, truth.reliability)


def test_the_mean_of_squares_given_an_estimate() -> None:
    assert remaining(np.array([1.0, 1.5, 0.0]), np.array([0.1, 0.1, 1e3])) == pytest.approx([1, 1, 1], abs=0.01)
    assert remaining(np.array([0.0]), np.array([0.05]))[0] < 0.01
    assert remaining(np.array([0.5]), np.array([0.05]))[0] == pytest.approx(0.25 / (0.8 + 0.2 / 3), rel=0.1)
    falling = remaining(np.linspace(0, 1, 20), np.full(20, 0.15))
    assert (np.diff(falling) >= 0).all()


def test_expected_slopes_are_those_of_simulated_reports() -> None:
    """A class of 40,000 reports by five graders of known bias and reliability; slopes against the truth itself."""
    rng, component = np.random.default_rng(0), pg.Component("Grade", tuple(map(float, range(6))))
    s = rng.normal(4.0, 0.8, 40_000)
    book, _ = pg.simulate(students=6, weeks=1, tas=0, components=1, seed=0)
    bias, reliability = np.array([0.0, 1.0, -1.0, 2.0, 0.5, 0.0]), np.array([1.0, 1.0, 2.0, 0.5, 4.0, 1.0])
    _, _, expected = slopes(book, pg.Priors.paper(mu_s=4.0, sigma_s=0.8), np.ones(6), bias, reliability)
    for grader in range(6):
        report = component.level_of(s + bias[grader] + rng.normal(size=s.size) * reliability[grader] ** -0.5)
        slope = np.cov(s, report)[0, 1] / s.var()
        assert expected[grader] == pytest.approx(slope, abs=5 * 1.5 / (0.8 * 200)), "five standard errors"


@pytest.mark.parametrize("kind", KINDS)
def test_honest_students_keep_what_they_tell(kind: str) -> None:
    """Of 4 × 48 honest students, the mean share is 0.95 at least, and at most one in twenty-five loses half."""
    shares = []
    for seed in range(4):
        book, truth = simulated(kind, seed)
        share = scale_use(book, KINDS[kind], truth.effort, truth.bias, truth.reliability)
        assert (share[48:] == 1).all(), "TAs use the scale"
        shares.append(share[:48])
    assert np.mean(shares) > 0.95
    assert np.mean(np.array(shares) < 0.5) < 0.04


@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_follow_the_work_keeps_little(kind: str) -> None:
    """In the mean over four classes, less than a quarter; less than half, if one week of six was honest. One who copies
    the others' mean keeps everything."""
    shares = []
    for seed in range(4):
        book, truth = simulated(kind, seed)
        played = (*BLIND, strategies.first_week_only, strategies.copy_mean)
        for grader, strategy in enumerate(played):
            book = strategies.play(book, strategy, [grader], seed)
        fitted = as_taken_for_reliable(truth, range(len(played)))
        shares.append(scale_use(book, KINDS[kind], *fitted)[: len(played)])
    *blind, first_week, copied = np.mean(shares, axis=0)
    assert max(blind) < 0.25
    assert first_week < 0.5
    assert copied > 0.9


def test_hedging_does_not_raise_what_is_told() -> None:
    """Half way to the usual grade looks 1.3 times as precise in these classes; it must keep less than 1/1.3."""
    book, _ = burrell_schoenebeck(seed=0)
    played = strategies.play(book, strategies.hedge, range(10), 0)
    priors = pg.Priors.paper(mu_s=3.5, sigma_s=0.72, sigma_b=0.5, alpha_tau=8.0)
    share = scale_use(played, priors, np.full(100, 0.96), np.zeros(100), np.full(100, 3.8))
    assert share[:10].mean() < 0.5 / 1.3
    assert share[10:].mean() > 0.95


def test_a_class_in_which_nobody_has_fellows_is_left_as_it_is() -> None:
    book, _ = simulated("usual", 0)
    first = np.zeros(book.n_reviews, dtype=bool)
    first[np.unique(book.review_submission, return_index=True)[1]] = True
    ones = np.ones(book.n_graders)
    assert (scale_use(book.select(first), KINDS["usual"], ones, 0 * ones, ones) == 1).all()
