"""Tier 2: Geweke's joint-distribution test (2004) of all sixteen models.

If reports are redrawn from the current state before every sweep, the chain settles in the joint prior of
parameters and reports. So averages along the chain must agree with averages over independent draws from the prior.
Functions are bounded (prior-CDF transforms and their products with the reports), standard errors are from batch means.

False alarms: all functions of all models together are held to 1e-3, by Bonferroni. Power: planted bugs fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, gammainc, ndtr

from peerage.model import Model
from support.classes.arena import Arena, Floats
from support.classes.tiny import MODELS, model_id
from support.faults.planted import PLANTED, broken
from support.references import twin

SWEEPS, BATCHES = 6000, 40
FEW = 1600
"""Sweeps that catch all planted bugs but the weakest with p-values below 1e-20."""

FUNCTIONS = 14
FALSE_ALARM = 1e-3 / (FUNCTIONS * len(MODELS))


def functions(arena: Arena, states: Sequence[twin.State], reports: Sequence[Floats]) -> Floats:
    """(states, functions): bounded functions of parameters, efforts and reports, averaged over all entries."""
    book, priors = arena.book, arena.model.hyperparameters
    s, p, b, e, z = (
        np.array([getattr(state, name) for state in states])
        for name in ("true_grade", "reliability", "bias", "effort", "effortful")
    )
    grade, reliability = ndtr((s - 4.0) / 0.8), gammainc(2, 2 * p)
    bias, effort = ndtr(b / (priors.sigma_b or 1.0)), betainc(priors.alpha_e, priors.beta_e, e)
    report, z = ndtr((np.array(reports) - 4.0) / 1.5), z[:, :, None]
    of_grader, of_submission = book.review_grader, book.review_submission
    error = np.abs(report - grade[:, of_submission])
    values = (
        grade,
        grade**2,
        reliability,
        reliability**2,
        bias,
        bias**2,
        effort,
        effort**2,
        z,
        report * grade[:, of_submission],
        report * bias[:, of_grader, None],
        error * reliability[:, of_grader, None],
        z * error,
        z * effort[:, of_grader, None],
    )
    return np.stack([value.reshape(len(states), -1).mean(axis=1) for value in values], axis=1)


def smallest_p_value(model: Model, seed: int, sweep: Any = None, sweeps: int = SWEEPS) -> float:
    """Of tests that each function has the same mean along the chain and over half as many independent draws."""
    arena, rng, independent = Arena(model, sweep), np.random.default_rng(seed), sweeps // 2
    truths = [twin.draw_prior(arena.book, model, rng) for _ in range(independent)]
    prior = functions(arena, truths, [twin.draw_reports(arena.book, model, truth, rng) for truth in truths])
    arena.put(twin.draw_reports(arena.book, model, twin.draw_prior(arena.book, model, rng), rng))
    state = arena.start(rng)
    arena.centre(state)
    states, redrawn = [], []
    for _ in range(sweeps):
        states.append(arena.twin_state(state))
        redrawn.append(twin.draw_reports(arena.book, model, states[-1], rng))
        arena.put(redrawn[-1])
        arena.redraw_latent(state, rng)
        arena.run(rng, state, 1, keep=False)
    batches = functions(arena, states, redrawn).reshape(BATCHES, -1, FUNCTIONS).mean(axis=1)
    gap = batches.mean(axis=0) - prior.mean(axis=0)
    variance = batches.var(axis=0, ddof=1) / BATCHES + prior.var(axis=0, ddof=1) / independent
    constant = variance < 1e-20
    t = np.where(constant, 0.0, gap / np.sqrt(np.where(constant, 1.0, variance)))
    assert np.abs(gap[constant]).max(initial=0) < 1e-9
    return float(2 * stats.t.sf(np.abs(t), BATCHES - 1).min())


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=model_id)
def test_redrawing_the_reports_gives_back_the_prior(model: Model) -> None:
    assert smallest_p_value(model, seed=1) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_caught(bug: str) -> None:
    sweeps = SWEEPS if bug == "efforts ignored by the bias" else FEW
    assert smallest_p_value(PLANTED[bug].model, seed=1, sweep=broken(bug), sweeps=sweeps) < FALSE_ALARM
