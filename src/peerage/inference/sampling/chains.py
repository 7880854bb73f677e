"""Chains: seeds, threads, progress, cancellation, and going on from where a chain stands.

Each chain has its own generator, spawned from one seed, and runs in a thread; what it draws does not depend on the
number of threads. The thread that asked for them waits, tells how far they have come, and stops them when it is asked
to (:mod:`peerage.support.tasks.stop_requests`).
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import Sums
from peerage.inference.numerics.hyperparameters import TAU_L
from peerage.inference.numerics.jit import needs_compilation
from peerage.inference.sampling.engine import AnyEngine, C, Conditions, Standing
from peerage.inference.sampling.kept_draws import EveryDraw, EveryFew, Keeper, kept_type
from peerage.inference.sampling.running_summaries import RunningSummary
from peerage.inference.sampling.samplers import engine_of
from peerage.support.tasks.progress import Counter
from peerage.support.tasks.stop_requests import check_stopped

VARIABLES = ("true_grade", "reliability", "bias", "effort")
"""What is drawn for each cell (true grades) and each grader (the others)."""

STORED = (*VARIABLES, "habit", "slope", "drift")
"""What of a chain's draws is stored; habits, slopes and drifts of graders are shown by what they do to the others."""

_CHUNK_SECONDS = 0.1


class ChainState(NamedTuple):
    """All that is needed to continue a chain: the variables by name, and the generator's state."""

    variables: dict[str, NDArray[Any]]
    generator: dict[str, Any]


@dataclass(frozen=True)
class Samples:
    """What the chains drew: arrays (chain, draw, entry), and averages over all draws of conditional probabilities.

    ``hyper`` has the coordinates of learned hyperparameters (see ``hyperparameters``), no entries if they are fixed; it
    and ``effortful_count`` are of all draws that were made. ``kept`` tells which of these are in ``draws``: all, or,
    where memory did not allow it, some; then ``running`` has summaries of all.
    """

    draws: dict[str, NDArray[Any]]
    kept: NDArray[np.int64]
    running: dict[str, RunningSummary]
    effortful_count: NDArray[np.int64]
    level_mass: NDArray[np.float64]
    effortful: NDArray[np.float64]
    influence: NDArray[np.float64]
    hyper: NDArray[np.float64]
    states: tuple[ChainState, ...]
    seconds: float

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return int(self.effortful_count.shape[0])

    @property
    def n_draws(self) -> int:
        """How many draws each chain made."""
        return int(self.effortful_count.shape[1])

    @property
    def n_kept(self) -> int:
        """How many draws of each chain were kept."""
        return len(self.kept)

    @property
    def every(self) -> int:
        """Every how many draws one was kept."""
        return int(self.kept[0]) + 1 if self.n_kept else 1

    @property
    def kept_hyper(self) -> NDArray[np.float64]:
        """(chain, kept draw, coordinate) the hyperparameters of the kept draws."""
        return self.hyper[:, self.kept]

    def picked(self, places: NDArray[np.integer]) -> Samples:
        """Some of the kept draws, counted through all chains, as if they were of one."""
        chain, draw = np.divmod(places, self.n_kept)
        return replace(
            self,
            draws={name: values[chain, draw][None] for name, values in self.draws.items()},
            hyper=self.kept_hyper[chain, draw][None],
            kept=np.arange(len(places)),
        )

    def followed_by(self, later: Samples) -> Samples:
        """These draws and later ones of the same chains, as one."""
        share = self.n_draws / (self.n_draws + later.n_draws)
        return Samples(
            {name: np.concatenate([self.draws[name], later.draws[name]], axis=1) for name in STORED},
            np.concatenate([self.kept, self.n_draws + later.kept]),
            {name: self.running[name].followed_by(later.running[name]) for name in self.running},
            np.concatenate([self.effortful_count, later.effortful_count], axis=1),
            share * self.level_mass + (1 - share) * later.level_mass,
            share * self.effortful + (1 - share) * later.effortful,
            share * self.influence + (1 - share) * later.influence,
            np.concatenate([self.hyper, later.hyper], axis=1),
            later.states,
            self.seconds + later.seconds,
        )


def must_compile(layout: Layout) -> bool:
    """Whether sampling will first compile its kernels, which takes some seconds once after installation."""
    return needs_compilation(engine_of(layout).sweep)


def sample(
    layout: Layout,
    *,
    chains: int,
    draws: int,
    burn_in: int,
    seed: int,
    workers: int | None = None,
    counter: Counter | None = None,
    states: tuple[ChainState, ...] = (),
    every: int = 1,
) -> Samples:
    """Run the chains: from ``states`` where given, else from a dispersed start.

    With ``every`` above 1, only every n-th draw is kept, beside running summaries of all. ``counter`` counts the
    sweeps that are done.
    """
    check_stopped()
    begun = time.perf_counter()
    engine = engine_of(layout)
    given = engine.prepare(layout)
    generators = [_generator(state) for state in states] if states else _new_generators(seed, chains)
    new_rows = engine.new_draws
    keeper: Keeper = (
        EveryDraw(layout, chains, draws, new_rows) if every == 1 else EveryFew(layout, chains, draws, every, new_rows)
    )
    runs = []
    for index, rng in enumerate(generators):
        state = _restored(engine, states[index], layout) if states else engine.initial_state(layout, given, rng, index)
        own = with_own_beliefs(given) if layout.model.learned else given
        runs.append(_Chain(layout, own, rng, state, index, keeper))
    runs[0].sweep(0, 0, keep=False)  # compiles, in one thread
    _run_all(runs, burn_in, draws, workers, counter)
    return _collect(layout, runs, draws, keeper, every, time.perf_counter() - begun)


