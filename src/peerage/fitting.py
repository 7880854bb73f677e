"""fit(): from a class's gradebook to its posterior."""

from __future__ import annotations

import secrets
import time

from peerage.errors import ModelError
from peerage.gradebook import Gradebook
from peerage.inference.layout import lay_out
from peerage.inference.posterior import Posterior
from peerage.inference.progress import sweeps_progress
from peerage.inference.sampler import must_compile, sample
from peerage.model import Model

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
    progress: bool = False,
) -> Posterior:
    """Infer true grades and graders' reliability, bias and effort.

    The same seed gives the same draws on one machine, whatever the number of workers; without one, a seed is drawn and
    recorded in ``Posterior.seed``.

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> posterior = pg.fit(book, chains=2, draws=50, seed=0)
    >>> list(posterior.submissions().columns[:4])
    ['submission', 'component', 'most_likely', 'expected']
    """
    if isinstance(model, str):
        raise ModelError(f"models cannot be chosen by name yet, not even {model!r}; give a Model or leave it out")
    model = Model() if model is None else model
    burn_in = DEFAULT_BURN_IN if burn_in is None else burn_in
    for name, value, least in (("chains", chains, 1), ("draws", draws, 1), ("burn_in", burn_in, 0)):
        if value < least:
            raise ModelError(f"{name} must be at least {least}, not {value}")
    if workers is not None and workers < 1:
        raise ModelError(f"workers must be at least 1, not {workers}")
    seed = secrets.randbits(32) if seed is None else seed
    if seed < 0:
        raise ModelError(f"a seed cannot be negative: {seed}")
    begun = time.perf_counter()
    layout = lay_out(book, model)
    with sweeps_progress(chains * (burn_in + draws), shown=progress, compiling=must_compile(layout)) as report:
        samples = sample(layout, chains=chains, draws=draws, burn_in=burn_in, seed=seed, workers=workers, report=report)
    timings = {"sampling": samples.seconds, "total": time.perf_counter() - begun}
    return Posterior(book, model, seed, burn_in, samples, timings)
