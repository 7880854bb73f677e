"""Averages over few draws: they stay near the earlier ones where nothing changed, and follow where something did."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import peerage as pg
from peerage.gradebook.merging import merged
from peerage.inference.layout import lay_out
from peerage.inference.new_grades.carrying_over import carried_over
from peerage.inference.new_grades.updating import BURN_IN
from peerage.inference.sampling.chains import sample
from peerage.inference.sampling.steadied_averages import weight

MODEL = pg.Model(priors="paper")


def parts(rng: np.random.Generator, before: np.ndarray, change: float) -> np.ndarray:
    """Six averages with errors of a standard deviation of 0.1, around what was before and has changed."""
    return before + change + 0.1 * rng.standard_normal((6, *before.shape))


def test_averages_stay_where_nothing_changed_and_follow_where_much_did() -> None:
    rng = np.random.default_rng(0)
    before = rng.random((500, 4))
    assert weight(before, parts(rng, before, 0.0)) == 0
    # The standard error of the mean of six parts is 0.041, and 1 − 4·0.041²/0.25² is 0.89.
    assert weight(before, parts(rng, before, 0.25)) == pytest.approx(1 - 4 * 0.01 / 6 / (0.25**2 + 0.01 / 6), abs=0.01)
    assert weight(before, parts(rng, before, 10.0)) > 0.999
    assert weight(before, before[None] + 1) == 1


def test_steadied_averages_are_nearer_to_the_truth_when_nothing_changed() -> None:
    """All entries err together, as they do where the class's level is uncertain: the hardest case. Over 400 updates
    the mean squared error falls to about a tenth; half of it is not reached by chance."""
    rng = np.random.default_rng(1)
    plain, steady = [], []
    for _ in range(400):
        noise = np.repeat(0.1 * rng.standard_normal((6, 1)), 20, axis=1)
        now = noise.mean(axis=0)
        plain.append((now**2).mean())
        steady.append(((weight(np.zeros(20), noise) * now) ** 2).mean())
    assert np.mean(steady) < 0.5 * np.mean(plain)


def new_review(posterior: pg.Posterior, submission: str, role: str = "ta") -> pg.Gradebook:
    book = posterior.book
    row = {"submission": submission, "grader": "kim", "role": role} | dict.fromkeys(book.rubric.names, 1)
    return pg.read_grades(pd.DataFrame([row]), rubric=book.rubric)


def test_what_new_grades_touch_is_averaged_over_new_draws_alone() -> None:
    book, _ = pg.simulate(students=10, weeks=1, components=2, seed=0)
    posterior = pg.fit(book, MODEL, chains=1, draws=300, burn_in=50, seed=0)
    new = new_review(posterior, book.submissions[0])
    after = posterior.update(new, draws=60)
    layout = lay_out(merged(book, new), MODEL)
    settings = {"chains": 1, "draws": 60, "burn_in": BURN_IN, "seed": 0}
    plain = sample(layout, **settings, states=carried_over(posterior, layout))  # type: ignore[arg-type]
    assert_array_equal(after.samples.draws["true_grade"], plain.draws["true_grade"])
    touched = layout.cell_submission == 0
    assert_allclose(after.samples.level_mass[touched], plain.level_mass[touched], rtol=1e-12)
    away = np.abs(after.samples.level_mass - plain.level_mass)[~touched].sum()
    assert away > 0
    between = np.abs(after.samples.level_mass - posterior.samples.level_mass)[~touched].sum()
    assert between + away == pytest.approx(
        np.abs(posterior.samples.level_mass - plain.level_mass)[~touched].sum(), rel=1e-9
    )


def test_masses_still_add_up_to_one() -> None:
    book, _ = pg.simulate(students=10, weeks=1, components=2, seed=0)
    posterior = pg.fit(book, MODEL, chains=2, draws=50, burn_in=50, seed=0)
    after = posterior.update(new_review(posterior, book.submissions[3]))
    assert_allclose(after.samples.level_mass.sum(axis=1), 1, rtol=1e-6)
