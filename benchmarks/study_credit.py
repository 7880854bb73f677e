"""Whether students gain by grading more, and whether skipping required reviews ever pays.

In each simulated class there is a student of every kind. Their first 2, 4, 8, … reviews are kept, and the class is
fitted with each number. The marks of the same student with more and with fewer reviews are compared.

``python benchmarks/study_credit.py [CSV] [CLASSES]`` measures 20 classes unless told otherwise, and prints the tables
of docs/credit.md. A run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import peerage as pg
from kept_rows import measure_missing

SCEPTICAL: dict[str, Any] = {"completion": 0.0, "sceptical": True, "minimum_reviews": 0}
"""Marks for quality alone, whatever the number of reviews."""

STUDENTS, WEEKS = 32, 8
COUNTS = (2, 4, 8, 16, 32)
KINDS = {
    "poor": (0.1, 0.8),
    "very weak": (0.31, 0.8),
    "weak": (0.4, 0.8),
    "fair": (0.8, 0.8),
    "good": (1.5, 0.9),
    "very good": (3.0, 1.0),
}
"""Reliability and effort; the zero mark is at a dependability (their product) of 0.2."""


def simulated(seed: int) -> tuple[pg.Gradebook, pg.Model, dict[str, str]]:
    """A class, the model that it is fitted with, and the kinds of those students whose kind is known."""
    kinds = {f"student{number:02}": kind for number, kind in enumerate(KINDS, start=1)}
    fixed = pg.Fixed(
        reliability={name: KINDS[kind][0] for name, kind in kinds.items()},
        effort={name: KINDS[kind][1] for name, kind in kinds.items()},
    )
    book, _ = pg.simulate(STUDENTS, WEEKS, seed=seed, model=pg.Model(priors="paper", fixed=fixed))
    return book, pg.Model(priors="paper"), kinds


def first_reviews(book: pg.Gradebook, graders: list[int], count: int) -> pg.Gradebook:
    """The class in which some graders did no more than their first reviews."""
    kept = np.ones(book.n_reviews, dtype=bool)
    for grader in graders:
        kept[np.flatnonzero(book.review_grader == grader)[count:]] = False
    return book.select(kept)


def measure(seed: int) -> list[dict[str, Any]]:
    """One class: the marks of each student of a known kind, by the number of reviews done."""
    book, model, kinds = simulated(seed)
    graders = [book.graders.index(name) for name in kinds]
    rows: list[dict[str, Any]] = []
    for count in COUNTS:
        posterior = pg.fit(first_reviews(book, graders, count), model, chains=2, draws=400, burn_in=150, seed=seed)
        free, owed = (
            pg.credit(posterior, required_reviews=required, **SCEPTICAL).set_index("grader")["credit"]
            for required in (0, COUNTS[-1])
        )
        rows += [
            {"kind": kind, "reviews": count, "mark": free[name], "mark_of_required": owed[name]}
            for name, kind in kinds.items()
        ]
    return rows


def show(marks: pd.DataFrame, column: str) -> None:
    """Print a row for each kind: mean marks, and what doing twice as many reviews gains, with its standard error."""
    for kind, traits in KINDS.items():
        table = marks[marks["kind"] == kind].pivot_table(index="seed", columns="reviews", values=column).to_numpy(float)
        gains = np.diff(table, axis=1)
        errors = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
        means = [f"{mean:.1f}" for mean in table.mean(axis=0)]
        told = [f"{gain:+.1f} ± {error:.1f}" for gain, error in zip(gains.mean(axis=0), errors, strict=True)]
        print(" | ".join([f"{kind} ({np.prod(traits):.2f})", *means, *told]), flush=True)


def main(path: str = "study_credit.csv", classes: str = "20") -> None:
    """Measure what is missing, and print mean marks and gains, with standard errors over classes."""
    cases = ({"seed": seed} for seed in range(int(classes)))
    marks = measure_missing(Path(path), cases, lambda case: measure(case["seed"]))
    gains = [f"from {fewer} to {more}" for fewer, more in pairwise(COUNTS)]
    for column, title in (("mark", "no reviews are required"), ("mark_of_required", f"{COUNTS[-1]} are required")):
        print(f"\nMarks, {title}\n" + " | ".join(["kind", *map(str, COUNTS), *gains]))
        show(marks, column)


if __name__ == "__main__":
    main(*sys.argv[1:])
