"""fit(): from a class's gradebook to its posterior."""

from __future__ import annotations

import secrets
import time

from peerage.errors import InputError, ModelError
from peerage.gradebook import Gradebook
from peerage.inference.layout import lay_out
from peerage.inference.posterior import Posterior
from peerage.inference.progress import sweeps_progress
from peerage.inference.sampler import at_least, must_compile, sample
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
    if not isinstance(book, Gradebook):
        raise InputError("fit takes a Gradebook; make one of a file with read_grades")
    if isinstance(model, str):
        raise ModelError(f"models cannot be chosen by name yet, not even {model!r}; give a Model or leave it out")
    model = Model() if model is None else model
    burn_in = DEFAULT_BURN_IN if burn_in is None else burn_in
    chains, draws, burn_in = at_least(1, chains=chains), at_least(1, draws=draws), at_least(0, burn_in=burn_in)
    workers = None if workers is None else at_least(1, workers=workers)
    seed = secrets.randbits(32) if seed is None else at_least(0, seed=seed)
    begun = time.perf_counter()
    layout = lay_out(book, model)
    with sweeps_progress(chains * (burn_in + draws), shown=progress, compiling=must_compile(layout)) as report:
        samples = sample(layout, chains=chains, draws=draws, burn_in=burn_in, seed=seed, workers=workers, report=report)
    timings = {"sampling": samples.seconds, "total": time.perf_counter() - begun}
    return Posterior(book, model, seed, burn_in, samples, timings)
