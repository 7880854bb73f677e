"""Whether heaping helps: components worth 2 to 4 points graded by 0.05, most grades whole or half points all the same.

``python benchmarks/study_heaping.py [CSV] [--classes N] [--kind NAME …]`` simulates N classes of each kind (2 unless
told otherwise) with a simulator of its own (``staffed``), fits each with and without heaping, writes a row for each
fit, and prints a table of the totals' errors and intervals, in points. A run that was interrupted goes on where it
stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import peerage as pg
from kept_rows import measure_missing
from known_truth import averages, covered_grades, expected, plain_mean, points
from peerage.inference.chain_agreement import largest_r_hat
from peerage.rubric import MODEL_MAXIMUM
from staffed import Kind, draw_class

Floats = NDArray[np.float64]

SEVERE = Kind(students=120, mean_bias=-0.3, merit=0.75, halo=0.5, heaped=True)
KINDS = {
    "1 TA on 25 of 120": Kind(**(vars(SEVERE) | {"staff": 1, "share": 25 / 120})),
    "no staff": SEVERE,
}
MODELS = {"with heaping": pg.Model(), "without": pg.Model(heaping=False)}


def measure(kind: Kind, seed: int, model: str) -> dict[str, Any]:
    """The row of one fit."""
    drawn, start = draw_class(kind, seed), process_time()
    posterior = pg.fit(drawn.book, MODELS[model], seed=seed, workers=1)
    seconds = process_time() - start
    priors = posterior.priors().set_index("parameter")["value"]
    truth = points(drawn.book, np.clip(drawn.true_grade, 0, MODEL_MAXIMUM))
    grades = {"mean": plain_mean(drawn.book), "expected": expected(posterior), "final": averages(posterior)}
    found: dict[str, Any] = {}
    for name, values in grades.items():
        total = points(drawn.book, values)
        found[f"{name}_rmse"] = float(np.sqrt(np.mean((total - truth) ** 2)))
        found[f"{name}_level_known"] = float(np.std(total - truth))
        found[f"{name}_correlation"] = float(np.corrcoef(total, truth)[0, 1])
    return {
        **found,
        **{f"covered_{name}": share for name, share in covered_grades(posterior, drawn.true_grade).items()},
        **{name: priors.get(name, np.nan) for name in ("rounded_whole", "rounded_half", "rounded_quarter")},
        **{
            name: float(priors[name].mean())
            for name in ("effort", "tau_l", "reliability", "merit", "halo")
            if name in priors
        },
        "elpd": float(posterior.leave_one_out.log_mass.sum()),
        "r_hat": largest_r_hat(posterior),
        "draws": posterior.n_draws,
        "simpler": posterior.asked is not None,
        "core_seconds": seconds,
    }


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """A row for each kind and model: root mean squared errors, correlations with the truth, coverage, prediction."""
    yield "| class | model | mean | expected | final | correlation of these | 90 % intervals of totals hold | elpd |"
    yield "|---|---|---|---|---|---|---|---|"
    for (kind, model), part in rows.groupby(["kind", "model"], sort=False):
        mean = part.mean(numeric_only=True)
        errors = " | ".join(f"{mean[f'{name}_rmse']:.3f}" for name in ("mean", "expected", "final"))
        fits = ", ".join(f"{mean[f'{name}_correlation']:.3f}" for name in ("mean", "expected", "final"))
        yield f"| {kind} | {model} | {errors} | {fits} | {mean['covered_totals']:.0%} | {mean['elpd']:.0f} |"


def main() -> None:
    """Measure what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, nargs="?", default=Path("study_heaping.csv"))
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these; repeat it for several")
    asked = parser.parse_args()
    cases = (
        {"kind": kind, "seed": seed, "model": model}
        for seed, kind, model in product(range(asked.classes), asked.kind or KINDS, MODELS)
    )
    rows = measure_missing(asked.csv, cases, lambda case: [measure(KINDS[case["kind"]], case["seed"], case["model"])])
    print("\n".join(markdown(rows)))
    print(f"\nA simpler model was used in {rows['simpler'].astype(bool).sum()} of {len(rows)} fits.")


if __name__ == "__main__":
    main()
