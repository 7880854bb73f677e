"""The sampler on the standard class (class (b): 120 students, ten weeks, 5,100 reviews), on one core.

Prints milliseconds a sweep beside the floor, a loop that only adds up the floats that a sweep over whole grids must
read, and effective draws a second of every variable.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

import peerage
from peerage.inference.diagnostics import rhat_and_ess
from peerage.inference.jit import jit
from peerage.inference.layout import Layout, lay_out
from peerage.inference.sampler import VARIABLES, sample

DRAWS = 1000


@jit
def add_rows(table: NDArray[np.float32], starts: NDArray[np.int64], size: int, total: NDArray[np.float32]) -> None:
    """Add up rows of a table."""
    for start in starts:
        first = np.uint64(start)
        for i in range(np.uint64(size)):
            total[i] += table[first + i]


def floor(layout: Layout) -> float:
    """Seconds to add, for each report, as many floats as the grids of true grade, reliability and bias have points."""
    grids, rng = layout.grids, np.random.default_rng(0)
    sizes = [len(grids.true_grade), len(grids.reliability), len(grids.bias)]
    table = rng.random(6 * len(grids.reliability) * len(grids.lattice), dtype=np.float32)
    starts = rng.integers(0, len(table) - max(sizes), len(layout.report_level))
    total = np.zeros(max(sizes), np.float32)
    seconds = []
    for _ in range(30):
        begun = time.perf_counter()
        for size in sizes:
            add_rows(table, starts, size, total)
        seconds.append(time.perf_counter() - begun)
    return min(seconds[1:])


def main() -> None:
    """Measure and print."""
    book, _ = peerage.simulate(setting="b", seed=0)
    layout = lay_out(book, peerage.Model(priors="paper"))
    sample(layout, chains=1, draws=1, burn_in=0, seed=0, workers=1)
    warm_up = sample(layout, chains=1, draws=1, burn_in=200, seed=0, workers=1)
    samples = sample(layout, chains=1, draws=DRAWS, burn_in=0, seed=0, workers=1, states=warm_up.states)
    sweep, least = samples.seconds / DRAWS, floor(layout)
    print(f"a sweep: {1e3 * sweep:.2f} ms, {sweep / least:.1f} times the floor of {1e3 * least:.2f} ms")
    print(f"{'effective draws a second':<26}{'median':>8}{'first percentile':>18}")
    for variable in VARIABLES:
        draws = samples.draws[variable]
        free = np.flatnonzero(draws.std(axis=(0, 1)) > 0)
        rate = rhat_and_ess(draws[:, :, free]).ess_bulk / samples.seconds
        print(f"{variable.replace('_', ' '):<26}{np.median(rate):>8.0f}{np.quantile(rate, 0.01):>18.0f}")


if __name__ == "__main__":
    main()
