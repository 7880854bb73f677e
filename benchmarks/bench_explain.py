"""What explained grades cost in accuracy, and how fast they are found."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

import peerage as pg
from figures import report

SEEDS = range(3)
HEADINGS = (
    "class", "reviews each", "differ", "differ, adjusted", "error, explained", "error, adjusted", "error, most likely",
    "submissions/s of processor time",
)  # fmt: skip


def row(setting: str, reviews: int, weeks: int, seed: int) -> list[float]:
    """One class's row of the table.

    The share of explained grades that are not the most likely ones, without and with biases taken off the reports; the
    errors of these two and of the most likely grades (the mean distance from the true grade, cut at the rubric's
    ends); and submissions a second of processor time.
    """
    book, truth = pg.simulate(weeks=weeks, reviews_per_student=reviews, setting=setting, seed=seed)
    posterior = pg.fit(book, truth.model, chains=2, draws=500, seed=seed)
    begun = process_time()
    plain = pg.explain(posterior)
    seconds = process_time() - begun
    adjusted = pg.explain(posterior, adjust_bias=True)
    true = np.clip(truth.true_grades()["true_grade"], 0, 5)
    grades = plain.grades["grade"], adjusted.grades["grade"], plain.grades["most_likely"]
    differ = [explanation.n_different / len(true) for explanation in (plain, adjusted)]
    return [*differ, *((grade - true).abs().mean() for grade in grades), book.n_submissions / seconds]


def measure() -> dict[str, Any]:
    """A table of the paper's three classes, with its four reviews a submission and with seven."""
    small, _ = pg.simulate(students=10, weeks=1)
    pg.explain(pg.fit(small, chains=1, draws=10, seed=0))  # compiles
    print(" | ".join(HEADINGS))
    rows = []
    for reviews, weeks in ((4, 10), (7, 5)):
        for setting in "abc":
            means = np.mean([row(setting, reviews, weeks, seed) for seed in SEEDS], axis=0).tolist()
            figures = [f"{means[0]:.1%}", f"{means[1]:.1%}", *(f"{error:.3f}" for error in means[2:5])]
            print(" | ".join([f"({setting})", f"{reviews}", *figures, f"{means[5]:.0f}"]), flush=True)
            rows.append(dict(zip(HEADINGS, (setting, reviews, *means), strict=True)))
    return {"rows": rows}


if __name__ == "__main__":
    report(measure)
