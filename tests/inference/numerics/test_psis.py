"""Pareto-smoothed weights against those of arviz-stats, and where a tail cannot be smoothed."""

from __future__ import annotations

from typing import Any

import arviz_stats.base
import numpy as np
import pytest
from numpy.typing import NDArray

from peerage.inference.numerics.psis import smooth

twin: Any = arviz_stats.base.array_stats

SIZES = (100, 400, 2500)
"""Numbers of draws whose tails have a whole length, about whose rounding the authors' implementations differ."""

Floats = NDArray[np.float64]


def log_ratios(kind: str, size: int, seed: int) -> Floats:
    """Logarithms of importance ratios whose tails are known."""
    rng = np.random.default_rng(seed)
    if kind == "light":
        return np.log(rng.random(size))
    if kind == "exponential":
        return np.log(rng.standard_exponential(size))
    shape = {"moderate": 0.4, "heavy": 0.9, "very heavy": 2.0}[kind]
    return -shape * np.log(rng.random(size))


def smoothed(ratios: Floats) -> tuple[Floats, float]:
    weights = ratios.copy()
    shape = smooth(weights)
    return weights, shape


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["light", "exponential", "moderate", "heavy", "very heavy"])
def test_weights_and_shapes_are_those_of_arviz_stats(kind: str, size: int) -> None:
    for seed in range(5):
        ratios = log_ratios(kind, size, seed)
        weights, shape = smoothed(ratios)
        theirs, k = twin.psislw(-ratios)
        np.testing.assert_allclose(weights, theirs, rtol=1e-9, atol=1e-9)
        assert shape == pytest.approx(float(k), rel=1e-9, abs=1e-9)


def test_ties_in_the_tail_are_smoothed_as_arviz_stats_does() -> None:
    """Equal ratios may change places, so that the weights are compared in order."""
    for seed in range(5):
        ratios = np.sort(log_ratios("heavy", 400, seed))
        ratios[340:] = ratios[340:][np.arange(60) // 4 * 4]
        weights, shape = smoothed(ratios)
        theirs, k = twin.psislw(-ratios)
        np.testing.assert_allclose(np.sort(weights), np.sort(theirs), rtol=1e-9, atol=1e-9)
        assert shape == pytest.approx(float(k), rel=1e-9)


def test_draws_that_tie_with_the_cutoff_are_not_part_of_the_tail() -> None:
    """What is fitted is the tail of a sample without ties; arviz-stats divides by zero here."""
    above = 1.0 + log_ratios("heavy", 40, 1)
    weights, shape = smoothed(np.concatenate([np.zeros(360), above]))
    assert np.isfinite(weights).all()
    assert np.exp(weights).sum() == pytest.approx(1.0)
    assert 0.3 < shape < 1.5


@pytest.mark.parametrize("offset", [-800.0, 0.0, 800.0])
def test_only_the_ratios_differences_matter(offset: float) -> None:
    ratios = log_ratios("heavy", 400, 3)
    weights, shape = smoothed(ratios + offset)
    expected, k = smoothed(ratios)
    np.testing.assert_allclose(weights, expected, atol=1e-9)
    assert shape == pytest.approx(k)


def test_the_shape_tells_heavy_tails_from_light_ones() -> None:
    """The estimate from 212 of 5,000 ratios has a standard error of about (1 + k)/√212 < 0.14 for k ≤ 1.

    Four standard errors are exceeded by chance in one of 16,000 cases.
    """
    for kind, k in (("exponential", 0.0), ("moderate", 0.4), ("heavy", 0.9)):
        assert smoothed(log_ratios(kind, 5000, 1))[1] == pytest.approx(k, abs=4 * 0.14)
    assert smoothed(log_ratios("very heavy", 5000, 1))[1] > 1.4


def test_weights_are_normalised_and_keep_their_order() -> None:
    ratios = log_ratios("very heavy", 1000, 2)
    weights, _ = smoothed(ratios)
    assert np.exp(weights).sum() == pytest.approx(1.0)
    assert (np.diff(weights[np.argsort(ratios)]) >= 0).all()


def test_a_few_draws_are_left_alone_and_not_trusted() -> None:
    ratios = log_ratios("heavy", 20, 0)
    weights, shape = smoothed(ratios)
    assert shape == np.inf
    np.testing.assert_allclose(weights, ratios - np.log(np.exp(ratios).sum()))


@pytest.mark.parametrize("values", [[0.0], [-1.0, 0.0]])
def test_a_tail_of_equal_ratios_needs_no_smoothing(values: list[float]) -> None:
    """As when a review says nothing about what is drawn: all weights are equal."""
    ratios = np.repeat(values, 200)
    weights, shape = smoothed(ratios)
    assert shape == -np.inf
    np.testing.assert_allclose(weights, ratios - np.log(np.exp(ratios).sum()))


def test_three_large_ratios_are_left_alone_and_not_trusted() -> None:
    """Above 397 equal ratios, they can stand for a tail of any weight."""
    ratios = np.concatenate([np.zeros(397), [5.0, 8.0, 9.0]])
    weights, shape = smoothed(ratios)
    assert shape == np.inf
    np.testing.assert_allclose(weights, ratios - np.log(np.exp(ratios).sum()))


def test_a_tail_of_a_hundred_equal_ratios_is_fitted() -> None:
    """One of the forty shapes that are tried is then exactly zero."""
    weights, shape = smoothed(np.repeat([-1.0, 0.0], [3900, 100]))
    assert np.isfinite(shape)
    assert np.exp(weights).sum() == pytest.approx(1.0)


def test_ratios_of_any_size_give_finite_weights() -> None:
    """Discrete ratios, ratios that differ by rounding alone, and ratios beyond the range of numbers."""
    rng = np.random.default_rng(0)
    for levels in range(1, 30):
        ratios = rng.choice(rng.normal(size=levels), 200)
        for scale, noise in ((1.0, 0.0), (1.0, 1e-16), (1000.0, 0.0)):
            weights, shape = smoothed(scale * ratios + noise * rng.normal(size=200))
            assert not np.isnan(weights).any()
            assert not np.isnan(shape)
            assert np.exp(weights).sum() == pytest.approx(1.0)
