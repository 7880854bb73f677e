"""Tier 2: Geweke's joint-distribution test (2004) of all sixteen models.

If reports are redrawn from the current state before every sweep, the chain settles in the joint prior of
parameters and reports. So averages along the chain must agree with averages over independent draws from the prior.
Functions are bounded (prior-CDF transforms and their products with the reports), standard errors are from batch means.

False alarms: all functions of all models together are held to 1e-3, by Bonferroni. Power: planted bugs fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, gammainc, ndtr

from peerage.model import Model
from support import twin
from support.arena import Arena, Floats
from support.planted import PLANTED, broken
from support.tiny import MODELS, model_id

SWEEPS, BATCHES, INDEPENDENT = 6000, 40, 3000
FUNCTIONS = 14
FALSE_ALARM = 1e-3 / (FUNCTIONS * len(MODELS))


def functions(arena: Arena, state: twin.State, reports: Floats) -> list[float]:
    """Bounded functions of parameters, efforts and reports."""
    book, priors = arena.book, arena.model.hyperparameters
    grade = ndtr((state.true_grade - 4.0) / 0.8)
    reliability = gammainc(2, 2 * state.reliability)
    bias = ndtr(state.bias / (priors.sigma_b or 1.0))
    effort = betainc(priors.alpha_e, priors.beta_e, state.effort)
    report = ndtr((reports - 4.0) / 1.5)
    of_grader, of_submission = book.review_grader, book.review_submission
    error = np.abs(report - grade[of_submission])
    z = state.effortful[:, None]
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
        report * grade[of_submission],
        report * bias[of_grader, None],
        error * reliability[of_grader, None],
        z * error,
        z * effort[of_grader, None],
    )
    return [float(np.mean(value)) for value in values]


def smallest_p_value(model: Model, seed: int, sweep: Any = None) -> float:
    """Of tests that each function has the same mean along the chain and over independent draws."""
    arena, rng = Arena(model, sweep), np.random.default_rng(seed)
    independent = []
    for _ in range(INDEPENDENT):
        truth = twin.draw_prior(arena.book, model, rng)
        independent.append(functions(arena, truth, twin.draw_reports(arena.book, model, truth, rng)))
    arena.put(twin.draw_reports(arena.book, model, twin.draw_prior(arena.book, model, rng), rng))
    state = arena.start(rng)
    arena.centre(state)
    chain = []
    for _ in range(SWEEPS):
        current = arena.twin_state(state)
        reports = twin.draw_reports(arena.book, model, current, rng)
        chain.append(functions(arena, current, reports))
        arena.put(reports)
        arena.run(rng, state, 1, keep=False)
    batches = np.array(chain).reshape(BATCHES, -1, FUNCTIONS).mean(axis=1)
    prior = np.array(independent)
    gap = batches.mean(axis=0) - prior.mean(axis=0)
    variance = batches.var(axis=0, ddof=1) / BATCHES + prior.var(axis=0, ddof=1) / INDEPENDENT
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
    assert smallest_p_value(PLANTED[bug].model, seed=1, sweep=broken(bug).sweep) < FALSE_ALARM
