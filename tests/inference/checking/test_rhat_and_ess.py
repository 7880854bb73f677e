"""R-hat and ESS agree with arviz-stats, and the warnings come when they should and not otherwise."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import arviz_stats.base
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

from peerage.inference.checking.convergence_warnings import MOST_DRAWS, convergence_problems
from peerage.inference.numerics.rhat_and_ess import Diagnostics, rhat_and_ess

twin: Any = arviz_stats.base.array_stats
ENTRIES = 7


def autoregressive(coefficient: float, chains: int, draws: int, entries: int = ENTRIES) -> NDArray[np.float64]:
    """Stationary standard-normal chains in which neighbouring draws correlate by ``coefficient``."""
    rng = np.random.default_rng([chains, draws, entries, round(100 + 100 * coefficient)])
    noise = rng.normal(size=(chains, draws + 200, entries)) * math.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1], [1, -coefficient], noise, axis=1)[:, 200:])


def shifted(draws: NDArray[np.float64], shift: float) -> NDArray[np.float64]:
    """The same draws, but the first chain is somewhere else."""
    moved = draws.copy()
    moved[0] += shift
    return moved


def grid(draws: NDArray[np.float64], step: float, dtype: type) -> NDArray[Any]:
    """The draws as indexes into a grid."""
    indexes = np.round(draws / step) + (40 if dtype is np.uint8 else 0)
    return indexes.astype(dtype)


CASES: dict[str, NDArray[Any]] = {
    "independent": autoregressive(0.0, 4, 200),
    "slow": autoregressive(0.9, 4, 300),
    "very slow": autoregressive(0.99, 4, 200),
    "antithetic": autoregressive(-0.7, 4, 300),
    "odd number of draws": autoregressive(0.5, 3, 151),
    "one chain": autoregressive(0.5, 1, 100),
    "two chains": autoregressive(0.5, 2, 100),
    "a chain elsewhere": shifted(autoregressive(0.3, 4, 100), 6.0),
    "a chain with another spread": autoregressive(0.3, 4, 100) * np.array([1, 1, 1, 5])[:, None, None],
    "four draws": autoregressive(0.0, 4, 4),
    "five draws": autoregressive(0.0, 2, 5),
    "eight draws": autoregressive(0.0, 2, 8),
    "fine grid": grid(autoregressive(0.6, 4, 250), 0.1, np.uint8),
    "coarse grid": grid(autoregressive(0.6, 4, 251), 1.5, np.int16),
    "wide grid": grid(autoregressive(0.6, 4, 250), 0.0005, np.int16),
    "negative indexes": grid(autoregressive(0.6, 4, 250), 0.2, np.int8),
    "long integers": grid(autoregressive(0.6, 4, 250), 1e-4, np.int64),
    "two values": (autoregressive(0.6, 4, 251) > 1).astype(np.uint8),
    "rare value": (autoregressive(0.0, 4, 101) > 2.7).astype(np.uint8),
    "floats with ties": np.round(autoregressive(0.6, 4, 250)),
    "floats of single precision": autoregressive(0.2, 4, 100).astype(np.float32),
}


def assert_close(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=0.0)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning:arviz_stats")
def test_agrees_with_arviz(name: str) -> None:
    ours = rhat_and_ess(CASES[name])
    # arviz-stats folds single-precision draws in single precision, which makes other ties; ours are doubles.
    doubles = CASES[name].astype(np.float64)
    tails = (0.05, 0.95)
    assert_close(ours.r_hat, twin.rhat(doubles, chain_axis=0, draw_axis=1))
    assert_close(ours.ess_bulk, twin.ess(doubles, chain_axis=0, draw_axis=1, method="bulk"))
    assert_close(ours.ess_tail, twin.ess(doubles, chain_axis=0, draw_axis=1, method="tail", prob=tails))


def test_entries_keep_their_shape_and_workers_change_nothing() -> None:
    draws = autoregressive(0.4, 4, 50, entries=200).reshape(4, 50, 100, 2)
    one, two = rhat_and_ess(draws), rhat_and_ess(draws, workers=2)
    assert one.r_hat.shape == one.ess_bulk.shape == one.ess_tail.shape == (100, 2)
    np.testing.assert_array_equal(one.r_hat, two.r_hat)
    np.testing.assert_array_equal(one.ess, two.ess)
    alone = rhat_and_ess(draws[:, :, 70, 1])
    assert alone.r_hat == one.r_hat[70, 1]
    assert (one.chains, one.draws) == (4, 50)


def test_a_view_of_other_draws_is_accepted() -> None:
    draws = autoregressive(0.4, 4, 100)
    np.testing.assert_array_equal(rhat_and_ess(draws[:, ::2]).ess_bulk, rhat_and_ess(draws[:, ::2].copy()).ess_bulk)


@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_equal_draws_have_no_r_hat_and_full_ess(dtype: type) -> None:
    result = rhat_and_ess(np.full((4, 100, 2), 3, dtype))
    assert np.isnan(result.r_hat).all()
    assert (result.ess == 400).all()


def test_chains_that_stand_still_apart_have_infinite_r_hat() -> None:
    draws = np.broadcast_to(np.arange(4)[:, None, None], (4, 100, 1)).astype(np.uint8)
    result = rhat_and_ess(draws)
    assert result.r_hat[0] > 1e6
    assert result.ess[0] < 10


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_an_entry_that_is_not_finite_has_no_diagnostics(value: float) -> None:
    draws = autoregressive(0.4, 4, 50, entries=3)
    draws[2, 10, 1] = value
    result = rhat_and_ess(draws)
    assert np.isnan([result.r_hat[1], result.ess_bulk[1], result.ess_tail[1]]).all()
    assert np.isfinite(result.ess[[0, 2]]).all()


def test_too_few_draws_have_no_diagnostics() -> None:
    assert np.isnan(rhat_and_ess(autoregressive(0.4, 4, 3)).ess).all()


def test_no_entries_are_no_trouble() -> None:
    assert rhat_and_ess(np.empty((4, 100, 0, 2))).ess.shape == (0, 2)


def label(index: tuple[int, ...]) -> str:
    return "/".join(f"s{position}" for position in index)


def problems_of(draws: NDArray[Any]) -> list[str]:
    problems = convergence_problems({"true_grade": (rhat_and_ess(draws), label)})
    return [str(problem) for problem in problems]


def test_a_converged_class_is_not_reported() -> None:
    # Some 700 effective draws an entry. False alarms: in other simulations the lowest of 40,000 entries had 390
    # effective draws, so the chance that one of 1,000 falls below 100 is far under one in a thousand.
    draws = autoregressive(0.7, 4, 1000, entries=1000)
    diagnostics = rhat_and_ess(draws)
    assert np.mean(diagnostics.r_hat > 1.01) > 0.02, "R-hat alone would have given warnings"
    assert problems_of(draws) == []


def test_a_stuck_chain_is_always_reported() -> None:
    draws = autoregressive(0.5, 4, 1000, entries=300)
    draws[1] += 1.0
    (problem,) = problems_of(draws)
    assert "not settled, the chains disagree (R-hat 1." in problem
    assert "and 299 more" in problem


def test_one_bad_entry_is_named() -> None:
    draws = autoregressive(0.5, 4, 1000, entries=60).reshape(4, 1000, 30, 2)
    draws[2, :, 12, 1] += 3.0
    (problem,) = problems_of(draws)
    assert problem.startswith("the grade of s12/s1: not settled, the chains disagree (R-hat 1.")
    assert "; hand nothing out yet; fit again without a number of draws" in problem


def test_what_is_reported_follows_the_thresholds() -> None:
    def of(r_hat: float, ess: float) -> list[str]:
        entry = Diagnostics(np.array([r_hat]), np.array([ess]), np.array([4000.0]), 4, 1000)
        return [problem.message for problem in convergence_problems({"bias": (entry, lambda _: "v7")})]

    assert of(1.05, 101.0) == []
    assert of(math.nan, 4000.0) == []
    assert of(math.nan, math.nan) == []
    unsettled = "how severe v7 is: not settled, the chains disagree (R-hat {})"
    assert of(1.05, 60.0) == [unsettled.format("1.05")]
    assert of(1.20, 400.0) == [unsettled.format("1.20")]
    rough = "how severe v7 is: known roughly, and may change a little in another fit (60 effective draws)"
    assert of(1.005, 60.0) == [rough]
    assert of(math.inf, 4.0) == [unsettled.format("above 100")]


def test_nobody_is_told_to_do_what_was_done() -> None:
    """After all the draws that a fit makes by itself, an estimate with few effective ones is known roughly, no less."""
    entry = Diagnostics(np.array([1.05]), np.array([60.0]), np.array([4000.0]), 4, MOST_DRAWS)
    (problem,) = convergence_problems({"bias": (entry, lambda _: "v7")})
    assert problem.message.startswith("how severe v7 is: known roughly")
    assert "leave the number out" not in str(problem)
    assert "has made as many draws as it makes by itself" in str(problem)
    (problem,) = convergence_problems({"bias": (replace(entry, r_hat=np.array([1.2])), lambda _: "v7")})
    assert "not settled" in str(problem)


def test_what_was_learned_of_the_class_is_not_called_by_its_symbol() -> None:
    entry = Diagnostics(np.array([1.5]), np.array([9.0]), np.array([9.0]), 4, 1000)
    (problem,) = convergence_problems({"priors": (entry, lambda _: "mu_s")})
    assert problem.message.startswith("what was learned about the class as a whole: not settled")
    assert "mu_s" not in str(problem)


def test_what_cannot_be_judged_is_said() -> None:
    expected = "convergence cannot be judged from a single chain; use 4 chains"
    assert problems_of(autoregressive(0.0, 1, 400)) == [expected]
    expected = "convergence cannot be judged from 3 draws per chain; use 1,000 draws"
    assert problems_of(autoregressive(0.0, 4, 3)) == [expected]
    assert convergence_problems({}) == []
