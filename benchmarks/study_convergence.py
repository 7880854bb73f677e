"""Whether default fits settle, and whether two seeds give the same grades: on real classes, and on simulated ones.

``python benchmarks/study_convergence.py [CSV] [--real FOLDER …] [--classes N]`` fits every set of grades below the
folders (``real_sets``), and N classes of each kind of ``study_staff`` (1 unless told otherwise), with two seeds each.
It writes a row for each class and prints the table of docs/learned.md. A run that was interrupted goes on where it
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd

import peerage as pg
from kept_rows import measure_missing, study_options
from peerage.inference.chain_agreement import largest_r_hat
from real_sets import real_sets
from staffed import Kind, draw_class
from study_staff import KINDS
from tables import table
from two_seeds import agreement

AGREE = ("most_likely", "explained", "averages")
"""Grades of which two seeds must agree on 99 %."""


def measure(book: pg.Gradebook) -> dict[str, Any]:
    """The row of one class."""
    start = process_time()
    first, second = (pg.fit(book, seed=seed) for seed in (0, 1))
    return {
        "core_seconds": (process_time() - start) / 2,
        "model": first.model.name,
        "simpler": int(first.asked is not None) + int(second.asked is not None),
        "draws": first.n_draws,
        "r_hat": max(map(largest_r_hat, (first, second))),
        **agreement(first, second),
    }


def classes(folders: list[Path], number: int) -> Iterator[tuple[str, Callable[[], pg.Gradebook]]]:
    """The name of each class, and how to get it."""
    for folder in folders:
        for found in real_sets(folder):
            yield found.name, found.read
    for seed in range(number):
        for name, kind in KINDS.items():
            yield f"{name}, class {seed + 1}", partial(_simulated, kind, seed)


def _simulated(kind: Kind, seed: int) -> pg.Gradebook:
    return draw_class(kind, seed).book


def markdown(rows: pd.DataFrame) -> str:
    """The table of docs/learned.md."""
    heads = (
        "class",
        "model",
        "draws",
        "largest R-hat",
        "clear",
        "most likely",
        "explained",
        "averages",
        "core-seconds",
    )
    return table(
        heads,
        (
            (
                str(row["class"]),
                f"{row['model']}{' (fallen back)' if row['simpler'] else ''}",
                f"{row['draws']:,}",
                f"{row['r_hat']:.3f}",
                *(f"{row[name]:.1%}" for name in ("clear", *AGREE)),
                f"{row['core_seconds']:.0f}",
            )
            for row in rows.to_dict("records")
        ),
    )


def misses(rows: pd.DataFrame) -> Iterator[str]:
    """What does not hold of what is asked, in each class, and over all of them."""
    for row in rows.to_dict("records"):
        if row["r_hat"] > 1.05 and not row["simpler"]:
            yield f"{row['class']}: R-hat is {row['r_hat']:.3f}, and no simpler model was used"
    for name in AGREE:
        if rows[name].mean() < 0.99:
            yield f"{name.replace('_', ' ')}: two seeds agree on {rows[name].mean():.1%}"


def main() -> None:
    """Measure what is missing and print the table."""
    parser = study_options(__doc__, "study_convergence.csv", classes=1)
    parser.add_argument("--real", type=Path, nargs="+", default=[], metavar="FOLDER")
    asked = parser.parse_args()
    known = dict(classes(asked.real, asked.classes))
    rows = measure_missing(
        asked.csv, ({"class": name} for name in known), lambda case: [measure(known[case["class"]]())]
    )
    print(markdown(rows))
    print("\n" + ("\n".join(misses(rows)) or "Everything that is asked holds."))


if __name__ == "__main__":
    main()
