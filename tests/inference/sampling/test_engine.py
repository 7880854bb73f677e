"""Every sampler keeps the contract by which chains and leave-one-out use it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import peerage as pg
from peerage.inference.censored import censored_arrays, censored_engine
from peerage.inference.latent import latent_arrays, latent_engine
from peerage.inference.layout import lay_out
from peerage.inference.numerics.arrays import DrawRows, Sums
from peerage.inference.sampling.chains import VARIABLES, with_own_beliefs
from peerage.inference.sampling.engine import AnyEngine, Engine
from peerage.inference.uncensored import uncensored_arrays, uncensored_engine
from support.classes.tiny import tiny_class

# That these are accepted is checked with the types.
CENSORED: Engine[censored_arrays.Given, censored_arrays.State, DrawRows, censored_arrays.Work] = censored_engine
UNCENSORED: Engine[uncensored_arrays.Given, uncensored_arrays.State, DrawRows, uncensored_arrays.Work] = (
    uncensored_engine
)
LATENT: Engine[latent_arrays.Given, latent_arrays.State, DrawRows, latent_arrays.Work] = latent_engine


@pytest.mark.parametrize(
    ("engine", "model"),
    [
        (CENSORED, pg.Model(correlation=True)),
        (LATENT, pg.Model()),
        (LATENT, pg.Model(priors="paper")),
        (UNCENSORED, pg.Model(censoring=False)),
    ],
)
def test_a_sampler_keeps_the_contract(engine: AnyEngine, model: pg.Model) -> None:
    layout = lay_out(tiny_class(1), model)
    given = engine.prepare(layout)
    own = with_own_beliefs(given)
    rng = np.random.default_rng(0)
    state, rows, work = engine.initial_state(layout, own, rng), engine.new_draws(layout, 3), engine.new_work(layout)
    assert {*VARIABLES, "effortful", "hyper"} <= set(state._fields)
    n_reviews = layout.book.n_reviews
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(n_reviews), np.zeros(n_reviews))
    before = [np.array(entry) for entry in given.beliefs]
    engine.sweep(rng, 3, 0, True, True, True, own, state, sums, rows, work)
    assert_array_equal(np.array(state.effort, np.float32), rows.effort[-1])
    assert sums.level_mass.sum() == pytest.approx(3 * layout.n_cells)
    for was, entry in zip(before, given.beliefs, strict=True):
        assert_array_equal(was, entry, "only the chain's own beliefs change")
