"""Burn-in ends when chains have forgotten their start, and not before."""

from __future__ import annotations

import numpy as np
import pytest

import peerage as pg
from peerage.inference import fitting
from peerage.inference.fitting import LEAST_BURN_IN, MORE_ROUNDS, PILOT


def burn_ins(seeds: range) -> list[int]:
    """What fits of one class discarded."""
    book, _ = pg.simulate(students=40, weeks=2, seed=3)
    return [pg.fit(book, draws=5, seed=seed).burn_in for seed in seeds]


@pytest.mark.slow
def test_chains_that_are_looked_at_too_early_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of those that have made the usual sweeps do, and most of those that have just started, which start apart."""
    usual = burn_ins(range(5))
    monkeypatch.setattr(fitting, "LEAST_BURN_IN", 10)
    monkeypatch.setattr(fitting, "PILOT", 10)
    early = burn_ins(range(5))
    assert np.median(usual) == LEAST_BURN_IN
    assert max(usual) <= LEAST_BURN_IN + 2 * PILOT * sum(2 ** np.arange(1, 1 + MORE_ROUNDS))
    assert np.median(early) > 10


def test_a_burn_in_that_is_asked_for_is_kept() -> None:
    book, _ = pg.simulate(students=10, weeks=1, seed=3)
    for burn_in in (0, 7, 120):
        assert pg.fit(book, chains=2, draws=5, burn_in=burn_in, seed=0).burn_in == burn_in
    assert pg.fit(book, chains=1, draws=5, seed=0).burn_in == LEAST_BURN_IN
