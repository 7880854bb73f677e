"""fit(): from a class's gradebook to its posterior."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from peerage.errors import InputError, ModelError
from peerage.gradebook.book import Gradebook
from peerage.inference import chain_agreement
from peerage.inference.chain_agreement import (
    AGREED,
    DISAGREED,
    FIRST_DRAWS,
    is_hopeless,
    is_precise,
    largest_r_hat,
    next_simpler,
)
from peerage.inference.checking.leave_one_out import predict_by_chain
from peerage.inference.choose_model import choose
from peerage.inference.fitted import more_draws, timings_with
from peerage.inference.layout import Layout, lay_out
from peerage.inference.posterior import Posterior
from peerage.inference.sampling.chains import ChainState, Samples, must_compile, sample
from peerage.inference.sampling.draws import Draws
from peerage.inference.sampling.end_of_burn_in import settled
from peerage.inference.sampling.kept_draws import MEMORY, every_few
from peerage.inference.sampling.mirror_modes import restarted, worse_chains
from peerage.model import Model
from peerage.support.tasks.executor import open_executor
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Counter, Listener
from peerage.support.tasks.stop_requests import stoppable
from peerage.support.words.whole_numbers import at_least

AUTO = "auto"
"""The name of the model that is chosen for the class."""

PILOT = 50
"""Sweeps at the end of burn-in by which one sees whether chains have settled, and in the same mode."""

LEAST_BURN_IN = 150
"""Sweeps that each chain discards unless told otherwise, if it settles within them."""

MORE_ROUNDS = 2
"""How often chains that have not settled go on, each time for twice as long."""

MOST_OF = 0.6
"""The part of all draws that must be left where chains do not agree and the first ones are taken for burn-in."""

DEFAULT_DRAWS = 1000
"""Draws of each chain unless told otherwise."""

MOST_DRAWS_FOR_TARGET = 20_000
"""Draws of each chain after which no more are made, however few effective ones there are."""


def fit(
    book: Gradebook,
    model: Model | str | None = None,
    *,
    chains: int = 4,
    draws: int | None = None,
    target_ess: int | None = None,
    burn_in: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    memory: float = MEMORY,
    progress: bool | Listener = False,
    stop: threading.Event | None = None,
) -> Posterior:
    """Infer true grades and graders' reliability, bias and effort.

    A table in memory, such as pandas' or Polars', is read as :func:`peerage.read_grades` reads it. Each chain makes
    ``draws`` draws. Unless these are given, there are 1,000 with fixed priors. With learned ones there are 250, and
    more until chains agree and every estimate is known to a tenth of its posterior standard deviation. If chains cannot
    agree, a simpler model is fitted: ``Posterior.asked`` is the model that was asked for then, and
    ``Posterior.warnings`` say so (:mod:`peerage.inference.chain_agreement`).

    With ``target_ess``, chains go on instead until each true grade, reliability, bias, effort and learned prior has as
    many effective draws, for the centre of its distribution and for its tails, or until ``memory`` is used up. Each
    chain discards ``burn_in`` sweeps first, or as many as it takes until chains have settled (``Posterior.burn_in``).

    At most ``workers`` threads work at a time, also on what is made of the posterior later; by default, one per
    processor. The same seed gives the same draws on one machine, whatever their number; without one, a seed is drawn
    and recorded in ``Posterior.seed``. Where all draws, and what is made of them, would take more than ``memory``
    gigabytes, only every few are kept, beside running summaries (:mod:`peerage.inference.sampling.running_summaries`).

    ``progress=True`` draws a bar on standard error. A function instead is called with a :class:`peerage.Progress`
    several times a second, in the thread that called ``fit``. Setting ``stop`` ends it with :class:`peerage.Stopped`.

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> list(pg.fit(book, chains=2, draws=50, seed=0).submissions().columns[:4])
    ['submission', 'component', 'most_likely', 'expected']
    """
    if not isinstance(book, Gradebook):
        raise InputError("fit takes a Gradebook or a table; make one with read_grades")
    target_ess = None if target_ess is None else at_least(1, target_ess=target_ess)
    burn_in = None if burn_in is None else at_least(0, burn_in=burn_in)
    chains, draws = at_least(1, chains=chains), None if draws is None else at_least(1, draws=draws)
    workers = None if workers is None else at_least(1, workers=workers)
    seed = secrets.randbits(32) if seed is None else at_least(0, seed=seed)
    settings: dict[str, Any] = {"chains": chains, "burn_in": burn_in, "seed": seed, "workers": workers}
    settings |= {"memory": memory, "progress": progress}
    with stoppable(stop):
        if isinstance(model, str):
            if model != AUTO:
                raise ModelError(f"there is no model {model!r}; give a Model, 'auto', or leave it out")
            return fit_chosen(book, Model(), draws=draws, target_ess=target_ess, **settings)
        model = Model() if model is None else model
        if target_ess is not None:
            first = _fit(book, model, draws=min(draws or DEFAULT_DRAWS, FIRST_DRAWS), **settings)
            return _until(first, target_ess, workers, memory, progress)
        if draws is None and model.learned:
            return _fit_agreeing(book, model, settings)
        return _fit(book, model, draws=draws or DEFAULT_DRAWS, **settings)


def fit_many(
    books: Iterable[Gradebook],
    model: Model | str | None = None,
    *,
    seed: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | Listener = False,
    stop: threading.Event | None = None,
    **settings: Any,
) -> list[Posterior]:
    """Fit many classes, a department's or a study's: as many at once as there are processors, or on a Dask cluster.

    ``settings`` are those of :func:`fit`; ``progress`` counts fits. Each class has a seed of its own, in
    ``Posterior.seed``, with which :func:`fit` gives the same draws.

    >>> import peerage as pg
    >>> books = [pg.simulate(students=8, weeks=1, seed=seed)[0] for seed in range(3)]
    >>> [posterior.book.n_reviews for posterior in pg.fit_many(books, chains=1, draws=20, seed=0)]
    [34, 34, 34]
    """
    books = list(books)
    seed = secrets.randbits(32) if seed is None else at_least(0, seed=seed)
    children = np.random.SeedSequence(seed).spawn(len(books))
    items = [(book, int(child.generate_state(1)[0])) for book, child in zip(books, children, strict=True)]
    found: dict[int, Posterior] = {}
    with stoppable(stop), open_executor(workers, scheduler) as executor, listening(progress) as listener:
        counter = Counter(listener, "fitting", len(items))
        for index, posterior in executor.map(_fit_one, (model, settings), items):
            found[index] = replace(posterior, workers=workers)
            counter.advance()
    return [found[index] for index in range(len(items))]


def _fit_one(shared: tuple[Model | str | None, dict[str, Any]], item: tuple[Gradebook, int]) -> Posterior:
    """One of many fits, on one processor."""
    (model, settings), (book, seed) = shared, item
    return fit(book, model, seed=seed, workers=1, **settings)


def _fit(
    book: Gradebook,
    model: Model,
    *,
    chains: int,
    draws: int,
    burn_in: int | None,
    seed: int,
    workers: int | None,
    memory: float,
    progress: bool | Listener,
) -> Posterior:
    """Fit a model with settings that have been checked."""
    begun = time.perf_counter()
    layout = lay_out(book, model)
    every = every_few(layout, chains, draws, memory)
    expected = LEAST_BURN_IN if burn_in is None else burn_in
    with listening(progress) as listener:
        counter = Counter(listener, "sampling", chains * (expected + draws), compiling=must_compile(layout))
        settings: dict[str, Any] = {"chains": chains, "seed": seed, "workers": workers, "counter": counter}
        start = _burnt_in(layout, burn_in, settings)
        samples = sample(layout, draws=draws, burn_in=start.left, states=start.states, every=every, **settings)
    samples = replace(samples, seconds=samples.seconds + start.seconds)
    timings = {"sampling": samples.seconds, "total": time.perf_counter() - begun}
    return Posterior(
        book, model, seed, start.burn_in, samples, timings, start.restarts, laid_out=layout, workers=workers
    )


def _fit_agreeing(book: Gradebook, model: Model, settings: dict[str, Any]) -> Posterior:
    """Fit a model until its chains agree and all is known well enough, or a simpler one for which that holds."""
    candidate: Model | None = model
    while candidate is not None:
        posterior = _fit(book, candidate, draws=FIRST_DRAWS, **settings)
        rounds, made = [posterior.samples], posterior.samples.n_draws
        while posterior.samples.n_draws < chain_agreement.MOST_DRAWS_TO_AGREE and not is_hopeless(posterior):
            agreed = largest_r_hat(posterior) <= AGREED
            if agreed and is_precise(posterior):
                break
            rounds = _with_another(posterior, rounds, max(FIRST_DRAWS, made // 2), settings)
            made += rounds[-1].n_draws
            while not agreed and sum(part.n_draws for part in rounds[1:]) >= MOST_OF * made:
                rounds = rounds[1:]
            posterior = _of_rounds(posterior, rounds)
        candidate = None if largest_r_hat(posterior) <= DISAGREED else next_simpler(posterior)
    return posterior if posterior.model == model else replace(posterior, asked=model)


def _with_another(posterior: Posterior, rounds: list[Samples], draws: int, settings: dict[str, Any]) -> list[Samples]:
    """Go on from where the chains stand; where not all could be kept, a round twice as long takes the others' place."""
    layout, chains, before = posterior.layout, posterior.samples.n_chains, posterior.samples.n_draws
    every, workers, progress = rounds[0].every, settings["workers"], settings["progress"]
    if every_few(layout, chains, before + draws, settings["memory"]) > every:
        rounds, draws = [], 2 * before
        every = every_few(layout, chains, draws, settings["memory"])
    return [*rounds, more_draws(posterior, draws, every=every, workers=workers, progress=progress)]


