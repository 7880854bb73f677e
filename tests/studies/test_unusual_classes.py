"""The classes that break an assumption break it as they say, and measures of error and agreement measure these."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peerage as pg

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _find_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def drawn(seed: int = 0, **kind: float) -> Any:
    module = importlib.import_module("unusual")
    return module.draw_class(module.Kind(**kind), seed)


def test_some_never_go_below_three() -> None:
    assert drawn(floored=1.0).book.levels.min() == 3
    assert drawn().book.levels.min() == 0


def test_a_ring_gives_each_other_the_top() -> None:
    assert (drawn(ring=1.0).book.levels == 5).all()


def test_friends_give_one_more() -> None:
    favoured, plain = (drawn(friends=share).book.levels for share in (1.0, 0.0))
    inside = (plain > 0) & (plain < 5)
    np.testing.assert_array_equal(favoured[inside], plain[inside] + 1)


def slope(known: Any) -> float:
    """Of reports on true grades, which lie well inside the scale for the most part."""
    true = known.true_grade[known.book.review_submission]
    return float(np.polyfit(true.ravel(), known.book.levels.ravel(), 1)[0])


def test_half_of_the_range_means_half_of_the_slope() -> None:
    """About 2,560 reports with an error of about 1: the slopes have a standard error of 0.02."""
    assert slope(drawn(narrow=1.0)) == pytest.approx(slope(drawn()) / 2, abs=0.12)


def shared(known: Any) -> float:
    """The correlation of two components' errors in a review, biases taken off."""
    book = known.book
    gap = book.levels - known.true_grade[book.review_submission] - known.bias[book.review_grader][:, None]
    return float(np.corrcoef(gap[:, 0], gap[:, 1])[0, 1])


def test_halo_and_merit_are_shared() -> None:
    assert shared(drawn(halo=0.8)) > shared(drawn()) + 0.3
    assert np.corrcoef(drawn(merit=0.6).true_grade.T)[0, 1] == pytest.approx(0.6, abs=0.2)


def test_the_bias_of_a_student_who_drifts_is_the_mean_over_the_weeks() -> None:
    steady, moving = drawn(generous=0.6), drawn(generous=0.6, drift=0.3)
    assert np.std(moving.bias - steady.bias) == pytest.approx(0.3 * np.sqrt(30 / 16), rel=0.4)


def test_two_fits_that_are_one_agree_on_everything() -> None:
    two_seeds = importlib.import_module("two_seeds")
    book, _ = pg.simulate(8, 1, seed=1, components=2)
    one, other = (pg.fit(book, pg.Model(priors="paper"), chains=2, draws=500, seed=seed) for seed in (0, 1))
    found = two_seeds.agreement(one, one)
    assert [found[name] for name in ("most_likely", "explained", "averages")] == [1, 1, 1]
    assert 0 < two_seeds.agreement(one, other)["clear"] < 1


def test_errors_without_the_level_leave_out_a_constant() -> None:
    known_truth = importlib.import_module("known_truth")
    known = drawn()
    inside = np.clip(known.true_grade, 0, 4)
    assert known_truth.errors(inside + 0.5, inside) == pytest.approx({"error": 0.5, "level_known": 0.0})
    thirds = known_truth.errors_by_third(inside + 0.25, inside)
    assert set(thirds) == {"lowest", "middle", "highest", "weakest"}
    assert set(np.round(list(thirds.values()), 9)) == {0.25}
