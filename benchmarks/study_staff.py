"""Whether staff are heard: classes near the top of their scale, graded by severe or generous peers and some staff.

``python benchmarks/study_staff.py [CSV] [--classes N] [--kind NAME …]`` simulates N classes of each kind (5 unless told
otherwise) with a simulator of its own (``staffed``), fits them with default settings, writes a row for each, and prints
the tables of docs/learned.md and what does not hold of what is asked. A run that was interrupted goes on where it
stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel

import peerage as pg
from kept_rows import measure_missing, study_options
from known_truth import (
    THIRDS,
    averages,
    compared,
    correlation,
    covered_grades,
    errors,
    errors_by_third,
    expected,
    on_model_scale,
    plain_mean,
    share_inside,
)
from peerage.gradebook.book import STUDENT
from peerage.inference.chain_agreement import largest_r_hat
from staffed import Class, Kind, draw_class
from tables import table

KINDS = {
    "no staff": Kind(),
    "no staff, nothing shared": Kind(merit=0.0, halo=0.0),
    "1 TA on 10 %, peers severe by 1": Kind(mean_bias=-1.0, staff=1, share=0.1),
    "1 TA on 20 %, peers severe by 0.5": Kind(mean_bias=-0.5, staff=1, share=0.2),
    "1 TA on 20 %, most at the top": Kind(mean_bias=-0.5, staff=1, share=0.2, level=4.9),
    "1 TA on everything, peers generous by 1": Kind(mean_bias=1.0, staff=1, share=1.0),
    "1 instructor on 20 %, peers generous by 0.5": Kind(mean_bias=0.5, staff=1, share=0.2, instructors=True),
    "3 TAs on 10 % each, peers generous by 1": Kind(mean_bias=1.0, staff=3, share=0.1),
    "3 TAs on 30 % each, peers at the same level": Kind(staff=3, share=0.3),
    "3 TAs who differ by 0.3, on 30 % each": Kind(mean_bias=-0.5, staff=3, share=0.3, staff_spread=0.3),
    "3 TAs on everything, peers severe by 0.5": Kind(mean_bias=-0.5, staff=3, share=1.0),
    "3 TAs on 30 % each, nothing shared": Kind(mean_bias=-0.5, staff=3, share=0.3, merit=0.0, halo=0.0),
}
ESTIMATES = ("mean", "expected", "final")
"""The plain mean of all reports, expected grades, and the grades that the class gets."""


def measure(kind: Kind, seed: int) -> dict[str, Any]:
    """The row of one class."""
    drawn, start = draw_class(kind, seed), process_time()
    posterior = pg.fit(drawn.book, seed=seed)
    seconds = process_time() - start
    grades = (plain_mean(drawn.book), expected(posterior), averages(posterior))
    found: dict[str, float] = {}
    for name, estimate in zip(ESTIMATES, grades, strict=True):
        parts = errors(estimate, drawn.true_grade) | errors_by_third(estimate, drawn.true_grade)
        parts["correlation"] = correlation(drawn.book, estimate, drawn.true_grade)
        found |= {f"{name}_{part}": value for part, value in parts.items()}
    return {
        **found,
        **covered_grades(posterior, drawn.true_grade),
        **level(posterior, kind),
        **staff_heard(posterior, drawn),
        "unanimous": _mean(unanimity(posterior)),
        "r_hat": largest_r_hat(posterior),
        "simpler": posterior.asked is not None,
        "core_seconds": seconds,
    }


def level(posterior: pg.Posterior, kind: Kind) -> dict[str, float]:
    """The peers' bias against staff: how far its estimate is off, and whether the interval covers the true one."""
    priors = posterior.priors().set_index("parameter")
    if "mean_bias" not in priors.index:
        return {"mean_bias_error": np.nan, "mean_bias_covered": np.nan}
    value, lower, upper = map(float, priors[["value", "lower", "upper"]].to_numpy()[priors.index == "mean_bias"][0])
    return {"mean_bias_error": value - kind.mean_bias, "mean_bias_covered": float(lower <= kind.mean_bias <= upper)}


def staff_heard(posterior: pg.Posterior, drawn: Class) -> dict[str, float]:
    """What staff's grades count for.

    ``followed`` is how often the most likely grade is the staff's rounded mean; ``staff_weight`` their mean weight in
    averages that students' reports enter too, where 1 is an equal share; ``staff_bias`` the coverage of their biases.
    """
    book, table_ = posterior.book, posterior.submissions()
    by_staff = table_[table_["staff_mean"].notna()]
    hits = (
        bool(book.rubric[name].level_of(mean) == book.rubric[name].level_of(likely))
        for name, mean, likely in by_staff[["component", "staff_mean", "most_likely"]].itertuples(index=False)
    )
    weights = pg.explain(posterior, form="average").weights
    shares = weights["weight"] * weights.groupby("submission")["weight"].transform("size")
    staff = book.roles != STUDENT
    mine = weights["grader"].isin(np.array(book.graders, dtype=object)[staff])
    bias = share_inside(posterior.draws["bias"][..., staff], drawn.bias[staff]) if staff.any() else np.nan
    return {"followed": _mean(hits), "staff_weight": float(shares[mine].mean()), "staff_bias": bias}


