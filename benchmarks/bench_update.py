"""An update of the standard class (class (b)) after a TA's review, as a share of the fit that it replaces.

Prints the ratio of their processor times, measured in one run, with the draws that there are and with chains that go
on; that of a preview to an update; what the command takes from its start to files written; and how far what is known of
grades and graders is apart between update and fit, beside that of two fits. Then, for a small class, how fast chains
forget what they believed before an instructor contradicted it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

import peerage as pg
from figures import Cost, peerage, report
from peerage.gradebook.merging import merged
from peerage.inference.layout import lay_out
from peerage.inference.new_grades.carrying_over import carried_over
from peerage.inference.new_grades.updating import BURN_IN, default_draws, touched_by
from peerage.inference.sampling.chains import sample
from peerage.results.results import Results
from peerage.workflow.save_results import write_results

UPDATES = 7
CHAINS = 100
T = TypeVar("T")
SWEEPS = ((0, 1), (1, 3), (3, 6), (6, 10), (10, 15), (15, 20), (20, 30))


def timed(make: Callable[[], T]) -> tuple[T, float]:
    """What was made, and how many seconds of processor time it took."""
    begun = time.process_time()
    return make(), time.process_time() - begun


def spot_checks(posterior: pg.Posterior) -> list[pg.Gradebook]:
    """A TA finds submissions that no TA has seen two grades worse than they are believed to be; a review each."""
    book, grades = posterior.book, posterior.submissions()
    seen = {book.submissions[place] for place in book.review_submission[book.roles[book.review_grader] > 0]}
    found = []
    for name in [name for name in book.submissions if name not in seen][:UPDATES]:
        mine = grades[grades["submission"] == name]
        levels = dict(zip(mine["component"], np.maximum(mine["most_likely"] - 2, 0), strict=True))
        row = {"submission": name, "grader": "ta1", "role": "ta"} | levels
        found.append(pg.read_grades(pd.DataFrame([row]), rubric=book.rubric))
    return found


def gap(one: pg.Posterior, other: pg.Posterior) -> dict[str, float]:
    """Mean distances of expected grades and of graders' biases, and the share of most likely grades that differ."""
    left, right = one.submissions(), other.submissions()
    distance = (left["expected"] - right["expected"]).abs().mean()
    biases = (one.graders()["bias"] - other.graders()["bias"]).abs().mean()
    differ = (left["most_likely"] != right["most_likely"]).mean()
    return {"distance": float(distance), "differ": float(differ), "biases": float(biases)}


def command(before: pg.Posterior, new: pg.Gradebook) -> Cost:
    """What ``peerage update`` takes from its start to files written, the second time."""
    with tempfile.TemporaryDirectory() as folder:
        results, grades = Path(folder) / "results", Path(folder) / "new.csv"
        write_results(Results.of(before), results)
        new.write(grades)
        return [peerage("update", results, grades, "-o", Path(folder) / str(turn), "-q") for turn in range(2)][-1]


def forgetting() -> dict[str, list[float]]:
    """How far, in standard deviations, the means of what new grades touch are from where they end up."""
    book, _ = pg.simulate(students=20, weeks=2, setting="b", seed=1)
    before = pg.fit(book, chains=CHAINS, draws=1, burn_in=100, seed=0)
    rows = [
        {"submission": name, "grader": "prof", "role": "instructor"} | dict.fromkeys(book.rubric.names, number % 6)
        for number, name in enumerate(book.submissions[:6])
    ]
    new = pg.read_grades(pd.DataFrame(rows), rubric=book.rubric)
    layout = lay_out(merged(book, new), before.model)
    states = carried_over(before, layout)
    samples = sample(layout, chains=CHAINS, draws=120, burn_in=0, seed=0, states=states)
    print("an instructor contradicts a small class on six submissions; root mean square distance after")
    print(f"{'sweeps':<14}" + "".join(f"{f'{first + 1} to {last}':>12}" for first, last in SWEEPS))
    found = {}
    for name, entries in touched_by(new, layout).items():
        drawn = (samples.hyper if name == "hyper" else samples.draws[name])[:, :, entries].astype(float)
        end, sd = drawn[:, 60:].mean(axis=(0, 1)), drawn[:, 60:].std(axis=(0, 1))
        away = ((drawn.mean(axis=0) - end) / np.where(sd > 0, sd, 1))[:, sd > 0]
        far = [float(np.sqrt((away[first:last].mean(axis=0) ** 2).mean())) for first, last in SWEEPS]
        print(f"{name:<14}" + "".join(f"{value:>12.2f}" for value in far))
        found[name] = far
    print(f"(sampling noise alone gives up to {CHAINS**-0.5:.2f})")
    return found


def measure() -> dict[str, Any]:
    """The share of a fit that an update takes, how far the two are apart, and how chains forget."""
    book, _ = pg.simulate(setting="b", seed=0)
    before = pg.fit(book, seed=0)
    reviews = spot_checks(before)
    whole = merged(book, reviews[0])
    draws = default_draws(before, lay_out(whole, before.model))
    before.update(reviews[0], draws=1, burn_in=0)
    before.update(reviews[0])
    at_once = [timed(partial(before.update, new)) for new in reviews]
    updates = [timed(partial(before.update, new, draws=draws, burn_in=BURN_IN)) for new in reviews]
    fresh, fit_seconds = timed(partial(pg.fit, whole, seed=1))
    instant, seconds = (float(np.median([seconds for _, seconds in found])) for found in (at_once, updates))
    went_on = sum(posterior.burn_in > BURN_IN for posterior, _ in updates)
    print(f"an update takes {instant / fit_seconds:.3f} of a fit with the draws that there are: {instant:.2f} core-s")
    print(f"and {seconds / fit_seconds:.3f} with chains that go on: {seconds:.1f} core-seconds")
    print(f"(median of {UPDATES}, with {updates[0][0].n_draws} draws a chain; {went_on} went on after the burn-in)")
    before.preview(reviews[0])
    preview = float(np.median([timed(partial(before.preview, new))[1] for new in reviews]))
    print(f"a preview takes {preview / instant:.3f} of the former: {1000 * preview:.0f} ms of processor time")
    taken = command(before, reviews[0])
    print(f"peerage update takes {taken.seconds:.1f} s, {taken.core_seconds:.1f} s of processor time")
    print("distance of expected grades, most likely grades that differ, distance of biases:")
    gaps = {
        "update and fit": gap(at_once[0][0], fresh),
        "update by chains and fit": gap(updates[0][0], fresh),
        "two fits": gap(pg.fit(whole, seed=2), fresh),
    }
    for name, apart in gaps.items():
        print(f"{name:<28}{apart['distance']:.4f}, {apart['differ']:.1%}, {apart['biases']:.4f}")
    return {
        "at_once": instant,
        "share": seconds / fit_seconds,
        "seconds": seconds,
        "preview": preview,
        "command": {"seconds": taken.seconds, "core_seconds": taken.core_seconds},
        "gaps": gaps,
        "forgetting": forgetting(),
    }


if __name__ == "__main__":
    report(measure)
