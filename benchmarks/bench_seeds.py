"""How often a rerun with another seed changes a final grade of the standard class (class (b)).

Two fits that end when everything shown is known well enough, as they do by default, beside two of 1,000 draws a chain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import peerage as pg
from figures import report
from two_seeds import agreement

DRAWS = {"default": None, "1,000 draws": 1000}
"""Draws of each chain; none where the fit decides."""


def final_grades(fit: pg.Posterior) -> np.ndarray:
    """The grades that are handed out by default."""
    return pg.explain(fit).grades["grade"].to_numpy(float)


def measure() -> dict[str, Any]:
    """For each number of draws, the share of final grades that differ and that of legal ones that are no toss-ups."""
    book, _ = pg.simulate(setting="b", seed=0)
    found = {}
    for name, draws in DRAWS.items():
        fits = [pg.fit(book, draws=draws, seed=seed, workers=1) for seed in (0, 1)]
        differ = float((final_grades(fits[0]) != final_grades(fits[1])).mean())
        same = agreement(*fits)
        found[name] = {"draws": fits[0].samples.n_draws, "differ": differ, **same}
        print(f"{name}: {differ:.2%} of final grades differ; {same['clear']:.1%} are no toss-ups,", end=" ")
        print(f"of which {1 - same['explained']:.2%} differ, and {1 - same['most_likely']:.2%} of the most likely ones")
    return found


if __name__ == "__main__":
    report(measure)
