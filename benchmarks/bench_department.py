"""A department: core-seconds a class of default fits of 60 students and ten weeks by ``fit_many``, and of 200 such."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import peerage as pg
from figures import report, use_cores

CLASSES, MEASURED, STUDENTS, WEEKS = 200, 2, 60, 10


def measure() -> dict[str, Any]:
    """Core-seconds a class, by one worker in this process, and hours of two cores for the department."""
    use_cores(1)
    books = [pg.simulate(students=STUDENTS, weeks=WEEKS, tas=1, seed=seed)[0] for seed in range(MEASURED)]
    pg.fit(books[0], draws=50, seed=0, workers=1)  # compiles
    begun = time.process_time()
    fits = pg.fit_many(books, seed=0, workers=1)
    seconds = (time.process_time() - begun) / MEASURED
    draws = float(np.mean([fit.n_draws for fit in fits]))
    hours = CLASSES * seconds / 2 / 3600
    print(f"{seconds:.1f} core-seconds a class of {STUDENTS} students and {WEEKS} weeks ({draws:.0f} draws a chain)")
    print(f"{CLASSES} classes take two cores {hours:.1f} hours")
    return {"core_seconds_a_class": seconds, "draws": draws, "hours_of_two_cores": hours}


if __name__ == "__main__":
    report(measure)
