"""How near the grades that students get are to the true ones, in every form of final grades, in classes of many kinds.

``python benchmarks/study_final.py [CSV] [--classes N] [--kind NAME …]`` simulates N classes of each kind (10 unless
told otherwise), fits them with default settings, and prints the tables of docs/explanations.md: the error of each form
of grades, how averages compare with the expected grade and with the rounded mean, and what it costs to stay near the
desired weights. It writes a row for each class; a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import peerage as pg
from kept_rows import measure_missing, study_options
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.explain.submission_cases import graded_by_staff
from peerage.simulation.simulated_class import SETTINGS
from study_learned import Kind, distance, plain_mean, rounded, simulated

TAS = 3
SIZE: dict[str, Any] = {"students": 40, "weeks": 3}
STAFFED: dict[str, Any] = SIZE | {"ta_spread": 0.15}
"""TAs nearly agree among themselves, as a fit with default settings assumes."""

KINDS = {
    "(a)": Kind(SETTINGS["a"], **STAFFED),
    "(b)": Kind(SETTINGS["b"], **STAFFED),
    "(c)": Kind(SETTINGS["c"], **STAFFED),
    "tight": Kind({"sigma_s": 0.4, "sigma_b": 0.5}, **STAFFED),
    "near the top": Kind({"mu_s": 4.8, "sigma_s": 0.7}, **STAFFED),
    "half shirk": Kind({"alpha_e": 2.0, "beta_e": 2.0, "tau_l": 4.0}, **STAFFED),
}
KINDS["halo and merit"] = KINDS["(b)"]
KINDS["(b), TAs differ like students"] = Kind(SETTINGS["b"], **SIZE)
SHARED: dict[str, Any] = {"halo and merit": {"merit": 0.6, "halo": 0.5}}
"""What components share in classes of some kinds."""

FRONTIER = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Penalties for leaving the desired weights."""

ROWS = {
    "average": "averages (the default)",
    "at_students_level": "averages, left at the students' level",
    "explained": "explained, rounded to a legal grade",
    "adjusted": "explained, biases taken off",
    "most_likely": "most likely",
    "mean": "plain mean",
    "rounded_mean": "plain mean, rounded",
    "expected": "expected grade, which is not given",
}

COMPARED = {
    "expected": "averages less the expected grade",
    "rounded_mean": "averages less the plain mean, rounded",
}
"""What averages are compared with, class by class."""

Floats = NDArray[np.float64]


def measure(name: str, seed: int) -> dict[str, float]:
    """The mean distance of each form of grades from the true grades of one class, on the scale of 0 to 5.

    It is that of submissions that no staff graded: where staff did, their grade stands, whatever the form.
    """
    book, truth = simulated(KINDS[name], TAS, seed, **SHARED.get(name, {}))
    posterior = pg.fit(book, seed=seed)
    table, mean = posterior.submissions(), plain_mean(book)
    by_students = ~graded_by_staff(book).any(axis=1)

    def error(grades: Floats) -> float:
        return distance(book.rubric, grades.reshape(mean.shape)[by_students], truth.true_grade[by_students])

    def given(**choices: Any) -> pg.Explanation:
        return pg.explain(posterior, staff_final=True, **choices)

    default = DecisionChoices().explain(posterior)
    assert default is not None
    found = {
        "expected": error(table["expected"].to_numpy()),
        "most_likely": error(table["most_likely"].to_numpy()),
        "explained": error(given().grades["grade"].to_numpy()),
        "adjusted": error(given(adjust_bias=True).grades["grade"].to_numpy()),
        "mean": error(mean),
        "rounded_mean": error(rounded(book.rubric, mean)),
        "average": error(default.grades["grade"].to_numpy()),
        "at_students_level": error(given(form="average").grades["grade"].to_numpy()),
    }
    for penalty in FRONTIER:
        explanation = given(form="average", weighting=pg.Weighting(penalty=penalty))
        found[f"error {penalty}"] = error(explanation.grades["grade"].to_numpy())
        weights = explanation.weights
        moved = (weights["weight"] - weights["desired_weight"]).abs().sum() / 2
        found[f"moved {penalty}"] = float(moved / book.n_submissions)
    return found


def study(path: Path, classes: int, kinds: Iterable[str]) -> pd.DataFrame:
    """Measure so many classes of some kinds, but for those that the file has, and keep it up to date."""
    cases = ({"kind": name, "seed": seed} for seed, name in product(range(classes), kinds))
    return measure_missing(path, cases, lambda case: [measure(case["kind"], case["seed"])])


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/explanations.md."""
    means = rows.groupby("kind", sort=False).mean(numeric_only=True)
    yield f"| grades | {' | '.join(map(str, means.index))} |"
    yield "|---|" + "---|" * len(means)
    for name, words in ROWS.items():
        yield f"| {words} | {' | '.join(f'{value:.3f}' for value in means[name])} |"
    for name, words in COMPARED.items():
        yield f"| {words} | {' | '.join(_differences(rows, name, means.index))} |"
    yield "\n| penalty | error | share of the weight that moved |\n|---|---|---|"
    everywhere = rows.mean(numeric_only=True)
    for penalty in FRONTIER:
        yield f"| {penalty:g} | {everywhere[f'error {penalty}']:.3f} | {everywhere[f'moved {penalty}']:.2f} |"


def _differences(rows: pd.DataFrame, other: str, kinds: Iterable[object]) -> Iterator[str]:
    """Of each kind how much larger the error of averages is than another, with a standard error over classes."""
    for kind in kinds:
        difference = (rows["average"] - rows[other])[rows["kind"] == kind].to_numpy(float)
        error = difference.std(ddof=1) / math.sqrt(len(difference)) if len(difference) > 1 else math.nan
        yield f"{difference.mean():+.3f} ± {error:.3f}"


def main() -> None:
    """Measure what is missing, and print the tables."""
    parser = study_options(__doc__, "study_final.csv", classes=10)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these; repeat it for several")
    asked = parser.parse_args()
    print("\n".join(markdown(study(asked.csv, asked.classes, asked.kind or KINDS))))


if __name__ == "__main__":
    main()