def unanimity(posterior: pg.Posterior) -> Iterator[bool]:
    """For each component of a submission whose three or more graders agree and have small biases: is it the grade?"""
    book, bias = posterior.book, posterior.graders()["bias"].to_numpy()
    likely = on_model_scale(book, posterior.submissions()["most_likely"])
    for submission in range(book.n_submissions):
        reviews = np.flatnonzero(book.review_submission == submission)
        for index, part in enumerate(book.rubric.components):
            levels, half = book.levels[reviews, index], np.diff(part.scaled).min() / 2
            if len(reviews) >= 3 and np.ptp(levels) == 0 and (np.abs(bias[book.review_grader[reviews]]) < half).all():
                yield bool(likely[submission, index] == part.scaled[levels[0]])


def _mean(values: Iterator[bool]) -> float:
    found = list(values)
    return float(np.mean(found)) if found else np.nan


def interval(one: pd.Series[float], other: pd.Series[float]) -> tuple[float, float, float]:
    """The mean difference of paired figures, and its 95 % interval."""
    found = ttest_rel(one.to_numpy(float), other.to_numpy(float)).confidence_interval(0.95)
    return float((one - other).mean()), float(found.low), float(found.high)


def markdown(rows: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/learned.md: errors, by thirds of the true grade, and what staff count for."""
    kinds = [(str(name), part) for name, part in rows.groupby("kind", sort=False)]

    def gap(part: pd.DataFrame, name: str) -> str:
        middle, low, high = interval(part[f"{name}_error"], part["mean_error"])
        return f"{middle:+.3f} ({low:+.3f} to {high:+.3f})"

    yield table(
        (
            *("class", "plain mean", "expected", "final", "expected − mean", "final − mean"),
            *("correlation of these", "s", "totals", "largest R-hat"),
        ),
        (
            (
                name,
                *(f"{part[f'{estimate}_error'].mean():.3f}" for estimate in ESTIMATES),
                *(gap(part, estimate) for estimate in ESTIMATES[1:]),
                ", ".join(f"{part[f'{estimate}_correlation'].mean():.3f}" for estimate in ESTIMATES),
                *(f"{100 * part[covered].mean():.0f}" for covered in ("grades", "totals")),
                f"{part['r_hat'].max():.2f}",
            )
            for name, part in kinds
        ),
    )
    yield "\nExpected − mean and final − mean, by the true grade:\n"
    yield table(
        ("class", *(f"{third} third" for third in THIRDS), "weakest tenth"),
        (
            (
                name,
                *(
                    f"{compared(part[f'expected_{third}'], part[f'mean_{third}'])}, "
                    f"{compared(part[f'final_{third}'], part[f'mean_{third}'])}"
                    for third in (*THIRDS, "weakest")
                ),
            )
            for name, part in kinds
        ),
    )
    heads = ("class", "peers against staff: error", "covered", "staff's biases covered", "staff followed")
    yield "\n" + table(
        (*heads, "weight of staff", "unanimous kept", "core-seconds"),
        (
            (
                name,
                "–" if part["followed"].isna().all() else f"{part['mean_bias_error'].mean():+.2f}",
                *(_percent(part[share]) for share in ("mean_bias_covered", "staff_bias", "followed")),
                "–" if part["staff_weight"].isna().all() else f"{part['staff_weight'].mean():.2f}",
                _percent(part["unanimous"]),
                f"{part['core_seconds'].mean():.0f}",
            )
            for name, part in kinds
        ),
    )


def _percent(shares: pd.Series[float]) -> str:
    return "–" if shares.isna().all() else f"{shares.mean():.0%}"


def misses(rows: pd.DataFrame) -> Iterator[str]:
    """What does not hold of what is asked where staff graded."""
    for kind, part in rows.groupby("kind", sort=False):
        if not KINDS[str(kind)].staff:
            continue
        for estimate in ESTIMATES[1:]:
            for third in ("error", *THIRDS, "weakest"):
                _, low, _ = interval(part[f"{estimate}_{third}"], part[f"mean_{third}"])
                if low > 0:
                    yield f"{kind}: {estimate} grades are behind the plain mean ({third})"
        if part["final_correlation"].mean() < part["mean_correlation"].mean():
            yield f"{kind}: final totals follow the true ones less closely than the plain mean's"
        if not 0.85 <= round(part["totals"].mean(), 3) <= 0.95:
            yield f"{kind}: intervals of totals cover {part['totals'].mean():.1%}"
        if part["staff_weight"].mean() < 1:
            yield f"{kind}: staff weigh less than an equal share"


def main() -> None:
    """Measure what is missing and print the tables."""
    parser = study_options(__doc__, "study_staff.csv", classes=5)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these; repeat it for several")
    asked = parser.parse_args()
    cases = ({"kind": kind, "seed": seed} for seed, kind in product(range(asked.classes), asked.kind or KINDS))
    rows = measure_missing(asked.csv, cases, lambda case: [measure(KINDS[case["kind"]], case["seed"])])
    print("\n".join(markdown(rows)))
    print(f"\n{len(rows)} classes; a simpler model was used in {rows['simpler'].astype(bool).sum()}.")
    print("\n".join(misses(rows)) or "Everything that is asked holds.")


if __name__ == "__main__":
    main()
