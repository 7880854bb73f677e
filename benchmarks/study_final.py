"""How near the grades that students get are to the true ones, in every form of final grades, in classes of many kinds.

``python benchmarks/study_final.py [CSV]`` simulates ten classes of each kind, fits them with default settings, and
prints the tables of docs/explanations.md: the error of each form of grades, and, for averages, what it costs to stay
near the desired weights. It writes a row for each class; a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import peerage as pg
from kept_rows import measure_missing
from peerage.simulation.simulated_class import SETTINGS
from study_learned import Kind, distance, plain_mean, rounded

SEEDS = 10
SIZE: dict[str, Any] = {"students": 40, "weeks": 3}
KINDS = {
    "(a)": Kind(SETTINGS["a"], **SIZE),
    "(b)": Kind(SETTINGS["b"], **SIZE),
    "(c)": Kind(SETTINGS["c"], **SIZE),
    "tight": Kind({"sigma_s": 0.4, "sigma_b": 0.5}, **SIZE),
    "near the top": Kind({"mu_s": 4.8, "sigma_s": 0.7}, **SIZE),
    "half shirk": Kind({"alpha_e": 2.0, "beta_e": 2.0, "tau_l": 4.0}, **SIZE),
}
KINDS["halo and merit"] = KINDS["(b)"]
SHARED: dict[str, Any] = {"halo and merit": {"merit": 0.6, "halo": 0.5}}
"""What components share in classes of some kinds."""

FRONTIER = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Penalties for leaving the desired weights."""

ROWS = {
    "average": "averages (the default)",
    "explained": "explained, rounded to a legal grade",
    "adjusted": "explained, biases taken off",
    "most_likely": "most likely",
    "mean": "plain mean",
    "rounded_mean": "plain mean, rounded",
    "expected": "expected grade, which is not given",
}

Floats = NDArray[np.float64]


def measure(name: str, seed: int) -> dict[str, float]:
    """The mean distance of each form of grades from the true grades of one class, on the scale of 0 to 5."""
    kind = KINDS[name]
    model, shared = pg.Model(priors=pg.Priors.paper(**kind.priors)), SHARED.get(name, {})
    book, truth = pg.simulate(kind.students, kind.weeks, seed, components=kind.components, model=model, **shared)
    posterior = pg.fit(book, seed=seed)
    table, mean = posterior.submissions(), plain_mean(book)

    def error(grades: Floats) -> float:
        return distance(book.rubric, grades.reshape(mean.shape), truth.true_grade)

    def given(**choices: Any) -> pg.Explanation:
        return pg.explain(posterior, staff_final=True, **choices)

    found = {
        "expected": error(table["expected"].to_numpy()),
        "most_likely": error(table["most_likely"].to_numpy()),
        "explained": error(given().grades["grade"].to_numpy()),
        "adjusted": error(given(adjust_bias=True).grades["grade"].to_numpy()),
        "mean": error(mean),
        "rounded_mean": error(rounded(book.rubric, mean)),
        "average": error(given(form="average").grades["grade"].to_numpy()),
    }
    for penalty in FRONTIER:
        explanation = given(form="average", weighting=pg.Weighting(penalty=penalty))
        found[f"error {penalty}"] = error(explanation.grades["grade"].to_numpy())
        weights = explanation.weights
        moved = (weights["weight"] - weights["desired_weight"]).abs().sum() / 2
        found[f"moved {penalty}"] = float(moved / book.n_submissions)
    return found


def study(path: Path) -> pd.DataFrame:
    """Measure all classes that the file has not, and keep it up to date."""
    cases = ({"kind": name, "seed": seed} for seed, name in product(range(SEEDS), KINDS))
    return measure_missing(path, cases, lambda case: [measure(case["kind"], case["seed"])])


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/explanations.md."""
    means = rows.groupby("kind", sort=False).mean(numeric_only=True)
    yield f"| grades | {' | '.join(map(str, means.index))} |"
    yield "|---|" + "---|" * len(means)
    for name, words in ROWS.items():
        yield f"| {words} | {' | '.join(f'{value:.3f}' for value in means[name])} |"
    yield "\n| penalty | error | share of the weight that moved |\n|---|---|---|"
    everywhere = rows.mean(numeric_only=True)
    for penalty in FRONTIER:
        yield f"| {penalty:g} | {everywhere[f'error {penalty}']:.3f} | {everywhere[f'moved {penalty}']:.2f} |"


def main(path: str = "study_final.csv") -> None:
    """Measure what is missing, and print the tables."""
    print("\n".join(markdown(study(Path(path)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
