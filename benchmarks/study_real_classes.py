"""What is lost where a class is not as the model assumes: classes that break one assumption each (``unusual``).

``python benchmarks/study_real_classes.py [CSV] [--classes N] [--kind NAME …] [--without]`` measures so many classes of
each kind (5 unless told otherwise) by the plain mean and by a fit with default settings; ``--without`` also fits
without merit and halo. It writes a row for each class and estimate, prints the tables of docs/learned.md, and says what
does not hold of what is asked. A run that was interrupted goes on where it stopped.
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
from known_truth import averages, covered_grades, covered_students, errors, expected, plain_mean
from peerage.inference.chain_agreement import largest_r_hat
from tables import table
from unusual import Kind, draw_class

KINDS = {
    "nothing": Kind(),
    "halo .5": Kind(halo=0.5),
    "halo .8": Kind(halo=0.8),
    "merit .6": Kind(merit=0.6),
    "halo .5 and merit .6": Kind(halo=0.5, merit=0.6),
    "half the graders use half of the range": Kind(narrow=0.5),
    "half never go below 3": Kind(floored=0.5),
    "all never go below 3": Kind(floored=1.0),
    "biases drift by .3 a week": Kind(drift=0.3),
    "one in five pairs are friends": Kind(friends=0.2),
    "a fifth in a ring": Kind(ring=0.2),
    "two fifths in a ring": Kind(ring=0.4),
    "peers generous by .6, three TAs": Kind(generous=0.6, tas=3),
    "peers generous by .6, no TA": Kind(generous=0.6),
}
MODELLED = (
    *("nothing", "halo .5", "halo .8", "merit .6", "halo .5 and merit .6"),
    *("half never go below 3", "all never go below 3", "peers generous by .6, three TAs"),
)
"""The kinds in which a feature of the model describes what is different, so that intervals ought to cover."""

MEAN, DEFAULT, WITHOUT = "plain mean", "default", "without merit and halo"
MODELS = {DEFAULT: pg.Model(), WITHOUT: pg.Model(merit=False, halo=False)}
COVERED = ("grades", "totals", "bias", "reliability", "effort")
AHEAD = {"halo .5 and merit .6": 0.05}
"""By which part of its error the plain mean has to be beaten; elsewhere it must not be better."""


def measure(kind: Kind, seed: int, estimate: str) -> dict[str, Any]:
    """The row of an estimate of one class; ``final`` are the grades that the class gets."""
    drawn = draw_class(kind, seed)
    if estimate == MEAN:
        return errors(plain_mean(drawn.book), drawn.true_grade)
    start = process_time()
    posterior = pg.fit(drawn.book, MODELS[estimate], seed=seed)
    seconds = process_time() - start
    learned = posterior.priors().set_index("parameter")["value"]
    return {
        **errors(expected(posterior), drawn.true_grade),
        **{f"final_{name}": value for name, value in errors(averages(posterior), drawn.true_grade).items()},
        **covered_grades(posterior, drawn.true_grade),
        **covered_students(posterior, bias=drawn.bias, reliability=drawn.reliability, effort=drawn.effort),
        **{share: float(learned.get(share, np.nan)) for share in ("merit", "halo")},
        "r_hat": largest_r_hat(posterior),
        "simpler": posterior.asked is not None,
        "told": bool(posterior.check().sentences),
        "draws": posterior.n_draws,
        "core_seconds": seconds,
    }


def by_kind(rows: pd.DataFrame, estimate: str) -> pd.DataFrame:
    """A row for each kind: means over its classes, and how far errors are from the plain mean's, in pairs.

    Where no staff graded nobody can know the level, and errors with the level known are compared.
    """
    mean, fitted = (rows[rows["estimate"] == name].set_index(["kind", "seed"]) for name in (MEAN, estimate))
    paired = fitted.join(mean[["error", "level_known"]].add_prefix("mean_"), how="inner")
    numbers = paired.drop(columns="estimate").astype(float)
    staffed = np.array([KINDS[kind].tas > 0 for kind in numbers.index.get_level_values("kind")])
    judged = {
        name: numbers[f"{name}error"].where(staffed, numbers[f"{name}level_known"]) for name in ("", "final_", "mean_")
    }
    numbers["judged_mean"] = judged["mean_"]
    numbers["gap"], numbers["final_gap"] = (judged[name] - judged["mean_"] for name in ("", "final_"))
    grouped = numbers.groupby("kind", sort=False)
    means = grouped.mean().assign(gap_se=grouped["gap"].sem(), final_gap_se=grouped["final_gap"].sem())
    return means.assign(r_hat=grouped["r_hat"].max(), classes=grouped.size()).reset_index()


def markdown(means: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/learned.md: errors, then coverage and what was learned."""
    errors_of = ("plain mean", "expected", "final", "level known: plain mean", "expected", "final")
    shown = ("mean_error", "error", "final_error", "mean_level_known", "level_known", "final_level_known")
    rows = means.to_dict("records")
    yield table(
        ("what is different", *errors_of, "expected − mean", "final − mean"),
        (
            (
                str(row["kind"]),
                *(f"{row[name]:.3f}" for name in shown),
                *(f"{row[name]:+.3f} ± {row[f'{name}_se']:.3f}" for name in ("gap", "final_gap")),
            )
            for row in rows
        ),
    )
    learned = ("s", "totals", "bias", "reliability", "effort", "merit", "halo", "largest R-hat")
    yield "\n" + table(
        ("what is different", *learned, "simpler model", "checks say so", "core-seconds"),
        (
            (
                str(row["kind"]),
                *(f"{100 * row[name]:.0f}" for name in COVERED),
                *("–" if np.isnan(row[name]) else f"{row[name]:.2f}" for name in ("merit", "halo")),
                f"{row['r_hat']:.2f}",
                *(f"{row[name]:.0%}" for name in ("simpler", "told")),
                f"{row['core_seconds']:.0f}",
            )
            for row in rows
        ),
    )


