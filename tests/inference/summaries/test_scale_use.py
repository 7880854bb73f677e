"""Use of the scale: honest students keep what they tell, those whose grades do not follow the work lose it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import peerage as pg
from peerage.inference.summaries.information import GradedComponent, Traits, equivalents
from peerage.inference.summaries.scale_use import remaining, scale_use
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


def use_of(book: pg.Gradebook, truth: pg.Truth, priors: pg.Priors, players: range = range(0)) -> Floats:
    """(graders,) what remains, if a fit knows everybody as they are, and takes the players for reliable graders."""
    mine = np.isin(np.arange(book.n_graders), players)
    effort = np.where(mine, 0.97, truth.effort)
    reliability, bias = np.where(mine, 3.0, truth.reliability), np.where(mine, 0.0, truth.bias)
    _, expected = equivalents(works(book, priors), Traits.of(reliability, bias, effort=effort))
    return np.asarray(scale_use(book, priors, effort * reliability, bias, expected[None])[0])


def works(book: pg.Gradebook, priors: pg.Priors) -> list[GradedComponent]:
    """The components, whose grades without effort are anything."""
    means, sds = priors.for_components(len(book.rubric))
    return [
        GradedComponent.of(component, mean, sd, mean, np.full(component.n_levels, 1 / component.n_levels))
        for component, mean, sd in zip(book.rubric.components, means, sds, strict=True)
    ]


def test_the_mean_of_squares_given_a_slope() -> None:
    one = np.ones((1, 3))
    same = remaining(np.array([1.0, 1.5, 0.0]), np.array([0.1, 0.1, 1e3]), one)[0]
    assert same == pytest.approx([1, 1, 1], abs=0.01)
    assert remaining(np.array([0.0, -0.5, -9.0]), np.full(3, 0.05), one)[0] == pytest.approx([0, 0, 0], abs=0.01)
    halved = 0.25 / (0.8 + 0.2 / 3)
    assert remaining(np.array([0.5]), np.array([0.05]), one[:, :1])[0, 0] == pytest.approx(halved, rel=0.1)
    falling = remaining(np.linspace(0, 1, 20), np.full(20, 0.15), np.ones((1, 20)))[0]
    assert (np.diff(falling) >= 0).all()


def test_a_slope_known_far_better_than_ratios_are_apart_is_that_of_the_nearest() -> None:
    (left,) = remaining(np.array([0.5]), np.array([1e-6]), np.ones(1))
    assert 0 < left < remaining(np.array([0.9]), np.array([1e-6]), np.ones(1))[0]


def test_a_draw_that_expects_no_slope_loses_nothing() -> None:
    """Whoever is taken to make no effort in one draw and every effort in another is judged draw by draw."""
    expected = np.array([[0.0], [0.02], [0.9]])
    idle, nearly, busy = remaining(np.array([0.0]), np.array([0.1]), expected)[:, 0]
    assert idle == pytest.approx(1)
    assert nearly == pytest.approx(1, abs=0.05)
    assert busy < 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_honest_students_keep_what_they_tell(kind: str) -> None:
    """Of 4 × 48 honest students, the mean share is 0.95 at least, and at most one in twenty-five loses half."""
    shares = []
    for seed in range(4):
        book, truth = simulated(kind, seed)
        share = use_of(book, truth, KINDS[kind])
        assert (share[48:] == 1).all(), "TAs use the scale"
        shares.append(share[:48])
    assert np.mean(shares) > 0.95
    assert np.mean(np.array(shares) < 0.5) < 0.04


@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_follow_the_work_keeps_little(kind: str) -> None:
    """In the mean over four classes, less than a fifth; less than half, if one week of six was honest. One who copies
    the others' mean keeps everything."""
    shares = []
    for seed in range(4):
        book, truth = simulated(kind, seed)
        played = (*BLIND, strategies.first_week_only, strategies.copy_mean)
        for grader, strategy in enumerate(played):
            book = strategies.play(book, strategy, [grader], seed)
        shares.append(use_of(book, truth, KINDS[kind], range(len(played)))[: len(played)])
    *blind, first_week, copied = np.mean(shares, axis=0)
    assert max(blind) < 0.2
    assert first_week < 0.5
    assert copied > 0.9


def test_hedging_does_not_raise_what_is_told() -> None:
    """Half way to the usual grade looks 1.3 times as precise in these classes; it must keep less than 1/1.3."""
    book, _ = burrell_schoenebeck(seed=0)
    played = strategies.play(book, strategies.hedge, range(10), 0)
    priors = pg.Priors.paper(mu_s=3.5, sigma_s=0.72, sigma_b=0.5, alpha_tau=8.0)
    graders = np.ones(100)
    _, expected = equivalents(works(book, priors), Traits.of(3.8 * graders, effort=0.96))
    share = scale_use(played, priors, 3.8 * graders, 0 * graders, expected[None])[0]
    assert share[:10].mean() < 0.5 / 1.3
    assert share[10:].mean() > 0.95


def test_a_class_in_which_nobody_has_fellows_is_left_as_it_is() -> None:
    book, _ = simulated("usual", 0)
    first = np.zeros(book.n_reviews, dtype=bool)
    first[np.unique(book.review_submission, return_index=True)[1]] = True
    ones = np.ones(book.n_graders)
    assert (scale_use(book.select(first), KINDS["usual"], ones, 0 * ones, ones[None]) == 1).all()