def dispersed_starts(layout: Layout, chains: int, seed: int) -> list[dict[str, NDArray[Any]]]:
    """The variables, by name, from which so many chains would start."""
    engine = engine_of(layout)
    given = engine.prepare(layout)
    starts = enumerate(_new_generators(seed, chains))
    return [engine.initial_state(layout, given, rng, index)._asdict() for index, rng in starts]


def _new_generators(seed: int, chains: int) -> list[np.random.Generator]:
    return [np.random.Generator(np.random.PCG64(child)) for child in np.random.SeedSequence(seed).spawn(chains)]


def _run_all(runs: list[_Chain], burn_in: int, draws: int, workers: int | None, counter: Counter | None) -> None:
    """Run all chains; if one fails, or the work is to stop, all stop."""
    stop, counted = threading.Event(), 0
    with ThreadPoolExecutor(max_workers=min(workers or os.cpu_count() or 1, len(runs))) as pool:
        futures = [pool.submit(run.run, burn_in, draws, stop) for run in runs]
        try:
            # In short waits, so that Ctrl-C is heeded on every system.
            waiting = True
            while waiting:
                waiting = bool(wait(futures, _CHUNK_SECONDS, return_when=FIRST_EXCEPTION).not_done)
                check_stopped()
                for future in futures:
                    if future.done():
                        future.result()
                if counter is not None:
                    counted, before = sum(run.n_sweeps for run in runs), counted
                    counter.advance(counted - before)
        except BaseException:
            stop.set()
            raise


class _Chain:
    """One chain: its state and what it has drawn."""

    def __init__(
        self,
        layout: Layout,
        given: Conditions,
        rng: np.random.Generator,
        state: Standing,
        index: int,
        keeper: Keeper,
    ) -> None:
        engine = engine_of(layout)
        self.kernel = engine.sweep
        self.flags = (layout.model.effort, layout.has_bias)
        self.given, self.rng, self.state = given, rng, state
        n_reviews = layout.book.n_reviews
        self.sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(n_reviews), np.zeros(n_reviews))
        self.index, self.keeper = index, keeper
        self.n_sweeps = 0
        self.work = engine.new_work(layout)

    def sweep(self, count: int, first: int, *, keep: bool) -> None:
        rows = self.keeper.rows[self.index]
        self.kernel(self.rng, count, first, keep, *self.flags, self.given, self.state, self.sums, rows, self.work)

    def run(self, burn_in: int, draws: int, stop: threading.Event) -> None:
        """Burn in, then draw, in chunks short enough for progress to be seen and interrupts to be heeded."""
        chunk = 1
        done = -burn_in
        while done < draws and not stop.is_set():
            row = done % self.keeper.room if done >= 0 else 0
            count = min(chunk, -done if done < 0 else self.keeper.room - row)
            begun = time.perf_counter()
            self.sweep(count, row, keep=done >= 0)
            if done >= 0:
                self.keeper.take(self.index, done)
            if time.perf_counter() - begun < _CHUNK_SECONDS:
                chunk *= 2
            done += count
            self.n_sweeps += count


def templates(layout: Layout) -> tuple[Any, Any]:
    """A state and a row of no draws, by which one sees what a chain of this class has, and how its draws are kept."""
    engine = engine_of(layout)
    state = engine.initial_state(layout, engine.prepare(layout), np.random.default_rng(0))
    rows: Any = engine.new_draws(layout, 0)
    kept = {name: getattr(rows, name).astype(kept_type(layout, name, rows)) for name in STORED}
    return state, rows._replace(**kept)


def with_own_beliefs(given: C) -> C:
    """A copy whose priors a chain can change."""
    whole: Any = given
    changed: C = whole._replace(beliefs=_copied(given.beliefs))
    return changed


def _copied(entry: Any) -> Any:
    """Arrays, and tuples of them at any depth, copied."""
    if isinstance(entry, tuple):
        return type(entry)(*map(_copied, entry))
    return entry.copy() if isinstance(entry, np.ndarray) else entry


def _generator(state: ChainState) -> np.random.Generator:
    bit_generator: Any = np.random.PCG64()
    bit_generator.state = state.generator
    return np.random.Generator(bit_generator)


def _restored(engine: AnyEngine, state: ChainState, layout: Layout) -> Standing:
    """A copy of a stored state, in the engine's own type, and within a bound that earlier versions did not have."""
    copied = {name: state.variables[name].copy() for name in engine.State._fields}
    if layout.model.learned:
        copied["hyper"][TAU_L] = min(copied["hyper"][TAU_L], layout.largest_tau_l)
    restored: Standing = engine.State(**copied)
    return restored


def _collect(layout: Layout, runs: list[_Chain], draws: int, keeper: Keeper, every: int, seconds: float) -> Samples:
    total = max(draws, 1) * len(runs)
    level_mass, effortful, influence = (np.sum([run.sums[place] for run in runs], axis=0) / total for place in range(3))
    # A cell of the grid that straddles the end of a fixed bin counts for both levels, but the level is known.
    fixed = np.flatnonzero(layout.fixed_level != MISSING)
    level_mass[fixed] = np.eye(layout.max_levels)[layout.fixed_level[fixed]]
    has_effort = runs[0].flags[0]
    return Samples(
        {name: keeper.draws(name) for name in STORED},
        np.arange(every - 1, draws, every),
        keeper.finish(),
        keeper.draws("effortful_count"),
        level_mass,
        effortful if has_effort else np.ones_like(effortful),
        influence,
        keeper.draws("hyper"),
        tuple(ChainState(run.state._asdict(), dict(run.rng.bit_generator.state)) for run in runs),
        seconds,
    )