def misses(means: pd.DataFrame) -> Iterator[str]:
    """What does not hold: by more than two standard errors for errors, at all for coverage in the kinds modelled."""
    for row in means.to_dict("records"):
        kind, ahead = row["kind"], AHEAD.get(row["kind"], 0.0)
        for name, words in (("gap", "expected"), ("final_gap", "final")):
            if row[name] + ahead * row["judged_mean"] > 2 * row[f"{name}_se"]:
                yield f"{kind}: {words} grades are {row[name]:+.3f} from the plain mean, less than {ahead:.0%} ahead"
        for name in COVERED if kind in MODELLED else ():
            if not 0.85 <= row[name] <= 0.95:
                yield f"{kind}: intervals of {name} cover {row[name]:.1%}"


def main() -> None:
    """Measure what is missing and print the tables."""
    parser = study_options(__doc__, "study_real_classes.csv", classes=5)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these; repeat it for several")
    parser.add_argument("--without", action="store_true", help="also fit without merit and halo")
    asked = parser.parse_args()
    estimates = (MEAN, DEFAULT, WITHOUT) if asked.without else (MEAN, DEFAULT)
    cases = (
        {"kind": kind, "seed": seed, "estimate": estimate}
        for seed, kind, estimate in product(range(asked.classes), asked.kind or KINDS, estimates)
    )
    rows = measure_missing(
        asked.csv, cases, lambda case: [measure(KINDS[case["kind"]], case["seed"], case["estimate"])]
    )
    for estimate in estimates[1:]:
        means = by_kind(rows, estimate)
        print(f"\n{estimate}, {means['classes'].min():.0f} or more classes a kind\n")
        print("\n".join(markdown(means)))
        print("\n" + ("\n".join(misses(means)) or "Everything that is asked holds."))


if __name__ == "__main__":
    main()
