"""How close to staff's grades untouched defaults come on one assignment of a real MOOC.

``python benchmarks/study_mooc.py FOLDER`` takes a folder with ``peer_grades.csv`` and ``staff_grades.csv`` (submission,
grade), which the fits never see. It prints the root mean squared error of the plain model, of that with correlation and
of the one that is chosen for the class, and of the peers' mean and median, with intervals from a bootstrap over the
submissions that staff graded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import peerage as pg

RESAMPLES = 10_000
MODELS: dict[str, pg.Model | str] = {
    "plain": pg.Model(),
    "correlation": pg.Model(correlation=True),
    "auto": "auto",
}

Floats = NDArray[np.float64]


def estimates(book: pg.Gradebook) -> Iterator[tuple[str, pd.Series[float]]]:
    """Grades by submission, of each kind of estimate; those of the models are announced as they are made."""
    yield "mean of peers", book.table().groupby("submission")["grade"].mean()
    yield "median of peers", book.table().groupby("submission")["grade"].median()
    for name, model in MODELS.items():
        posterior = pg.fit(book, model, seed=0)
        for line in posterior.choice.sentences if posterior.choice else ():
            print(line, file=sys.stderr)
        for problem in posterior.warnings:
            print(f"{name}: {problem}", file=sys.stderr)
        yield name, posterior.submissions().set_index("submission")["expected"]


def intervals(squares: Floats, others: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """95 % intervals of a root mean squared error, and of how much it is above another's on the same submissions."""
    chosen = rng.integers(0, len(squares), (RESAMPLES, len(squares)))
    own, other = (np.sqrt(values[chosen].mean(axis=1)) for values in (squares, others))
    return np.quantile(own, [0.025, 0.975]), np.quantile(own - other, [0.025, 0.975])


def verdict(low: float, high: float) -> str:
    """What an interval of a difference says."""
    if low > 0:
        return "worse"
    return "better" if high < 0 else "within noise"


def main(folder: str) -> None:
    """Print a row for each estimate."""
    book = pg.read_grades(Path(folder) / "peer_grades.csv")
    staff = pd.read_csv(Path(folder) / "staff_grades.csv", dtype={"submission": str}).set_index("submission")["grade"]
    print(book, *book.notices, sep="\n", file=sys.stderr)
    print(f"| estimate | error against {len(staff)} staff grades | above the mean's |\n|---|---|---|")
    means: Floats | None = None
    for name, grades in estimates(book):
        squares = ((grades.loc[staff.index] - staff) ** 2).to_numpy(float)
        means = squares if means is None else means
        own, above = intervals(squares, means, np.random.default_rng(0))
        gap = np.sqrt(squares.mean()) - np.sqrt(means.mean())
        noise = f"{gap:+.2f} ({above[0]:+.2f} to {above[1]:+.2f}): {verdict(*above)}" if squares is not means else ""
        print(f"| {name} | {np.sqrt(squares.mean()):.2f} ({own[0]:.2f} to {own[1]:.2f}) | {noise} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
