"""The reduced grid of the paper's best model family on the standard class (class (b)): its time, and what workers add.

    python benchmarks/bench_search.py             screen all settings, cross-validate some folds, and project the rest
    python benchmarks/bench_search.py --full      the whole search, which wants an idle machine for long
    python benchmarks/bench_search.py --workers   the throughput of one and of two workers alone

Projections are in processor seconds and suppose two idle processors. Throughputs are by the clock: one and two workers
take turns at the same fits, so that whatever else the machine does slows both, but a busy machine has no second
processor to give. The load is printed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import peerage as pg
from figures import report
from peerage.evaluation.folds import deal
from peerage.evaluation.grids import Grid, without_effect
from peerage.evaluation.scoring import Sampling
from peerage.evaluation.search import KEEP, SCREENING
from peerage.evaluation.search_table import Standings
from peerage.evaluation.search_tasks import Finding, Job, Task, run
from peerage.executor import open_executor

FOLDS, TRIED, ROUNDS = 10, 4, 2
"""Folds of a setting; folds that are fitted for the projection; rounds of the comparison of workers."""

MODELS, YEARS = 4943, 45
"""What the paper reports: so many models cross-validated, in so many processor years."""

YEAR_SECONDS = 365.25 * 24 * 3600


def standard_job() -> tuple[Job, tuple[pg.Priors, ...], tuple[str, ...]]:
    """The class and how it is sampled, the settings of the reduced grid, and their hyperparameters."""
    book, _ = pg.simulate(setting="b", seed=0)
    model = pg.Model()
    grid = Grid.read("reduced").without(without_effect(book, model))
    settings = tuple(pg.Priors.paper(**setting) for setting in grid.all())
    return Job(book, model, deal(book, FOLDS, seed=0), SCREENING, Sampling()), settings, grid.names


def done(job: Job, tasks: Sequence[Task], workers: int | None = None) -> tuple[dict[Task, Finding], float, float]:
    """What some tasks find, their processor seconds, and the seconds by the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    with open_executor(workers) as executor:
        found = {tasks[index]: finding for index, finding in executor.map(run, job, tasks)}
    return found, time.process_time() - cpu, time.perf_counter() - clock


def project(job: Job, settings: tuple[pg.Priors, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """Screen everything, cross-validate a little, and tell what the rest would take."""
    found, screening, _ = done(job, [Task(priors) for priors in settings])
    finalists = Standings(names, settings, FOLDS, found).finalists(KEEP)
    _, folds, _ = done(job, [Task(finalists[0], fold) for fold in range(TRIED)])
    one, setting = screening / len(settings), folds / TRIED * FOLDS
    search = screening + len(finalists) * setting
    print(f"{len(settings)} settings; processor seconds:")
    print(f"  {screening:.0f} to screen all, {one:.2f} each; {len(finalists)} go on")
    print(f"  {setting:.0f} to cross-validate one, from {TRIED} of its {FOLDS} folds")
    print(f"  {search:.0f} for the search: {search / 2 / 60:.0f} minutes on two idle processors")
    print(f"{MODELS:,} models on two idle processors, and how many times as long {YEARS} processor years are:")
    screened = one + len(finalists) / len(settings) * setting
    for what, each in (("all cross-validated", setting), ("screened, the same share cross-validated", screened)):
        total = MODELS * each
        print(f"  {what}: {total / 2 / 3600:.0f} hours, {YEARS * YEAR_SECONDS / total:,.0f} times")
    return {"screening_seconds": screening, "setting_seconds": setting, "search_seconds": search}


def compare_workers(job: Job, settings: tuple[pg.Priors, ...]) -> dict[str, Any]:
    """Fits a second of one and of two workers, for short and for full fits."""
    found = {}
    some = settings[:: len(settings) // TRIED][:TRIED]
    fits = {"screening": [Task(priors) for priors in some], "folds": [Task(some[0], fold) for fold in range(TRIED)]}
    for what, tasks in fits.items():
        rates: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(ROUNDS):
            for workers, mine in rates.items():
                mine.append(len(tasks) / done(job, tasks, workers)[2])
        one, two = (float(np.mean(mine)) for mine in rates.values())
        print(f"{what}: {one:.3f} fits a second with one worker, {two:.3f} with two: {two / one:.2f} times as many")
        found[what] = {"one": one, "two": two}
    print(f"load while this ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, of which two are ours")
    return {"fits_a_second": found}


def search(job: Job) -> dict[str, Any]:
    """Run the search, and tell what it took and found."""
    cpu, clock = time.process_time(), time.perf_counter()
    found = pg.search(job.book, job.model, grid="reduced", progress=True)
    seconds, cores = time.perf_counter() - clock, time.process_time() - cpu
    print(f"{seconds / 60:.0f} minutes, {cores:.0f} s of processor time")
    print(*found.sentences, sep="\n")
    return {"seconds": seconds, "processor_seconds": cores}


def measure(*, full: bool, workers: bool) -> dict[str, Any]:
    """Measure what was asked for."""
    job, settings, names = standard_job()
    pg.fit(job.book, job.model.with_priors(), chains=1, draws=1, burn_in=0, seed=0)  # compiles
    if full:
        return search(job)
    return ({} if workers else project(job, settings, names)) | compare_workers(job, settings)


if __name__ == "__main__":
    report(measure, "full", "workers")
