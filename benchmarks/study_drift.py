"""What drift is worth where biases drift, and what it costs where they do not: classes of ``unusual``.

``python benchmarks/study_drift.py [CSV] [--classes N]`` simulates N classes of each kind (10 unless told otherwise),
fits each with and without drift, writes a row for each fit, and prints the table of docs/learned.md: errors of expected
grades and of biases in a week, how many of their 90 % intervals hold the truth, and how well left-out reviews are
predicted. A run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

import peerage as pg
from kept_rows import measure_missing, study_options
from known_truth import covered_grades, covered_students, errors, expected
from tables import table
from unusual import Kind, draw_class

KINDS = {
    "biases drift by .3 a week": Kind(drift=0.3),
    "… with halo .5 and merit .6": Kind(drift=0.3, halo=0.5, merit=0.6),
    "they stay": Kind(),
}
MODELS = {"with drift": pg.Model(drift=True), "without": pg.Model()}
COVERED = ("grades", "totals", "weekly", "bias", "reliability", "effort")


def measure(kind: Kind, seed: int, model: str) -> dict[str, Any]:
    """The row of one fit."""
    drawn, start = draw_class(kind, seed), process_time()
    posterior = pg.fit(drawn.book, MODELS[model], seed=seed, workers=1)
    seconds = process_time() - start
    biases, assignments = posterior.biases(), list(dict.fromkeys(drawn.book.assignments))
    grader, week = biases["grader"].map(drawn.book.graders.index), biases["assignment"].map(assignments.index)
    truth = drawn.weekly[grader, week]
    learned = posterior.priors().set_index("parameter")["value"]
    return {
        **errors(expected(posterior), drawn.true_grade),
        **covered_grades(posterior, drawn.true_grade),
        **covered_students(posterior, bias=drawn.bias, reliability=drawn.reliability, effort=drawn.effort),
        "weekly": float(biases["bias_lower"].le(truth).mul(biases["bias_upper"].ge(truth)).mean()),
        "weekly_rmse": float(np.sqrt(np.mean((biases["bias"] - truth) ** 2))),
        "drift": float(learned.get("drift", np.nan)),
        "elpd": float(posterior.leave_one_out.log_mass.sum()),
        "simpler": posterior.asked is not None,
        "core_seconds": seconds,
    }


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """A row for each kind and model: means over the classes."""
    covered = ("s", "totals", "bias in a week", "bias", "reliability", "effort")
    heads = ("classes", "model", "error", "level known", "bias in a week off by", *covered)
    grouped = rows.groupby(["kind", "model"], sort=False).mean(numeric_only=True).reset_index().to_dict("records")
    yield table(
        (*heads, "drift learned", "log score", "core-seconds"),
        (
            (
                str(row["kind"]),
                str(row["model"]),
                *(f"{row[name]:.3f}" for name in ("error", "level_known", "weekly_rmse")),
                *(f"{100 * row[name]:.0f}" for name in COVERED),
                "–" if np.isnan(row["drift"]) else f"{row['drift']:.2f}",
                f"{row['elpd']:.0f}",
                f"{row['core_seconds']:.0f}",
            )
            for row in grouped
        ),
    )


def main() -> None:
    """Measure what is missing and print the table."""
    asked = study_options(__doc__, "study_drift.csv", classes=10).parse_args()
    cases = (
        {"kind": kind, "seed": seed, "model": model}
        for seed, kind, model in product(range(asked.classes), KINDS, MODELS)
    )
    rows = measure_missing(asked.csv, cases, lambda case: [measure(KINDS[case["kind"]], case["seed"], case["model"])])
    print("\n".join(markdown(rows)))
    print(f"\nA simpler model was used in {rows['simpler'].astype(bool).sum()} of {len(rows)} fits.")


if __name__ == "__main__":
    main()
