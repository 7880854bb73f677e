"""A sweep over the standard class (class (b): 120 students, ten weeks, 5,100 reviews) on one core.

It is put beside its plain NumPy twin, which draws from the same posterior without tables and kernels, and beside the
floor: a loop that only adds up the floats that a sweep over whole grids must read. The three take turns, so that
whatever else the machine does slows all. Then the parts of a sweep are measured one by one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import peerage
from figures import report, use_cores
from peerage.inference.censored import censored_engine
from peerage.inference.censored.censored_sweep import _true_grades
from peerage.inference.censored.collapsed_graders import update_graders
from peerage.inference.censored.grader_updates import draw_biases, draw_efforts, draw_reliabilities
from peerage.inference.layout import Layout, lay_out
from peerage.inference.numerics.arrays import State, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.sampling.chains import ChainState, sample

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

ROUNDS, SWEEPS = 5, 200
"""How often the three take turns, and how many sweeps are one turn of ours."""


@jit
def add_rows(table: NDArray[np.float32], starts: NDArray[np.int64], size: int, total: NDArray[np.float32]) -> None:
    """Add up rows of a table."""
    for start in starts:
        first = np.uint64(start)
        for i in range(np.uint64(size)):
            total[i] += table[first + i]


class Floor:
    """For each report, as many floats as the grids of true grade, reliability and bias have points."""

    def __init__(self, layout: Layout) -> None:
        grids, rng = layout.grids, np.random.default_rng(0)
        self.sizes = [len(grids.true_grade), len(grids.reliability), len(grids.bias)]
        self.table = rng.random(6 * len(grids.reliability) * len(grids.lattice), dtype=np.float32)
        self.starts = rng.integers(0, len(self.table) - max(self.sizes), len(layout.report_level))
        self.total = np.zeros(max(self.sizes), np.float32)
        self.floats = sum(self.sizes) * len(self.starts)
        self.add()  # compiles

    def add(self) -> None:
        """Add them up."""
        for size in self.sizes:
            add_rows(self.table, self.starts, size, self.total)


def parts_of(layout: Layout, start: ChainState, rng: np.random.Generator) -> dict[str, Callable[[], None]]:
    """The parts of a sweep, each as a call that moves a chain."""
    given, work = censored_engine.prepare(layout), censored_engine.new_work(layout)
    state = State(**{name: values.copy() for name, values in start.variables.items()})
    reviews = layout.book.n_reviews
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(reviews), np.zeros(reviews))
    graders = partial(update_graders, rng, True, True, True, given, state, sums, work)
    return {
        "graders, with true grades summed out": graders,
        "true grades": partial(_true_grades, rng, True, given, state, sums, work),
        "reliabilities": partial(draw_reliabilities, rng, False, given, state, work),
        "biases": partial(draw_biases, rng, False, given, state, work),
        "efforts": partial(draw_efforts, rng, False, given, state, work),
    }


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds that some work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def profile(parts: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Milliseconds of each part of a sweep: medians over sweeps, of which the first compiles."""
    taken: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(SWEEPS + 1):
        for name, part in parts.items():
            taken[name].append(seconds(part))
    return {name: 1e3 * float(np.median(mine[1:])) for name, mine in taken.items()}


def measure() -> dict[str, Any]:
    """Milliseconds of a sweep, of the twin's and of the floor: medians over the rounds, and their ratios."""
    from support import twin, twin_sweep

    use_cores(1)
    book, _ = peerage.simulate(setting="b", seed=0)
    model, rng = peerage.Model(priors="paper"), np.random.default_rng(0)
    layout = lay_out(book, model)
    floor, state = Floor(layout), twin.draw_prior(book, model, rng)
    chain = sample(layout, chains=1, draws=1, burn_in=200, seed=0, workers=1).states
    onward = partial(sample, layout, chains=1, draws=SWEEPS, burn_in=0, seed=0, workers=1, states=chain)
    turns: dict[str, list[float]] = {"sweep": [], "twin": [], "floor": []}
    for _ in range(ROUNDS):
        turns["sweep"].append(seconds(onward) / SWEEPS)
        turns["twin"].append(seconds(lambda: twin_sweep.sweep(book, model, layout.grids, state, rng)))
        turns["floor"].append(float(np.median([seconds(floor.add) for _ in range(30)])))
    found: dict[str, Any] = {f"{name}_ms": 1e3 * float(np.median(taken)) for name, taken in turns.items()}
    found |= {"twin_times": found["twin_ms"] / found["sweep_ms"], "floor_times": found["sweep_ms"] / found["floor_ms"]}
    found |= {"floats": floor.floats, "parts_ms": profile(parts_of(layout, chain[0], rng))}
    print(f"a sweep takes {found['sweep_ms']:.2f} ms")
    print(f"its plain NumPy twin {found['twin_ms']:,.0f} ms, {found['twin_times']:.0f} times as long")
    print(f"{floor.floats:,} floats are added in {found['floor_ms']:.2f} ms, 1/{found['floor_times']:.1f} of a sweep")
    for part, ms in found["parts_ms"].items():
        print(f"  {ms:.2f} ms for {part}")
    return found


if __name__ == "__main__":
    report(measure)
