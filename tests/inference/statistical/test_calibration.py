"""Tier 3: simulation-based calibration (Talts et al. 2018) of all sixteen models.

A truth is drawn from the prior, reports from the truth, and the truth's rank among posterior draws must be uniform, for
single entries, for averages over all entries, for the number of effortful reviews and for the log-likelihood (without
which a sampler that ignores the data would pass).

The truth is continuous while the sampler works on grids: that the grids are fine enough is tested along with the rest.
False alarms: all tests of all models together are held to 1e-3, by Bonferroni. Power: samplers with planted bugs fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from peerage.model import Model
from support.classes.arena import Arena, Floats
from support.classes.tiny import MODELS, model_id
from support.faults.planted import PLANTED, broken, without_bug
from support.references import twin
from support.references.ranks import Ranks, rank_of, smallest_p_value

REPLICATES, BURN_IN, DRAWS = 220, 50, 20
"""A single test finds a shift by 0.35 posterior standard deviations in 58 % of runs, and truths that are 1.35 times as
far off as the draws say in 65 %. After 50 sweeps, less than 1e-4 is left of where a chain began.
"""

FEW, MANY = 25, 420
"""Replicates that catch a bug in more than 99 % of runs, and those with which the weakest is caught in 96 %."""

THIN, THIN_UNCENSORED_BIAS = 4, 10
"""Sweeps from one draw to the next, so that draws are nearly independent: correlations are below 0.15.

Biases and true grades of the uncensored model are drawn given each other, and take longest to forget.
"""

QUANTITIES = 10
FALSE_ALARM = 1e-3 / (2 * QUANTITIES * len(MODELS))


def quantities(arena: Arena, s: Floats, p: Floats, b: Floats, e: Floats, effortful: Floats) -> Iterator[Floats]:
    """What is ranked, for each draw (row); constants where the model has nothing to infer."""
    free = {name: arena.free(name) for name in ("reliability", "bias", "effort")}
    yield s[:, 0]
    yield s.mean(axis=1)
    for name, values in (("reliability", np.log(p)), ("bias", b), ("effort", e)):
        mine = values[:, free[name]] if len(free[name]) else np.zeros((len(s), 1))
        yield mine[:, 0]
        yield mine.mean(axis=1)
    yield effortful
    yield arena.log_likelihood(s, p, b, e)


def ranks(model: Model, seed: int, sweep: Any = None, replicates: int = REPLICATES) -> Ranks:
    """(replicates, quantities): the truth's rank among the draws."""
    arena, thin = Arena(model, sweep), THIN_UNCENSORED_BIAS if model.bias and not model.censoring else THIN
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(replicates):
        truth = twin.draw_prior(arena.book, model, rng)
        arena.put(twin.draw_reports(arena.book, model, truth, rng))
        state = arena.start(rng)
        arena.run(rng, state, BURN_IN, keep=False)
        draws = arena.run(rng, state, DRAWS * thin, keep=True)
        kept = {name: getattr(draws, name)[thin - 1 :: thin] for name in draws._fields}
        drawn = [arena.values(name, kept[name], rng) for name in ("true_grade", "reliability", "bias", "effort")]
        true = [truth.true_grade.reshape(1, -1), truth.reliability[None], truth.bias[None], truth.effort[None]]
        drawn.append(kept["effortful_count"].astype(float))
        true.append(np.array([float(truth.effortful.sum())]))
        pairs = zip(quantities(arena, *drawn), quantities(arena, *true), strict=True)
        found.append([rank_of(values, right[0], rng) for values, right in pairs])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=model_id)
def test_the_truths_rank_is_uniform(model: Model) -> None:
    assert smallest_p_value(ranks(model, seed=1), DRAWS) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_caught(bug: str) -> None:
    """The weakest takes twice as many replicates as the models are tested with, lest it slip through by chance."""
    replicates = MANY if bug == "efforts ignored by the bias" else FEW
    found = ranks(PLANTED[bug].model, seed=1, sweep=broken(bug), replicates=replicates)
    assert smallest_p_value(found, DRAWS) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug", ["a wrong sign", "low effort on the wrong side of the odds", "half a shape for each report"]
)
def test_without_its_bug_a_broken_sampler_draws_what_the_right_one_does(bug: str) -> None:
    """One bug of each sampler: what is caught is the bug, not the copy that it is planted in."""
    model = PLANTED[bug].model
    right, wrong, mended = (
        ranks(model, seed=1, sweep=sweep, replicates=2) for sweep in (None, broken(bug), without_bug(bug))
    )
    np.testing.assert_array_equal(mended, right)
    assert (wrong != right).any()


def test_a_sampler_that_ignores_the_data_is_caught() -> None:
    """It returns draws from the prior: every parameter's rank is uniform, the log-likelihood's is not."""
    model = Model(censoring=False, priors="paper")
    arena, rng = Arena(model), np.random.default_rng(2)
    found = []
    for _ in range(REPLICATES):
        truth = twin.draw_prior(arena.book, model, rng)
        arena.put(twin.draw_reports(arena.book, model, truth, rng))
        states = [truth, *(twin.draw_prior(arena.book, model, rng) for _ in range(9))]
        s, p, b, e = (
            np.array([np.ravel(getattr(state, name)) for state in states])
            for name in ("true_grade", "reliability", "bias", "effort")
        )
        log_likelihood = arena.log_likelihood(s, p, b, e)
        found.append([rank_of(log_likelihood[1:], log_likelihood[0], rng)])
    assert smallest_p_value(np.array(found), len(states) - 1) < FALSE_ALARM
