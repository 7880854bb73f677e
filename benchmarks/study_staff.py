"""Whether staff are heard: classes near the top of their scale, graded by severe or generous peers and some staff.

``python benchmarks/study_staff.py [CSV [CLASSES]]`` simulates some classes of each kind with a simulator of its own
(``staffed``), fits each twice with default settings and different seeds, writes a row for each class, and prints the
tables of docs/learned.md. A run that was interrupted goes on where it stopped.
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
from peerage.inference.agreement import largest_r_hat
from peerage.rubric import MODEL_MAXIMUM
from staffed import Class, Kind, draw_class

Floats = NDArray[np.float64]

CLASSES = 5
KINDS = {
    "no staff": Kind(),
    "1 TA on 10 %, peers severe by 1": Kind(mean_bias=-1.0, staff=1, share=0.1),
    "1 TA on 20 %, peers severe by 0.5": Kind(mean_bias=-0.5, staff=1, share=0.2),
    "1 instructor on 20 %, peers generous by 0.5": Kind(mean_bias=0.5, staff=1, share=0.2, instructors=True),
    "3 TAs on 30 % each, peers as they": Kind(staff=3, share=0.3),
    "3 TAs on everything, peers severe by 0.5": Kind(mean_bias=-0.5, staff=3, share=1.0),
    "3 TAs who differ by 0.3, on 30 % each": Kind(mean_bias=-0.5, staff=3, share=0.3, staff_spread=0.3),
    "1 TA on 20 %, most at the top": Kind(mean_bias=-0.5, staff=1, share=0.2, level=4.9),
}


def measure(kind: Kind, seed: int) -> dict[str, Any]:
    """The row of one class."""
    drawn = draw_class(kind, seed)
    first, second = (pg.fit(drawn.book, seed=fit_seed) for fit_seed in (0, 1))
    return {
        **errors(first, drawn),
        **covered(first, drawn),
        **level(first, kind),
        **followed(first),
        "r_hat": largest_r_hat(first),
        "asked": first.asked is None,
        "agree": agreement(first, second),
    }


def on_model_scale(book: pg.Gradebook, grades: Floats) -> Floats:
    """(submissions, components) grades in the rubric's units on the scale of 0 to 5."""
    return np.stack([part.to_model(grades[:, index]) for index, part in enumerate(book.rubric.components)], axis=1)


def column(posterior: pg.Posterior, name: str) -> Floats:
    """A column of ``submissions()`` on the scale of 0 to 5, (submissions, components)."""
    book = posterior.book
    grades = posterior.submissions()[name].to_numpy(float).reshape(book.n_submissions, len(book.rubric))
    return on_model_scale(book, grades)


def errors(posterior: pg.Posterior, drawn: Class) -> dict[str, float]:
    """Mean distances from the true grades, cut at the ends: of expected grades and of the plain mean of all reports.

    Also those of the weakest third of the submissions, and how far all grades lie too high.
    """
    book, truth = drawn.book, np.clip(drawn.true_grade, 0, MODEL_MAXIMUM)
    sums = np.zeros_like(truth)
    np.add.at(sums, book.review_submission, on_model_scale(book, book.values))
    mean = sums / np.bincount(book.review_submission)[:, None]
    expected = column(posterior, "expected")
    weakest = truth.mean(axis=1) <= np.quantile(truth.mean(axis=1), 1 / 3)
    found = {}
    for name, grades in (("model", expected), ("mean", mean)):
        found[name] = float(np.abs(grades - truth).mean())
        found[f"{name}_weakest"] = float(np.abs(grades - truth)[weakest].mean())
        found[f"{name}_level"] = float((grades - truth).mean())
    return found


def covered(posterior: pg.Posterior, drawn: Class) -> dict[str, float]:
    """The share of latent true grades, and of totals of cut ones, within their 90 % interval."""
    draws = posterior.draws["true_grade"]
    latent = np.stack([part.to_model(draws[..., c]) for c, part in enumerate(drawn.book.rubric.components)], axis=-1)
    totals, truth = np.clip(latent, 0, MODEL_MAXIMUM).sum(axis=-1), np.clip(drawn.true_grade, 0, MODEL_MAXIMUM)
    return {"grades": _inside(latent, drawn.true_grade), "totals": _inside(totals, truth.sum(axis=1))}


def _inside(draws: Floats, truth: Floats) -> float:
    lower, upper = np.quantile(draws, [0.05, 0.95], axis=(0, 1))
    return float(((lower <= truth) & (truth <= upper)).mean())


