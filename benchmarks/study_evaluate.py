"""Whether evaluation finds the model that a class was drawn from, and what it costs.

Ten classes of different kinds are evaluated with the model behind each of them as the base, by 10-fold cross-validation
and by leave-one-out. ``python benchmarks/study_evaluate.py [CSV]`` writes a row for each class, method and model, and
prints the tables of docs/evaluate.md, then what cross-validation costs. A run that was interrupted goes on where it
stopped. ``--quick`` takes three small classes and few draws.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import peerage as pg
from kept_rows import measure_missing
from peerage.evaluation.evaluation import Evaluation
from peerage.evaluation.evaluation_tables import paired
from peerage.evaluation.folds import deal
from peerage.evaluation.scoring import Sampling, score_fold
from peerage.simulation.simulated_class import SETTINGS


@dataclass(frozen=True)
class Kind:
    """A kind of class: the features of the model behind it, and hyperparameters that differ from the paper's."""

    features: dict[str, Any] = field(default_factory=dict)
    priors: dict[str, Any] = field(default_factory=dict)


KINDS = {
    "the paper's (a)": Kind(priors=SETTINGS["a"]),
    "the paper's (b)": Kind(priors=SETTINGS["b"]),
    "the paper's (c)": Kind(priors=SETTINGS["c"]),
    "half low-effort": Kind(priors={"alpha_e": 2.0, "beta_e": 2.0, "tau_l": 4.0}),
    "good graders": Kind(priors={"mu_s": 4.2, "sigma_s": 0.6, "sigma_b": 0.3, "alpha_tau": 5.0, "alpha_e": 18.0}),
    "near the top": Kind(priors={"mu_s": 4.8, "sigma_s": 0.7}),
    "no bias": Kind({"bias": False}),
    "everyone tries": Kind({"effort": False}),
    "neither": Kind({"bias": False, "effort": False}),
    "correlation": Kind({"correlation": True}, {"sigma_tau": 0.3}),
}


class Size(NamedTuple):
    """How large the classes are, and how long their fits sample."""

    students: int
    weeks: int
    draws: int
    kinds: int


FULL, QUICK = Size(40, 2, 300, len(KINDS)), Size(15, 1, 50, 3)


def evaluated(name: str, size: Size, *, loo: bool) -> Evaluation:
    """A simulated class, evaluated with the model behind it as the base."""
    kind = KINDS[name]
    truth = pg.Model(**kind.features, priors=pg.Priors.paper(**kind.priors))
    book, _ = pg.simulate(size.students, size.weeks, seed=list(KINDS).index(name), model=truth)
    base = pg.Model(**kind.features)
    return pg.evaluate(book, base, loo=loo, sampling=pg.Sampling(chains=2, draws=size.draws, burn_in=150))


def measure(name: str, size: Size) -> Iterator[dict[Any, Any]]:
    """The rows of one class, and in which pairs of models both methods disagree."""
    folded, left_out = (evaluated(name, size, loo=loo) for loo in (False, True))
    disputed, clearly = disagreements(folded, left_out)
    for method, found in (("cross-validation", folded), ("leave-one-out", left_out)):
        table = found.table()
        in_test = [found.test(model, "reviews").p_value for model in table["model"]]
        yield from table.assign(
            kind=name, method=method, p_over_reviews=in_test, disputed=disputed, clearly_disputed=clearly
        ).to_dict("records")


def disagreements(one: Evaluation, other: Evaluation) -> tuple[int, int]:
    """How many pairs of models are ranked differently, and how many of these by more than a standard error in both."""
    disputed = clearly = 0
    for pair in combinations(one.models, 2):
        tests = []
        for found in (one, other):
            first, second = (found.scores[name].log_mass for name in pair)
            tests.append(paired(first, second, found.book.review_submission))
        if tests[0].delta * tests[1].delta < 0:
            disputed += 1
            clearly += all(abs(test.delta) > test.delta_se for test in tests)
    return disputed, clearly


def study(path: Path, size: Size) -> pd.DataFrame:
    """Measure all classes that the file has not, and keep it up to date."""
    cases = ({"kind": name} for name in list(KINDS)[: size.kinds])
    return measure_missing(path, cases, lambda case: measure(case["kind"], size))


def by_class(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """A row for each class: how far the true model is ahead of the best other, and what censoring adds."""
    found = []
    for name, group in rows[(rows["method"] == method) & rows["priors"].notna()].groupby("kind", sort=False):
        base, others = group.iloc[0], group.iloc[1:]
        rival = others.iloc[others["elpd"].argmax()]
        rounded = group[group["censoring"].astype(str) == "False"].iloc[0]
        found.append(
            {
                "kind": name,
                "true": base["model"],
                "rival": rival["model"],
                "margin": -rival["delta"],
                "margin_se": rival["delta_se"],
                "holds": bool(rival["delta"] <= rival["delta_se"]),
                "censoring": rounded["delta"],
                "censoring_se": rounded["delta_se"],
                "p_value": rounded["p_value"],
                "p_over_reviews": rounded["p_over_reviews"],
                "disputed": base["disputed"],
                "clearly": base["clearly_disputed"],
            }
        )
    return pd.DataFrame(found)


def cost(size: Size) -> tuple[float, float]:
    """Processor seconds of one fit of the standard class, or of a small one, and of its 10-fold cross-validation."""
    students, weeks = (120, 10) if size is FULL else (size.students, size.weeks)
    book, _ = pg.simulate(students, weeks, seed=0)
    model, folds, sampling = pg.Model(), deal(book, 10, 0), Sampling(draws=size.draws)

    def fit() -> None:
        pg.fit(book, model, chains=sampling.chains, draws=sampling.draws, seed=0)

    def cross_validate() -> None:
        for fold in range(10):
            score_fold(book, model, folds, fold, sampling)

    return seconds(fit), seconds(cross_validate)


def seconds(work: Callable[[], None]) -> float:
    """Processor seconds, of all threads, that some work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def markdown(table: pd.DataFrame) -> Iterator[str]:
    """A table of docs/evaluate.md."""
    yield "| class | true model | best other | true model ahead by | censoring off | p over submissions, over reviews |"
    yield "|---|---|---|---|---|---|"
    for row in table.to_dict("records"):
        margin = f"{row['margin']:+.1f} ± {row['margin_se']:.1f}"
        off = f"{row['censoring']:+.1f} ± {row['censoring_se']:.1f} | {row['p_value']:.1g}, {row['p_over_reviews']:.1g}"
        yield f"| {row['kind']} | {row['true']} | {row['rival']} | {margin} | {off} |"


def main() -> None:
    """Measure what is missing, and print the tables and what holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", nargs="?", type=Path, default=Path("study_evaluate.csv"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    rows = study(options.csv, size)
    for method in ("cross-validation", "leave-one-out"):
        table = by_class(rows, method)
        held = f"{table['holds'].sum()} of {len(table)} classes"
        print(f"\n{method}: the true model wins or is within a standard error of the winner in {held}")
        print("\n".join(markdown(table)))
    pairs = f"{table['disputed'].sum()} pairs of models are ranked differently by the two methods"
    print(f"\n{pairs}, {table['clearly'].sum()} of them by more than a standard error in both.")
    spent = rows.groupby("method")["seconds"].sum()
    print(f"All fits of cross-validation took {spent.iloc[0] / spent.iloc[1]:.1f} times those of leave-one-out.")
    one, ten = cost(size)
    print(f"Processor seconds: one fit {one:.1f}, ten folds {ten:.1f}, ratio {ten / one:.1f}")


if __name__ == "__main__":
    main()
