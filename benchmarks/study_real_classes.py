"""What merit and halo are worth: classes in which components share them, fitted with and without.

Classes have 40 students, who give 4 reviews in each of 4 weeks, 4 components and the paper's hyperparameters, without
staff. ``python benchmarks/study_real_classes.py [CSV] [CLASSES]`` measures so many classes of each kind (5 unless told
otherwise), writes a row for each class and estimate, and prints the table of docs/learned.md. A run that was
interrupted goes on where it stopped.
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
from study_learned import coverage, errors, plain_mean, rounded

KINDS: dict[str, dict[str, float]] = {
    "nothing": {},
    "halo .5": {"halo": 0.5},
    "halo .8": {"halo": 0.8},
    "merit .6": {"merit": 0.6},
    "halo .5 and merit .6": {"halo": 0.5, "merit": 0.6},
}
MODELS = {"default": pg.Model(), "without merit and halo": pg.Model(merit=False, halo=False)}
COVERED = ("true_grade", "total", "bias", "reliability", "effort")


def measure(kind: dict[str, float], seed: int) -> Iterator[dict[str, Any]]:
    """The rows of one class: the plain mean of all reports, and the fits."""
    book, truth = pg.simulate(40, 4, seed, tas=0, merit=kind.get("merit", 0.0), halo=kind.get("halo", 0.0))
    mean = plain_mean(book)
    yield {"estimate": "plain mean"} | errors(truth, mean, rounded(book.rubric, mean)) | level_free(mean, truth)
    for name, model in MODELS.items():
        posterior = pg.fit(book, model, seed=seed)
        grades = posterior.submissions()
        expected, likely = (
            grades[column].to_numpy(float).reshape(mean.shape) for column in ("expected", "most_likely")
        )
        row = {"estimate": name, "worst_r_hat": float(posterior.diagnostics()["r_hat"].max())}
        row |= (
            errors(truth, expected, likely)
            | level_free(expected, truth)
            | coverage(posterior, truth)
            | totals_coverage(posterior, truth)
        )
        learned = posterior.priors().set_index("parameter")["value"]
        yield row | {share: float(learned.get(share, np.nan)) for share in ("merit", "halo")}


def level_free(grades: NDArray[np.float64], truth: pg.Truth) -> dict[str, float]:
    """The error that is left if the mean of all grades is known, which no class without staff can tell."""
    gap = grades - np.clip(truth.true_grade, 0, 5)
    return {"level_free": float(np.abs(gap - gap.mean()).mean())}


def totals_coverage(posterior: pg.Posterior, truth: pg.Truth) -> dict[str, float]:
    """The share of totals of true grades, cut at the rubric's ends, that lie in their 90 % interval."""
    drawn, true = (np.clip(values, 0, 5).sum(axis=-1) for values in (posterior.draws["true_grade"], truth.true_grade))
    lower, upper = np.quantile(drawn, [0.05, 0.95], axis=(0, 1))
    return {"total_coverage": float(((lower <= true) & (true <= upper)).mean())}


def study(path: Path, classes: int) -> pd.DataFrame:
    """Measure all classes that the file has not, a seed of every kind after the other, and keep it up to date."""
    cases = ({"kind": name, "seed": seed} for seed, name in product(range(classes), KINDS))
    return measure_missing(path, cases, lambda case: measure(KINDS[case["kind"]], case["seed"]))


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """The table of docs/learned.md."""
    heads = ["what is shared", "estimate", "error", "level known", "s", "totals", "bias", "reliability", "effort"]
    yield f"| {' | '.join([*heads, 'merit', 'halo', 'R-hat'])} |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    means = rows.drop(columns="seed").groupby(["kind", "estimate"], sort=False).mean().reset_index()
    for row in means.to_dict("records"):
        shares = [_shown(100 * row[f"{name}_coverage"], ".0f") for name in COVERED]
        learned = [_shown(row[name], ".2f") for name in ("merit", "halo", "worst_r_hat")]
        error = f"{row['mae']:.3f} | {row['level_free']:.3f}"
        yield f"| {row['kind']} | {row['estimate']} | {error} | {' | '.join(shares + learned)} |"


def _shown(value: float, form: str) -> str:
    return "" if np.isnan(value) else f"{value:{form}}"


def main(path: str = "study_real_classes.csv", classes: str = "5") -> None:
    """Measure what is missing and print the table."""
    print("\n".join(markdown(study(Path(path), int(classes)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
