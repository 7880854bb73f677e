"""Trust: who may grade alone follows from both ends of what is believed of a grader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.decisions.trust import needed
from peerage.gradebook.book import TA


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    """A class with a very good student and one who makes no effort, both known as such."""
    fixed = pg.Fixed(reliability={"student01": 4.0, "student02": 2.0}, effort={"student01": 0.9, "student02": 0.05})
    book, _ = pg.simulate(10, 2, seed=6, tas=1, components=2)
    return pg.fit(book, pg.Model(fixed=fixed, priors="paper"), chains=2, draws=100, seed=0)


def test_estimates_are_quantiles_of_effort_times_reliability(posterior: pg.Posterior) -> None:
    draws = posterior.draws["reliability"] * posterior.draws["effort"]
    table = pg.trust(posterior, pessimistic=0.2, optimistic=0.7)
    assert list(table.columns) == ["grader", "role", "n_graded", "pessimistic", "optimistic", "standing"]
    assert tuple(table["grader"]) == posterior.book.graders
    np.testing.assert_allclose(table["pessimistic"], np.quantile(draws, 0.2, axis=(0, 1)))
    np.testing.assert_allclose(table["optimistic"], np.quantile(draws, 0.7, axis=(0, 1)))
    usual = pg.trust(posterior)
    np.testing.assert_allclose(usual["pessimistic"], posterior.graders()["dependability_lower"])


def test_the_good_may_grade_alone_and_the_poor_should_practise(posterior: pg.Posterior) -> None:
    standing = pg.trust(posterior).set_index("grader")["standing"]
    assert standing["student01"] == "unsupervised"
    assert standing["student02"] == "practice"
    assert standing["ta1"] == "staff"
    assert set(standing[2:10]) <= {"supervised", "practice", "unsupervised"}


def test_as_many_graders_alike_as_a_submission_has_make_the_error(posterior: pg.Posterior) -> None:
    """Four graders of dependability 1 have a standard error of a half."""
    assert needed(posterior.book, 0.5) == 1
    assert needed(posterior.book, 1.0) == 0.25
    staff = replace(posterior.book, roles=np.full(posterior.book.n_graders, TA))
    assert needed(staff, 0.5) == 4


def test_stricter_errors_trust_fewer_and_send_more_to_practise(posterior: pg.Posterior) -> None:
    def count(name: str, **errors: float) -> int:
        return int((pg.trust(posterior, **errors)["standing"] == name).sum())

    trusted = [count("unsupervised", good_error=error, poor_error=9.0) for error in (0.1, 0.5, 1.0, 9.0)]
    practising = [count("practice", good_error=0.1, poor_error=error) for error in (0.1, 0.5, 1.0, 9.0)]
    assert trusted == sorted(trusted)
    assert practising == sorted(practising, reverse=True)
    assert (trusted[0], trusted[-1], practising[0]) == (0, 10, 10)


@pytest.mark.parametrize(
    "settings",
    [
        {"pessimistic": -0.1},
        {"optimistic": 1.1},
        {"pessimistic": 0.9, "optimistic": 0.1},
        {"good_error": 0.0},
        {"good_error": 2.0, "poor_error": 1.0},
        {"poor_error": float("nan")},
    ],
)
def test_settings_must_make_sense(posterior: pg.Posterior, settings: dict[str, float]) -> None:
    with pytest.raises(pg.ModelError):
        pg.trust(posterior, **settings)
