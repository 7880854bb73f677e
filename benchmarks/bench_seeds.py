"""How often a rerun with another seed changes a final grade of the standard class (class (b)).

Two fits that end when everything shown is known well enough, as they do by default, beside two of 1,000 draws a chain.
"""

from __future__ import annotations

from typing import Any

import peerage as pg
from figures import report
from two_seeds import agreement

DRAWS = {"default": None, "1,000 draws": 1000}
"""Draws of each chain; none where the fit decides."""


def measure() -> dict[str, Any]:
    """For each number of draws, the shares of grades that are the same (:func:`two_seeds.agreement`)."""
    book, _ = pg.simulate(setting="b", seed=0)
    found = {}
    for name, draws in DRAWS.items():
        fits = [pg.fit(book, draws=draws, seed=seed, workers=1) for seed in (0, 1)]
        same = agreement(*fits)
        found[name] = {"draws": fits[0].n_draws, **same}
        print(f"{name}: {same['averages']:.2%} of averages are the same but for one in the last decimal;", end=" ")
        print(
            f"{same['clear']:.1%} of legal grades are no toss-ups, of which {same['explained']:.2%} of explained and",
            end=" ",
        )
        print(f"{same['most_likely']:.2%} of most likely grades are the same")
    return found


if __name__ == "__main__":
    report(measure)
