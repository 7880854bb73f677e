"""The paper's whole protocol, four chains of 1,100 sweeps on the standard class (class (b)), on two cores.

It is put beside ``peerage fit`` from its start to files written, for the paper's priors, with which the paper's
protocol is the same model, and for learned ones. Kernels are compiled before. Fit and command take turns.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import peerage as pg
from figures import peerage, report, use_cores

ROUNDS = {"paper": 2, "learned": 1}
CORES = 2
CHAINS, BURN_IN, DRAWS = 4, 100, 1000

CPU_HOURS = 8
"""What the paper reports for one fit."""


def fit(book: pg.Gradebook, priors: str, draws: int = DRAWS) -> tuple[float, float]:
    """Seconds of a fit by the clock and of all cores."""
    clock, cores = time.perf_counter(), time.process_time()
    pg.fit(book, pg.Model(priors=priors), chains=CHAINS, burn_in=BURN_IN, draws=draws, seed=0, workers=CORES)
    return time.perf_counter() - clock, time.process_time() - cores


def compared(book: pg.Gradebook, file: Path, priors: str) -> dict[str, float]:
    """The medians of a fit and of the command, and how far the command is from twice the fit and a second."""
    settings = ("--chains", CHAINS, "--burn-in", BURN_IN, "--draws", DRAWS, "--workers", CORES, "--priors", priors)
    fit(book, priors, draws=1)  # compiles
    fits, commands = [], []
    for _ in range(ROUNDS[priors]):
        fits.append(fit(book, priors))
        taken = peerage("fit", file, "-o", file.with_name("results"), "-q", *settings)
        commands.append((taken.seconds, taken.core_seconds))
    (clock, cores), (command, command_cores) = (np.median(pairs, axis=0).tolist() for pairs in (fits, commands))
    return {
        "fit_seconds": clock,
        "fit_core_seconds": cores,
        "command_seconds": command,
        "command_core_seconds": command_cores,
        "bar_seconds": 2 * clock + 1,
        "paper_times": CPU_HOURS * 3600 / cores,
    }


def measure() -> dict[str, Any]:
    """The figures by kind of priors."""
    use_cores(CORES)
    book, _ = pg.simulate(setting="b", seed=0)
    print(f"{CHAINS} chains of {BURN_IN} + {DRAWS} sweeps on {CORES} cores, in seconds\n")
    print(f"{'priors':<10}{'fit':>8}{'core s':>8}{'peerage fit':>14}{'at most':>10}{'of the paper':>16}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grades.csv"
        book.write(file, rubric=True)
        for priors in ROUNDS:
            row = found[priors] = compared(book, file, priors)
            share = f"1/{row['paper_times']:,.0f}"
            print(
                f"{priors:<10}{row['fit_seconds']:>8.1f}{row['fit_core_seconds']:>8.1f}"
                f"{row['command_seconds']:>14.1f}{row['bar_seconds']:>10.1f}{share:>16}",
                flush=True,
            )
    return found


if __name__ == "__main__":
    report(measure)
