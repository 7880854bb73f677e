"""How draws are kept: in a byte each where their grids allow it, whatever kernels write them as."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

import peerage as pg
from peerage.inference.latent import latent_sweep
from support.classes.tiny import tiny_class

NARROW = pg.Model(priors="paper")
WIDE = NARROW.with_priors(sigma_s=4.0, sigma_b=4.0)
"""A model whose grids have more cells than a byte can count."""


def fitted(model: pg.Model) -> pg.Posterior:
    return pg.fit(tiny_class(1), model, chains=2, draws=20, burn_in=5, seed=0)


def test_grids_of_any_size_are_sampled_by_the_same_code() -> None:
    sweep: Any = latent_sweep.sweep
    narrow = fitted(NARROW)
    compiled = len(sweep.entry.signatures)
    wide = fitted(WIDE)
    assert len(sweep.entry.signatures) == compiled
    assert len(narrow.layout.grids.true_grade) < 256 < len(wide.layout.grids.true_grade)
    kept = [posterior.samples.draws["true_grade"].dtype for posterior in (narrow, wide)]
    assert kept == [np.uint8, np.uint16]


def test_draws_on_fine_grids_survive_their_file(tmp_path: Path) -> None:
    posterior = fitted(WIDE)
    assert posterior.samples.draws["true_grade"].max() > 255
    posterior.save(tmp_path / "class.npz")
    loaded = pg.load(tmp_path / "class.npz")
    for name, drawn in posterior.samples.draws.items():
        assert_array_equal(loaded.samples.draws[name], drawn)