def _of_rounds(posterior: Posterior, rounds: list[Samples]) -> Posterior:
    """The posterior by some rounds of its chains' draws, those before being burn-in."""
    samples, latest = reduce(Samples.followed_by, rounds), rounds[-1]
    burn_in = posterior.burn_in + posterior.samples.n_draws + latest.n_draws - samples.n_draws
    samples = replace(samples, seconds=posterior.samples.seconds + latest.seconds)
    return replace(posterior, burn_in=burn_in, samples=samples, timings=timings_with(posterior, latest))


def _until(
    posterior: Posterior, target: int, workers: int | None, memory: float, progress: bool | Listener
) -> Posterior:
    """Go on until every entry has so many effective draws, or until no more draws can be kept."""
    samples, most = posterior.samples, MOST_DRAWS_FOR_TARGET
    while every_few(posterior.layout, samples.n_chains, most, memory) > samples.every:
        most //= 2
    while (least := least_effective(posterior)) < target and posterior.samples.n_draws < most:
        made = posterior.samples.n_draws
        # A little more than what it takes if the rest is like what there is, which may be too few to know.
        wanted = int(1.1 * made * target / max(least, 1.0)) - made
        more = min(max(wanted, made // 4), 3 * made, most - made)
        posterior = posterior.extend(more, workers=workers, progress=progress)
    return posterior


def least_effective(posterior: Posterior) -> float:
    """The effective draws of the entry that has fewest, in the centre or the tails; 0 if they are too few to know."""
    table = posterior.diagnostics()
    least = np.fmin(table["ess_bulk"].to_numpy(float), table["ess_tail"].to_numpy(float))
    return float(np.nan_to_num(least, nan=0.0).min())


def fit_chosen(
    book: Gradebook, base: Model, *, draws: int | None = None, target_ess: int | None = None, **settings: Any
) -> Posterior:
    """Compare models with an eighth of the draws, and fit the one that is chosen; ``base`` has what is fixed."""
    few = max((draws or DEFAULT_DRAWS) // 8, 100)
    model, choice = choose(book, base, lambda model: fit(book, model, draws=few, **settings))
    return replace(fit(book, model, draws=draws, target_ess=target_ess, **settings), choice=choice)


class _Start(NamedTuple):
    """Where chains stand before their draws are kept.

    ``burn_in`` counts the sweeps that are discarded, of which ``left`` have still to be made.
    """

    states: tuple[ChainState, ...]
    burn_in: int
    left: int = 0
    seconds: float = 0.0
    restarts: tuple[int, ...] = ()


def _burnt_in(layout: Layout, asked: int | None, settings: dict[str, Any]) -> _Start:
    """Discard as many sweeps as asked for, or until chains have settled.

    On the way, chains that have settled in a mode that predicts worse, twice in a row, start again from the best.
    """
    one = settings["chains"] == 1
    compared = layout.model.learned and layout.model.effort and not one
    sweeps = LEAST_BURN_IN if asked is None else asked
    if one or (asked is not None and (not compared or asked < 2 * PILOT)):
        return _Start((), sweeps, left=sweeps)
    pilot = sample(layout, draws=PILOT, burn_in=sweeps - PILOT, **settings)
    start = _Start(pilot.states, sweeps, seconds=pilot.seconds)
    if compared and _worse_chains(layout, pilot, settings)[1]:  # or merely on their way: the next comparison tells
        pilot, start = _gone_on(layout, start, sweeps - PILOT, PILOT, settings)
        best, again = _worse_chains(layout, pilot, settings)
        if again:  # copies of a chain have to part before their draws are kept
            start = start._replace(states=restarted(pilot.states, best, again), restarts=again)
            pilot, start = _gone_on(layout, start, sweeps - PILOT, PILOT, settings)
    for half in PILOT * 2 ** np.arange(1, 1 + MORE_ROUNDS):
        if asked is not None or settled(layout, pilot):
            break
        pilot, start = _gone_on(layout, start, int(half), int(half), settings)
    return start


def _gone_on(
    layout: Layout, start: _Start, burn_in: int, draws: int, settings: dict[str, Any]
) -> tuple[Samples, _Start]:
    """Discard more sweeps, and return the last of them."""
    sweeps = burn_in + draws
    settings["counter"].expect(sweeps * settings["chains"])
    pilot = sample(layout, draws=draws, burn_in=burn_in, states=start.states, **settings)
    seconds, total = start.seconds + pilot.seconds, start.burn_in + sweeps
    return pilot, start._replace(states=pilot.states, burn_in=total, seconds=seconds)


def _worse_chains(layout: Layout, pilot: Samples, settings: dict[str, Any]) -> tuple[int, tuple[int, ...]]:
    """The chain that predicts reviews best, and those that are clearly worse."""
    seed, workers = settings["seed"], settings["workers"] or 1
    by_chain = predict_by_chain(layout, pilot, Draws(layout, pilot, seed), seed, workers=workers)
    return worse_chains(by_chain, np.asarray(layout.book.review_submission))
