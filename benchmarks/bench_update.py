"""An update of the standard class (class (b)) after a TA's review, as a share of the fit that it replaces.

Prints the two times' ratio, measured in one run, and how far the grades of update and fit are apart, beside two fits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import peerage as pg
from peerage.merging import merged


def timed(make: Callable[[], pg.Posterior]) -> tuple[pg.Posterior, float]:
    """What was made, and how many seconds it took."""
    begun = time.perf_counter()
    return make(), time.perf_counter() - begun


def a_review(posterior: pg.Posterior) -> pg.Gradebook:
    """A TA finds a submission that no TA has seen two grades worse than it is believed to be."""
    book, grades = posterior.book, posterior.submissions()
    seen = set(book.review_submission[book.roles[book.review_grader] > 0])
    place = next(place for place in range(book.n_submissions) if place not in seen)
    mine = grades[grades["submission"] == book.submissions[place]]
    levels = dict(zip(mine["component"], np.maximum(mine["most_likely"] - 2, 0), strict=True))
    row = {"submission": book.submissions[place], "grader": "ta1", "role": "ta"} | levels
    return pg.Gradebook.from_table(pd.DataFrame([row]), rubric=book.rubric)


def gap(one: pg.Posterior, other: pg.Posterior) -> str:
    """The mean distance of expected grades, and the share of most likely grades that differ."""
    left, right = one.submissions(), other.submissions()
    distance = (left["expected"] - right["expected"]).abs().mean()
    return f"{distance:.4f}, {(left['most_likely'] != right['most_likely']).mean():.1%}"


def main() -> None:
    """Measure and print."""
    book, _ = pg.simulate(setting="b", seed=0)
    before = pg.fit(book, seed=0)
    new = a_review(before)
    whole = merged(book, new)
    before.update(new, draws=1, burn_in=0)
    updated, seconds = timed(lambda: before.update(new))
    fresh, fit_seconds = timed(lambda: pg.fit(whole, seed=1))
    draws = f"{updated.burn_in} sweeps discarded, {updated.samples.n_draws} draws kept a chain"
    print(f"an update takes {seconds / fit_seconds:.3f} of the time of a fit ({draws}); here {seconds:.1f} s")
    print("distance of expected grades, and most likely grades that differ:")
    print(f"{'update and fit':<20}{gap(updated, fresh)}")
    print(f"{'two fits':<20}{gap(pg.fit(whole, seed=2), fresh)}")


if __name__ == "__main__":
    main()
