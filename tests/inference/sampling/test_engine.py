"""Every sampler keeps the contract by which chains and leave-one-out use it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import peerage as pg
from peerage.inference.layout import lay_out
from peerage.inference.numerics.arrays import Sums
from peerage.inference.sampling.chains import VARIABLES, with_own_beliefs
from peerage.inference.sampling.engine import AnyEngine
from peerage.inference.sampling.samplers import CENSORED, LATENT, UNCENSORED, engine_of
from support.classes.tiny import tiny_class


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
    assert engine_of(layout) is engine
    given = engine.prepare(layout)
    own = with_own_beliefs(given)
    rng = np.random.default_rng(0)
    state, rows, work = engine.initial_state(layout, own, rng), engine.new_draws(layout, 3), engine.new_work(layout)
    assert {*VARIABLES, "effortful", "hyper"} <= set(state._fields)
    assert type(state) is engine.State
    assert (state.true_grade.dtype.kind == "i") == engine.ON_GRID
    n_reviews = layout.book.n_reviews
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(n_reviews), np.zeros(n_reviews))
    before = [np.array(entry) for entry in given.beliefs]
    engine.sweep(rng, 3, 0, True, True, True, own, state, sums, rows, work)
    assert_array_equal(np.array(state.effort, np.float32), rows.effort[-1])
    assert sums.level_mass.sum() == pytest.approx(3 * layout.n_cells)
    for was, entry in zip(before, given.beliefs, strict=True):
        assert_array_equal(was, entry, "only the chain's own beliefs change")
