"""The plain twin of a sweep draws from the conditional distributions that the twin finds by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from peerage.inference.layout import lay_out
from peerage.model import Model
from support.classes.tiny import PRIORS, tiny_class
from support.references import twin, twin_sweep

MODEL = Model(priors=PRIORS)
POINTS = {
    "true_grade": np.linspace(-1.0, 7.0, 17),
    "reliability": np.geomspace(0.05, 10.0, 13),
    "bias": np.linspace(-2.0, 2.0, 9),
}


@pytest.mark.parametrize("variable", POINTS)
def test_densities_are_those_of_the_twin(variable: str) -> None:
    book, points = tiny_class(1), POINTS[variable]
    state = twin.draw_prior(book, MODEL, np.random.default_rng(2))
    found = twin_sweep.log_conditional(book, MODEL, state, variable, points)
    places = list(np.ndindex(book.applicable.shape)) if variable == "true_grade" else list(np.ndindex(book.n_graders))
    known = book.applicable.ravel() if variable == "true_grade" else np.isnan(twin.known(book, MODEL, variable))
    assert len(found) == len(places)
    for row, place in zip(found[known], np.array(places)[known], strict=True):
        index = tuple(place.tolist()) if len(place) > 1 else int(place[0])
        expected = twin.log_conditional(book, MODEL, state, variable, index, points)
        np.testing.assert_allclose(row - row.max(), expected, atol=1e-9)


def test_efforts_have_the_probabilities_of_the_twin() -> None:
    book = tiny_class(1)
    state = twin.draw_prior(book, MODEL, np.random.default_rng(2))
    found = twin_sweep.effortful_probability(book, MODEL, state)
    for review in range(book.n_reviews):
        low, high = np.exp(twin.log_conditional(book, MODEL, state, "effortful", review, [0, 1]))
        assert found[review] == pytest.approx(high / (low + high), abs=1e-12)


def test_points_are_drawn_in_proportion_to_their_densities() -> None:
    logs = np.log([0.5, 0.3, 0.2])
    places = twin_sweep.drawn(np.tile(logs, (20_000, 1)), np.random.default_rng(0))
    # A right sampler fails once in a million.
    assert stats.chisquare(np.bincount(places, minlength=3), [10_000, 6_000, 4_000]).pvalue > 1e-6


def test_a_sweep_moves_all_that_is_unknown_and_nothing_else() -> None:
    book, rng = tiny_class(1), np.random.default_rng(3)
    before = twin.draw_prior(book, MODEL, rng)
    after = twin_sweep.sweep(book, MODEL, lay_out(book, MODEL).grids, before, rng)
    assert np.isfinite(twin.log_joint(book, MODEL, after))
    for variable in ("reliability", "bias", "effort"):
        moved = getattr(after, variable) != getattr(before, variable)
        np.testing.assert_array_equal(moved, np.isnan(twin.known(book, MODEL, variable)))
    assert (after.true_grade != before.true_grade)[book.applicable].all()
