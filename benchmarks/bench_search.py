"""The reduced grid of the paper's best model family on the standard class (class (b)): its time, and what workers add.

    python benchmarks/bench_search.py               fits of one and of two workers, and how long a search would take
    python benchmarks/bench_search.py --screening   only what screening takes, in core-seconds
    python benchmarks/bench_search.py --full        the whole search
    python benchmarks/bench_search.py --winners     of three smaller classes: whether screening loses the best setting

All but the second and the last want an idle machine. One and two workers take turns at the same fits, so that whatever
else the machine does slows both, but a busy machine has no second processor to give. The load is printed.
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
from peerage.evaluation.prior_search.prior_grids import PriorGrid, without_effect
from peerage.evaluation.prior_search.prior_search import SCREENING
from peerage.evaluation.prior_search.search_plan import KEEP
from peerage.evaluation.prior_search.search_tasks import SearchJob, SearchTask, run
from peerage.evaluation.scoring import Sampling
from peerage.support.tasks.executor import open_executor

FOLDS, TRIED, ROUNDS = 10, 4, 2
"""Folds of a setting; fits of each kind in a round; rounds."""

MODELS, YEARS = 4943, 45
"""What the paper reports: so many models cross-validated, in so many processor years."""

SETTINGS, STUDENTS, WEEKS = 16, 40, 4
"""How many settings of the reduced grid are tried on each of three classes of so many students and weeks."""

HOUR, YEAR = 3600.0, 365.25 * 24 * 3600
"""In seconds."""


def standard_job() -> tuple[SearchJob, tuple[pg.Priors, ...]]:
    """The class and how it is sampled, and the settings of the reduced grid."""
    book, _ = pg.simulate(setting="b", seed=0)
    model = pg.Model()
    grid = PriorGrid.read("reduced").without(without_effect(book, model))
    settings = tuple(pg.Priors.paper(**setting) for setting in grid.all())
    return SearchJob(book, model, deal(book, FOLDS, seed=0), SCREENING, Sampling()), settings


def seconds_a_fit(job: SearchJob, tasks: Sequence[SearchTask], workers: int) -> float:
    """The seconds by the clock that so many workers take for some tasks, divided by their number."""
    begun = time.perf_counter()
    with open_executor(workers) as executor:
        list(executor.map(run, job, tasks))
    return (time.perf_counter() - begun) / len(tasks)


def compare_workers(job: SearchJob, settings: tuple[pg.Priors, ...]) -> dict[str, dict[int, float]]:
    """Seconds a fit of one and of two workers, for settings that are screened and for folds."""
    some = settings[:: len(settings) // TRIED][:TRIED]
    fits = {
        "screening": [SearchTask(priors) for priors in some],
        "fold": [SearchTask(some[0], fold) for fold in range(TRIED)],
    }
    found = {}
    for what, tasks in fits.items():
        rounds = [[seconds_a_fit(job, tasks, workers) for workers in (1, 2)] for _ in range(ROUNDS)]
        one, two = np.mean(rounds, axis=0).tolist()
        print(
            f"{what}: {one:.2f} s a fit with one worker, {two:.2f} s with two, which do {one / two:.2f} times as many"
        )
        found[what] = {1: one, 2: two}
    print(f"load while this ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return found


def core_seconds(job: SearchJob, settings: tuple[pg.Priors, ...]) -> float:
    """The core-seconds that screening a setting takes, and what that makes for as many models as the paper's."""
    some = settings[:: len(settings) // TRIED][:TRIED]
    begun = time.process_time()
    for priors in some:
        run(job, SearchTask(priors))
    seconds = (time.process_time() - begun) / len(some)
    hours = MODELS * seconds / HOUR
    print(f"screening takes {seconds:.2f} core-seconds a model: {hours:.1f} core-hours for {MODELS:,}")
    return seconds


def project(settings: int, seconds: dict[str, dict[int, float]]) -> None:
    """Tell how long searches would take two workers."""
    screening, fold = (seconds[what][2] for what in ("screening", "fold"))
    search = settings * screening + KEEP * FOLDS * fold
    print(f"{settings} settings screened and {KEEP} cross-validated by two workers: {search / 60:.0f} minutes")
    print(f"{MODELS:,} models by two workers, and how many times as long {YEARS} processor years are:")
    for what, each in (
        ("all cross-validated", FOLDS * fold),
        ("screened, the same share cross-validated", search / settings),
    ):
        total = MODELS * each
        print(f"  {what}: {total / HOUR:.0f} hours, {YEARS * YEAR / (2 * total):,.0f} times")


def search(job: SearchJob) -> dict[str, Any]:
    """Run the search, and tell what it took and found."""
    cpu, clock = time.process_time(), time.perf_counter()
    found = pg.search(job.book, job.model, grid="reduced", running=pg.Running(progress=True))
    seconds, cores = time.perf_counter() - clock, time.process_time() - cpu
    print(f"{seconds / 60:.0f} minutes, {cores:.0f} s of processor time")
    print(*found.sentences, sep="\n")
    return {"seconds": seconds, "processor_seconds": cores}


def find_winners() -> dict[str, dict[str, Any]]:
    """For the paper's three classes: the best setting after screening, and that of fits of all settings."""
    found = {}
    for kind in "abc":
        book, _ = pg.simulate(students=STUDENTS, weeks=WEEKS, setting=kind, seed=0)
        every, screened = (
            pg.search(book, pg.Model(), grid="reduced", plan=pg.SearchPlan(random=SETTINGS, screening=screening))
            for screening in (False, True)
        )
        same, fitted = screened.best == every.best, int(screened.table["score"].notna().sum())
        print(f"class ({kind}): {'the same' if same else 'another'} winner, {fitted} of {SETTINGS} cross-validated")
        found[kind] = {"same": same, "cross_validated": fitted}
    return found


def measure(*, full: bool, screening: bool, winners: bool) -> dict[str, Any]:
    """Measure what was asked for."""
    if winners:
        return find_winners()
    job, settings = standard_job()
    pg.fit(job.book, job.model.with_priors(), chains=1, draws=1, burn_in=0, seed=0)  # compiles
    if full:
        return search(job)
    cores = core_seconds(job, settings)
    if screening:
        return {"screening_core_seconds": cores}
    seconds = compare_workers(job, settings)
    project(len(settings), seconds)
    return {"screening_core_seconds": cores, "seconds_a_fit": seconds}


if __name__ == "__main__":
    report(measure, "full", "screening", "winners")
