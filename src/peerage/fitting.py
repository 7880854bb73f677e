"""fit(): from a class's gradebook to its posterior."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import Any

import numpy as np

from peerage.errors import InputError, ModelError
from peerage.gradebook import Gradebook
from peerage.inference.draws import Draws
from peerage.inference.keeping import MEMORY, every_few
from peerage.inference.layout import Layout, lay_out
from peerage.inference.loo import leave_one_out
from peerage.inference.modes import restarted, worse_chains
from peerage.inference.posterior import Posterior
from peerage.inference.progress import sweeps_progress
from peerage.inference.sampler import Samples, at_least, must_compile, sample
from peerage.model import Model

AUTO = "auto"
"""The name of the model that is chosen for the class."""

PILOT = 50
"""Sweeps at the end of burn-in by which chains are compared, if priors are learned."""

DEFAULT_BURN_IN = 200
"""Sweeps that each chain discards unless told otherwise; chains forget their start within some tens of sweeps."""


def fit(
    book: Gradebook,
    model: Model | str | None = None,
    *,
    chains: int = 4,
    draws: int = 1000,
    burn_in: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    memory: float = MEMORY,
    progress: bool = False,
) -> Posterior:
    """Infer true grades and graders' reliability, bias and effort.

    The same seed gives the same draws on one machine, whatever the number of workers; without one, a seed is drawn and
    recorded in ``Posterior.seed``. Where all draws, and what is made of them, would take more than ``memory``
    gigabytes, only every few draws are kept, beside running summaries of all (:mod:`peerage.inference.running`).

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> posterior = pg.fit(book, chains=2, draws=50, seed=0)
    >>> list(posterior.submissions().columns[:4])
    ['submission', 'component', 'most_likely', 'expected']
    """
    if not isinstance(book, Gradebook):
        raise InputError("fit takes a Gradebook; make one of a file with read_grades")
    burn_in = DEFAULT_BURN_IN if burn_in is None else burn_in
    chains, draws, burn_in = at_least(1, chains=chains), at_least(1, draws=draws), at_least(0, burn_in=burn_in)
    workers = None if workers is None else at_least(1, workers=workers)
    seed = secrets.randbits(32) if seed is None else at_least(0, seed=seed)
    if isinstance(model, str):
        if model != AUTO:
            raise ModelError(f"there is no model {model!r}; give a Model, 'auto', or leave it out")
        return fit_chosen(
            book,
            Model(),
            chains=chains,
            draws=draws,
            burn_in=burn_in,
            seed=seed,
            workers=workers,
            memory=memory,
            progress=progress,
        )
    model = Model() if model is None else model
    begun = time.perf_counter()
    layout = lay_out(book, model)
    every = every_few(layout, chains, draws, memory)
    with sweeps_progress(chains * (burn_in + draws), shown=progress, compiling=must_compile(layout)) as report:
        settings: dict[str, Any] = {"chains": chains, "seed": seed, "workers": workers, "report": report}
        if model.learned and model.effort and chains > 1 and burn_in >= 2 * PILOT:
            samples, restarts = _in_best_mode(layout, draws, burn_in, every, settings)
        else:
            samples, restarts = sample(layout, draws=draws, burn_in=burn_in, every=every, **settings), ()
    timings = {"sampling": samples.seconds, "total": time.perf_counter() - begun}
    return Posterior(book, model, seed, burn_in, samples, timings, restarts)


def fit_chosen(book: Gradebook, base: Model, *, draws: int, **settings: Any) -> Posterior:
    """Compare models with a quarter of the draws, and fit the one that is chosen; ``base`` has what is fixed."""
    from peerage.selection import choose

    model, choice = choose(book, base, lambda model: fit(book, model, draws=max(draws // 4, 100), **settings))
    return replace(fit(book, model, draws=draws, **settings), choice=choice)


def _in_best_mode(
    layout: Layout, draws: int, burn_in: int, every: int, settings: dict[str, Any]
) -> tuple[Samples, tuple[int, ...]]:
    """Sample after chains that have settled in a mode that predicts worse have started again from the best."""
    pilot = sample(layout, draws=PILOT, burn_in=burn_in - PILOT, **settings)
    seed = settings["seed"]
    found = leave_one_out(layout, pilot, Draws(layout, pilot, seed), seed, workers=settings["workers"] or 1)
    owner = np.asarray(layout.book.review_submission)
    best, again = worse_chains(found.by_chain, owner)
    # Copies of a chain have to part again before their draws are kept.
    more = burn_in if again else 0
    states = restarted(pilot.states, best, again)
    samples = sample(layout, draws=draws, burn_in=more, states=states, every=every, **settings)
    return replace(samples, seconds=samples.seconds + pilot.seconds), again