def level(posterior: pg.Posterior, kind: Kind) -> dict[str, float]:
    """The peers' bias against staff: its estimate and whether the interval covers the true one."""
    priors = posterior.priors()
    row = priors[priors["parameter"] == "mean_bias"]
    if not len(row):
        return {}
    value, lower, upper = (float(row[name].iloc[0]) for name in ("value", "lower", "upper"))
    return {"mean_bias_error": value - kind.mean_bias, "mean_bias_covered": float(lower <= kind.mean_bias <= upper)}


def followed(posterior: pg.Posterior) -> dict[str, float]:
    """How often the most likely grade is the staff's rounded mean, and that of unanimous graders with small biases."""
    book = posterior.book
    table = posterior.submissions()
    by_staff = table[table["staff_mean"].notna()]
    hits = [
        book.rubric[name].level_of(mean) == book.rubric[name].level_of(likely)
        for name, mean, likely in by_staff[["component", "staff_mean", "most_likely"]].itertuples(index=False)
    ]
    unanimous = list(unanimity(posterior))
    return {
        "staff_followed": float(np.mean(hits)) if hits else np.nan,
        "unanimous": float(np.mean(unanimous)) if unanimous else np.nan,
    }


def unanimity(posterior: pg.Posterior) -> Iterator[bool]:
    """For each component of a submission whose three or more graders agree and have small biases: is it the grade?"""
    book, bias = posterior.book, posterior.graders()["bias"].to_numpy()
    likely = column(posterior, "most_likely")
    for submission in range(book.n_submissions):
        reviews = np.flatnonzero(book.review_submission == submission)
        for index, part in enumerate(book.rubric.components):
            levels, half = book.levels[reviews, index], np.diff(part.scaled).min() / 2
            if len(reviews) >= 3 and np.ptp(levels) == 0 and (np.abs(bias[book.review_grader[reviews]]) < half).all():
                yield bool(likely[submission, index] == part.scaled[levels[0]])


def agreement(first: pg.Posterior, second: pg.Posterior) -> float:
    """The share of most likely grades that two seeds agree on, of those that are not toss-ups.

    A toss-up has a margin between the two most probable grades below four Monte-Carlo errors of the masses.
    """
    masses = [posterior.samples.level_mass for posterior in (first, second)]
    top = np.sort(masses[0], axis=1)[:, -2:]
    noise = 4 * np.sqrt(2 * top[:, 1] * (1 - top[:, 1]) / 400)
    clear = top[:, 1] - top[:, 0] > noise
    return float((masses[0].argmax(axis=1) == masses[1].argmax(axis=1))[clear].mean())


def study(path: Path, classes: int) -> pd.DataFrame:
    """Measure all classes that the file has not, and keep it up to date."""
    cases = ({"kind": name, "seed": seed} for seed, name in product(range(classes), KINDS))
    return measure_missing(path, cases, lambda case: [measure(KINDS[case["kind"]], case["seed"])])


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/learned.md."""
    yield "| class | plain mean | expected | difference | weakest third: mean, expected | grades | totals | R-hat |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, part in rows.groupby("kind", sort=False):
        gap = part["model"] - part["mean"]
        se = gap.std(ddof=1) / np.sqrt(len(gap))
        weakest = f"{part['mean_weakest'].mean():.3f}, {part['model_weakest'].mean():.3f}"
        inside = f"{part['grades'].mean():.0%} | {part['totals'].mean():.0%}"
        yield (
            f"| {name} | {part['mean'].mean():.3f} | {part['model'].mean():.3f} | {gap.mean():+.3f} ± {se:.3f} | "
            f"{weakest} | {inside} | {part['r_hat'].max():.2f} |"
        )
    yield "\n| class | peers against staff: error | covered | staff followed | unanimous kept | two seeds agree |"
    yield "|---|---|---|---|---|---|"
    for name, part in rows.groupby("kind", sort=False):
        cells = [part[column] for column in ("mean_bias_error", "mean_bias_covered", "staff_followed", "unanimous")]
        shown = [
            f"{cells[0].mean():+.2f} (sd {cells[0].std(ddof=1):.2f})",
            *(f"{cell.mean():.0%}" for cell in cells[1:]),
        ]
        shown = ["" if cell.isna().all() else text for cell, text in zip(cells, shown, strict=True)]
        yield f"| {name} | {' | '.join(shown)} | {part['agree'].mean():.1%} |"


def main(path: str = "study_staff.csv", classes: str = str(CLASSES)) -> None:
    """Measure what is missing and print the tables."""
    rows = study(Path(path), int(classes))
    print("\n".join(markdown(rows)))
    simpler = int((~rows["asked"].astype(bool)).sum())
    print(f"\n{len(rows)} classes; a simpler model was used in {simpler}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
