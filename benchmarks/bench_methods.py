"""How long methods take on a million grades, as a multiple of the time that it takes to read the file.

Core-seconds are compared, in one process and one run, so that other work on the machine matters little.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import peerage as pg
from bench_reading import GRADES, write_class
from figures import report

METHODS = ("mean", "median", "shrunken-mean", "additive", "hamer", "vancouver", "effort-em", "borda")
_WARM = 2000


def core_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """What a piece of work takes, and what it gives."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def measure(grades: int = GRADES) -> dict[str, Any]:
    """Core-seconds to read a file and to aggregate it by each method."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.csv", Path(folder) / "large.csv"
        write_class(small, wide=False, grades=_WARM)
        write_class(large, wide=False, grades=grades)
        pg.aggregate(pg.read_grades(small), "mean")  # imports are not part of the time
        reading, book = core_seconds(lambda: pg.read_grades(large))
    print(f"{grades:,} grades: {reading:.2f} core-seconds to read")
    found: dict[str, Any] = {"grades": grades, "reading": reading, "methods": {}}
    for name in METHODS:
        seconds, aggregate = core_seconds(partial(pg.aggregate, book, name))
        found["methods"][name] = {"core_seconds": seconds, "iterations": aggregate.iterations}
        steps = f", {aggregate.iterations:,} steps" if aggregate.iterations else ""
        print(f"{name:>16}: {seconds:6.2f} core-seconds, {seconds / reading:5.2f} times reading{steps}")
    return found


if __name__ == "__main__":
    report(measure)
