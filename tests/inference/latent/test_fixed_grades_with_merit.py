"""Updates of true grades where one is fixed to a bin: their hyperparameters and merits, beside the usual updates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import peerage as pg
from peerage.inference.latent import latent_engine, latent_sweep
from peerage.inference.latent.given_reports.grade_updates import turn_noises
from peerage.inference.latent.grader_by_grader.review_predictions import hold_fixed, load_cells
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.layout import lay_out
from peerage.inference.numerics.hyperparameters import MERIT, N_CLASSWIDE
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from peerage.inference.sampling.chains import with_own_beliefs
from support.faults.planted_copies import Replacement, broken_module

SUBMISSIONS, COMPONENTS, SETTLING, SWEEPS = 3, 6, 2_000, 58_000
"""Few submissions of many components: of these, merits tell most."""

FALSE_ALARM = 1e-3

Floats = NDArray[np.float64]


def drawn(fixed: bool, sampler: Any = latent_sweep) -> Floats:
    """(draws, quantities) merit's share, the components' means and spreads, and merits, all else being held.

    A grade that is fixed is so to a bin that leaves it free: nothing may change by that.
    """
    rng, names = np.random.default_rng(0), [f"part {index}" for index in range(COMPONENTS)]
    rows: list[dict[str, Any]] = []
    for submission, merit in enumerate(np.linspace(-1.5, 1.5, SUBMISSIONS)):
        grades = 2.5 + 0.9 * (0.8 * merit + 0.6 * rng.standard_normal(COMPONENTS))
        for grader in range(3):
            reports = np.clip(np.round(grades + 0.5 * rng.standard_normal(COMPONENTS)), 0, 5)
            rows.append(
                {"submission": f"u{submission}", "grader": f"g{grader}"} | dict(zip(names, reports, strict=True))
            )
    book = pg.read_grades(pd.DataFrame(rows), rubric=pg.Rubric.uniform(names, range(6)))
    layout = lay_out(book, pg.Model(effort=False, scale=False, heaping=False, halo=False))
    given, flags = with_own_beliefs(latent_engine.prepare(layout)), np.zeros(layout.n_cells, bool)
    flags[0] = fixed
    clamps = given.clamps._replace(any_grade=fixed, grade=flags, grade_low=flags - 1e3, grade_high=flags + 1e3)
    given = given._replace(clamps=clamps)
    state, work = latent_engine.initial_state(layout, given, rng), latent_engine.new_work(layout)
    state.reliability[:], state.bias[:], state.effortful[:] = 1.0, 0.0, True
    refresh(given, state.hyper)
    places = [MERIT, *range(N_CLASSWIDE, N_CLASSWIDE + 2 * COMPONENTS)]
    found = np.empty((SWEEPS, len(places) + SUBMISSIONS))
    for sweep in range(-SETTLING, SWEEPS):
        load_cells(given.places, given.beliefs, state, work.cells)
        turn_noises(rng, state.true_grade, work.cells)
        if fixed:
            hold_fixed(flags, state.true_grade, work.cells)
        sampler._update_grades(rng, sweep < 0, given, state, work)
        if sweep >= 0:
            found[sweep] = np.concatenate([state.hyper[places], state.merit])
    return found


def largest_gap(one: Floats, other: Floats) -> float:
    """By how much means and variances differ, in units of the limit that chance keeps to."""
    centre, gaps = one.mean(axis=0), []
    for left, right in ((one, other), ((one - centre) ** 2, (other - centre) ** 2)):
        errors = [values.std(axis=0) / np.sqrt(rhat_and_ess(values[None]).ess_bulk) for values in (left, right)]
        gaps.append(np.abs(left.mean(axis=0) - right.mean(axis=0)) / np.hypot(*errors))
    return float(np.max(gaps) / stats.norm.isf(FALSE_ALARM / 2 / np.size(gaps)))


@pytest.mark.slow
def test_a_grade_that_is_fixed_to_all_grades_changes_nothing() -> None:
    """Nor do merits that true grades are drawn given, unless they are those from before their share moved."""
    usual = drawn(fixed=False)
    assert largest_gap(usual, drawn(fixed=True)) < 1
    stale = Replacement(latent_sweep, "draw_merits_of_reported(rng, places, beliefs, state, work.cells)", "pass")
    assert largest_gap(usual, drawn(fixed=True, sampler=broken_module(stale))) > 1
