"""A department on a Dask cluster: core-seconds a class of default fits by two workers, processes on this machine.

The same classes as in ``bench_department.py``, which fits them without a cluster.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import peerage as pg
from bench_department import CLASSES, MEASURED, STUDENTS, WEEKS
from figures import report

WORKERS = 2


def measure() -> dict[str, Any]:
    """Core-seconds a class of the workers, with what it takes to receive and send, and hours for the department."""
    dask = import_module("distributed")
    books = [pg.simulate(students=STUDENTS, weeks=WEEKS, tas=1, seed=seed)[0] for seed in range(MEASURED)]
    small = [pg.simulate(students=12, weeks=2, seed=seed)[0] for seed in range(2 * WORKERS)]
    with (
        dask.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        cluster.get_client() as client,
    ):
        place = cluster.scheduler_address
        pg.fit_many(small, draws=50, seed=0, scheduler=place)  # compiles, and lets all workers load what they need
        begun = sum(client.run(time.process_time).values())
        pg.fit_many(books, seed=0, scheduler=place)
        seconds = (sum(client.run(time.process_time).values()) - begun) / MEASURED
    hours = CLASSES * seconds / WORKERS / 3600
    print(f"{seconds:.1f} core-seconds a class; {CLASSES} of them take {WORKERS} workers {hours:.1f} hours")
    return {"core_seconds_a_class": seconds, "hours": hours}


if __name__ == "__main__":
    report(measure)
