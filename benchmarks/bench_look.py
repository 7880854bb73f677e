"""A first look at the standard class (class (b)): a short run of the sampler itself, beside the whole fit.

How long 50 + 50 sweeps of each chain take, and how far their grades and intervals are from those of a default fit, in
standard deviations of the posterior; beside how far another default fit, with another seed, is from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import peerage as pg
from figures import report

SWEEPS = 50
"""That each chain discards, and that it keeps."""

COLUMNS = ("expected", "lower", "upper")


def apart(one: pg.Posterior, whole: pg.Posterior) -> dict[str, float]:
    """Root mean square distances from a whole fit in its standard deviations, and the share of most likely grades."""
    left, right = one.submissions(), whole.submissions()
    found = {name: float(np.sqrt((((left[name] - right[name]) / right["sd"]) ** 2).mean())) for name in COLUMNS}
    return found | {"most_likely": float((left["most_likely"] != right["most_likely"]).mean())}


def timed(make: Callable[[], pg.Posterior]) -> tuple[pg.Posterior, float]:
    """A fit, and its core-seconds."""
    begun = time.process_time()
    return make(), time.process_time() - begun


def measure() -> dict[str, Any]:
    """Core-seconds of the look and of another fit, and how far each is from the fit."""
    book, _ = pg.simulate(setting="b", seed=0)
    whole = pg.fit(book, seed=0)
    runs: dict[str, Callable[[], pg.Posterior]] = {
        "first look": lambda: pg.fit(book, draws=SWEEPS, burn_in=SWEEPS, seed=1),
        "another fit": lambda: pg.fit(book, seed=1),
    }
    found = {}
    for name, run in runs.items():
        posterior, seconds = timed(run)
        found[name] = {"core_seconds": seconds} | apart(posterior, whole)
        print(name, {key: round(value, 3) for key, value in found[name].items()})
    return found


if __name__ == "__main__":
    report(measure)
