"""Marks for peer grading where students have done three reviews, or twelve: honest ones and two kinds of shirkers.

cd benchmarks && python study_few_reviews.py [CLASSES]

Classes of 60 students with three reviews a week. Five of them always give the top grade, five give any.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import peerage as pg

STUDENTS, SHIRKERS = 60, 5
CLASSES = 4
WAYS: dict[str, dict[str, Any]] = {
    "default: half for doing, half for quality": {},
    "quality alone": {"completion": 0.0},
    "quality alone, sceptical": {"completion": 0.0, "sceptical": True},
}


def shirking(book: pg.Gradebook, rng: np.random.Generator) -> pg.Gradebook:
    """The class, in which the first students always give the top and the next ones anything."""
    levels = book.levels.copy()
    levels[book.review_grader < SHIRKERS] = levels.max()
    careless = (book.review_grader >= SHIRKERS) & (book.review_grader < 2 * SHIRKERS)
    levels[careless] = rng.integers(0, levels.max() + 1, levels[careless].shape)
    return replace(book, levels=levels)


def marks_of(weeks: int, seed: int) -> pd.DataFrame:
    """The mean marks of each kind of student in one class, and the least of an honest one."""
    book, _ = pg.simulate(STUDENTS, weeks, reviews_per_student=3, components=3, tas=1, seed=seed)
    posterior = pg.fit(shirking(book, np.random.default_rng(seed)), draws=400, seed=0)
    rows = []
    for way, settings in WAYS.items():
        marks = pg.credit(posterior, minimum_reviews=0, **settings)["credit"].to_numpy()[:STUDENTS]
        honest = marks[2 * SHIRKERS :]
        kinds = (honest.mean(), honest.min(), marks[:SHIRKERS].mean(), marks[SHIRKERS : 2 * SHIRKERS].mean())
        rows.append((way, 3 * weeks, *kinds))
    return pd.DataFrame(rows, columns=["marks", "reviews", "honest", "least honest", "always the top", "at random"])


def main() -> int:
    """Print the mean over classes."""
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else CLASSES
    found = pd.concat(marks_of(weeks, seed) for weeks in (1, 4) for seed in range(1, classes + 1))
    table = found.groupby(["marks", "reviews"], sort=False).mean().reset_index()
    sys.stdout.write(table.to_string(index=False, float_format="{:.0f}".format) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
