"""The normal distribution within bins, against SciPy and far out in the tails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_ndtr, ndtr, ndtri

from peerage.inference.numerics.normal_tails import (
    OUT_OF_REACH,
    below,
    bin_mass,
    bin_masses,
    draw_in_bin,
    interval_mass,
    quantile,
)

FALSE_ALARM = 1e-6


def test_the_distribution_function_keeps_its_precision_in_the_tail() -> None:
    z = np.linspace(-30, 12, 20_001)
    ours = np.array([below(value) for value in z])
    np.testing.assert_allclose(ours, ndtr(z), rtol=1e-7)
    np.testing.assert_allclose(ours[np.abs(z) < 3], ndtr(z[np.abs(z) < 3]), rtol=1e-10)


def test_the_quantile_undoes_the_distribution_function() -> None:
    p = np.concatenate([np.logspace(-290, -1, 500), np.linspace(0.1, 0.9, 301), 1 - np.logspace(-15, -1, 100)])
    np.testing.assert_allclose([quantile(value) for value in p], ndtri(p), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    ("low", "high"), [(-0.4, 0.3), (2.0, 3.0), (-9.0, -8.0), (5.0, np.inf), (-np.inf, -12.0), (30.0, 31.0)]
)
def test_a_bin_has_its_mass_and_draws_from_within_it(low: float, high: float) -> None:
    """Uniform by Kolmogorov and Smirnov; six bins fail falsely six times in a million runs."""
    beyond, mass = bin_mass(low, high)
    a, b = (low, high) if low < 0 else (-high, -low)
    log_mass = log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b)))
    np.testing.assert_allclose(np.log(mass), log_mass, rtol=1e-6)
    rng = np.random.default_rng(1)
    drawn = np.array([draw_in_bin(rng, low, high, beyond, mass) for _ in range(2000)])
    assert (drawn >= low).all()
    assert (drawn <= high).all()
    inner = drawn if low < 0 else -drawn
    uniform = np.expm1(log_ndtr(inner) - log_ndtr(a)) / np.expm1(log_ndtr(b) - log_ndtr(a)) if a > -np.inf else None
    uniform = np.exp(log_ndtr(inner) - log_ndtr(b)) if uniform is None else uniform
    assert stats.kstest(uniform, "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 0.5), (4.0, 6.0), (-14.0, -12.0), (16.0, np.inf), (-np.inf, -15.0), (-np.inf, np.inf)]
)
@pytest.mark.parametrize(("mean", "precision"), [(0.0, 1.0), (0.7, 4.0)])
def test_an_interval_has_its_mass_in_both_tails(low: float, high: float, mean: float, precision: float) -> None:
    a, b = (low - mean) * np.sqrt(precision), (high - mean) * np.sqrt(precision)
    a, b = (-b, -a) if a > 0 else (a, b)
    log_mass = log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b)))
    np.testing.assert_allclose(np.log(interval_mass(low, high, mean, precision)), log_mass, rtol=1e-9, atol=1e-15)


def test_a_bin_without_any_mass_gives_what_is_next_to_the_mean() -> None:
    beyond, mass = bin_mass(50.0, 51.0)
    assert mass == 0.0
    rng = np.random.default_rng(0)
    drawn = np.array([draw_in_bin(rng, 50.0, 51.0, beyond, mass) for _ in range(1000)])
    assert drawn.min() >= 50.0
    assert abs(drawn.mean() - 50.02) < 0.003


def test_many_bins_at_once_have_the_masses_that_each_has_alone() -> None:
    rng = np.random.default_rng(2)
    low = np.concatenate([[-np.inf] * 50, rng.uniform(-6, 6, 300)])
    high = np.concatenate([rng.uniform(-5, 6, 50), low[50:300] + rng.uniform(0.05, 2, 250), [np.inf] * 50])
    precision, own = rng.uniform(0.5, 9, low.size), rng.uniform(0.5, 3, low.size)
    inputs = np.array([precision, rng.normal(0, 5, low.size), rng.normal(0, 1, low.size), own])
    found = np.zeros((4, low.size))
    bin_masses(low, high, 0.7, 0.4, inputs, found)
    mean, root = 0.7 * inputs[1] / precision + inputs[2], (0.49 / precision + 0.4 / own) ** -0.5
    np.testing.assert_allclose(found[:2], [mean, root], rtol=1e-12)
    alone = np.array([bin_mass(*ends) for ends in zip((low - mean) * root, (high - mean) * root, strict=True)]).T
    in_reach = alone[1] > OUT_OF_REACH
    assert in_reach.sum() > 250
    np.testing.assert_allclose(found[2:, in_reach], alone[:, in_reach], rtol=1e-7, atol=2e-19)
    assert (found[3, ~in_reach] <= OUT_OF_REACH).all()


def test_what_is_no_number_reads_nothing_outside_the_tables() -> None:
    nothing, found = np.array([np.nan, 0.0]), np.zeros((4, 2))
    bin_masses(nothing, nothing + 1, 1.0, 0.4, np.ones((4, 2)), found)
    assert found[3, 0] == 0.0
    assert below(np.nan) == 0.0
