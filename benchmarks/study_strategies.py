"""What students who do not grade honestly get from Peerage, in classes of four kinds, and who is found.

``python benchmarks/study_strategies.py marks [CLASSES]`` plants one student of each strategy among 48 and prints, for
each kind of class and strategy, the mean mark for peer grading, the mean weight in explained grades as a share of an
equal one, and how many are trusted to grade alone; beside honest students, also those who are severe or generous by 1.

``python benchmarks/study_strategies.py found [CLASSES]`` plants the same students, and counts who is named by the check
for students who did not look, with four components and with one, and how many honest classes and students have a name.
It fits nothing: the check is told the priors that the class was drawn from.

``python benchmarks/study_strategies.py rings [CLASSES]`` puts a fifth of a class of 120 into rings of four friends who
give each other the top, and prints how many of them are named, how many others are, and what a member's grades gain.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

import peerage as pg
from peerage.inference.checking.reciprocity import mutual_favours
from peerage.inference.checking.suspicions import CONSTANT, suspicions
from peerage.inference.information import Information
from peerage.simulation import strategies

KINDS = {
    "usual": pg.Priors.paper(),
    "near the top": pg.Priors.paper(mu_s=4.6),
    "spread out": pg.Priors.paper(mu_s=3.0, sigma_s=1.2),
    "reliable": pg.Priors.paper(sigma_b=0.4, alpha_tau=4.0),
}

PLANTED: dict[str, strategies.Strategy] = {
    "always top": strategies.always_top,
    "always 0": strategies.always(0),
    "always 2": strategies.always(2),
    "always mean": strategies.always_mean,
    "mean and noise": strategies.mean_and_noise,
    "random": strategies.at_random,
    "a glance": strategies.glance,
    "copy a fellow": strategies.copy_fellow,
    "copy the others' mean": strategies.copy_mean,
    "first week only": strategies.first_week_only,
}

SHIFTED = {"honest, bias −1": -1.0, "honest, bias +1": 1.0, "honest, unbiased": 0.0}
"""Honest students of reliability 1.5 and effort 1, by their bias."""

ERRORS = ("explained", "rounded mean", "most likely")
STUDENTS, WEEKS = 48, 6
SETTINGS = {"chains": 2, "draws": 300}


def planted_class(kind: str, seed: int) -> tuple[pg.Gradebook, pg.Truth]:
    """A class whose first students follow the strategies, and whose next ones are honest with known biases."""
    names = [f"student{index + 1:02}" for index in range(STUDENTS)]
    known = names[len(PLANTED) : len(PLANTED) + len(SHIFTED)]
    fixed = pg.Fixed(
        bias=dict(zip(known, SHIFTED.values(), strict=True)),
        reliability=dict.fromkeys(known, 1.5),
        effort=dict.fromkeys(known, 1.0),
    )
    model = pg.Model(priors=KINDS[kind], fixed=fixed)
    book, truth = pg.simulate(STUDENTS, WEEKS, seed, tas=2, model=model)
    for grader, strategy in enumerate(PLANTED.values()):
        book = strategies.play(book, strategy, [grader], seed)
    return book, truth


def marks_of(kind: str, seed: int) -> pd.DataFrame:
    """One class: strategy, mark, weight as a share of an equal one, and whether trusted, for each student."""
    book, truth = planted_class(kind, seed)
    posterior = pg.fit(book, seed=seed, **SETTINGS)  # type: ignore[arg-type]
    explanation = pg.explain(posterior)
    weights = explanation.weights
    share = weights["weight"] * weights.groupby("submission")["weight"].transform("count")
    what = [*PLANTED, *SHIFTED, *["honest"] * (STUDENTS - len(PLANTED) - len(SHIFTED))]
    graders = posterior.graders().iloc[:STUDENTS]
    return pd.DataFrame(
        {
            "kind": kind,
            "strategy": what,
            "mark": pg.credit(posterior, completion=0, sceptical=True)["credit"].iloc[:STUDENTS],
            "weight": share.groupby(weights["grader"]).mean().reindex(graders["grader"]).to_numpy(),
            "trusted": pg.trust(posterior)["standing"].iloc[:STUDENTS] == "unsupervised",
            "dependability": graders["dependability"],
            "precision": graders["precision"],
            "true": true_information(kind, truth)[:STUDENTS],
            **errors_of(posterior, explanation, truth),
        }
    )


def true_information(kind: str, truth: pg.Truth) -> NDArray[np.float64]:
    """(graders,) effort times what a report tells, with the values that were drawn."""
    components = truth.book.rubric.components
    table = Information.of(components, *KINDS[kind].for_components(len(components)))
    return table.equivalent(truth.reliability, truth.bias) * truth.effort


def errors_of(posterior: pg.Posterior, explanation: pg.Explanation, truth: pg.Truth) -> dict[str, list[float]]:
    """For each student, the mean error on the work that the student reviewed, of three kinds of final grades."""
    book, cells = posterior.book, posterior.submissions()
    right = truth.true_grades()["rounded"].to_numpy()
    given = {
        "explained": explanation.grades["grade"].to_numpy(),
        "rounded mean": np.floor(cells["peer_mean"].to_numpy() + 0.5),
        "most likely": cells["most_likely"].to_numpy(),
    }
    seen = [
        np.isin(cells["submission"], np.array(book.submissions, dtype=object)[book.review_submission[mine]])
        for mine in (book.review_grader == grader for grader in range(STUDENTS))
    ]
    return {name: [float(np.abs(grades - right)[rows].mean()) for rows in seen] for name, grades in given.items()}


def marks(classes: int) -> None:
    """Print a row for each kind of class and strategy."""
    table = pd.concat([marks_of(kind, seed) for kind in KINDS for seed in range(classes)], ignore_index=True)
    print("| strategy | " + " | ".join(KINDS) + " |\n" + "|---" * (1 + len(KINDS)) + "|")
    for strategy in ("honest", *SHIFTED, *PLANTED):
        cells = []
        for kind in KINDS:
            rows = table[(table["kind"] == kind) & (table["strategy"] == strategy)]
            trusted = f", {rows['trusted'].sum()}/{len(rows)} alone" if rows["trusted"].any() else ""
            cells.append(f"{rows['mark'].mean():.0f} ({rows['weight'].mean():.2f}{trusted})")
        print(f"| {strategy} | " + " | ".join(cells) + " |", flush=True)
    print("\nerror on the work that they reviewed | " + " | ".join(ERRORS))
    for kind, strategy in ((kind, strategy) for kind in KINDS for strategy in PLANTED if strategy.startswith("always")):
        rows = table[(table["kind"] == kind) & (table["strategy"] == strategy)]
        print(f"{kind}, {strategy} | " + " | ".join(f"{rows[name].mean():.2f}" for name in ERRORS), flush=True)
    for kind in KINDS:
        rows = table[(table["kind"] == kind) & table["strategy"].str.startswith("honest")]
        told = [
            f"{column} {spearmanr(rows['true'], rows[column]).statistic:.3f}"
            for column in ("dependability", "precision")
        ]
        print(f"{kind}: Spearman's correlation of what honest students truly tell with {' and '.join(told)}")


def found(classes: int) -> None:
    """Print how many planted students are named, and how many honest ones."""
    for components, (kind, priors) in product((4, 1), KINDS.items()):
        named, false = Counter[str](), Counter[str]()
        for seed in range(classes):
            model = pg.Model(priors=priors)
            book, _ = pg.simulate(STUDENTS, WEEKS, seed, tas=2, components=components, model=model)
            kinds = suspicions(book, priors)["kind"].tolist()
            false["copier"] += len(kinds) > kinds.count(CONSTANT)
            false["constant"] += kinds.count(CONSTANT)
            for grader, strategy in enumerate(PLANTED.values()):
                book = strategies.play(book, strategy, [grader], seed)
            names = set(suspicions(book, priors)["grader"])
            named.update(name for grader, name in enumerate(PLANTED) if book.graders[grader] in names)
        shares = ", ".join(f"{name} {named[name]}" for name in PLANTED)
        print(f"{kind}, {components} components: of {classes} each, {shares}; in {classes} honest classes, ", end="")
        print(
            f"{false['copier']} with a copier's name, {false['constant']} of {classes * STUDENTS} students constant",
            flush=True,
        )


def rings(classes: int) -> None:
    """Print who is named, and what the ring gains, before and after the model has weighed the graders."""
    students, rows = 120, []
    for seed in range(classes):
        book, _ = pg.simulate(students, 10, seed, tas=3, model=pg.Model(priors=KINDS["usual"]))
        members = students // 5 // 4 * 4
        played = book
        for first in range(0, members, 4):
            played = strategies.play(played, strategies.ring, range(first, first + 4), seed)
        fits = [pg.fit(each, seed=seed, **SETTINGS) for each in (book, played)]  # type: ignore[arg-type]
        pairs = mutual_favours(played, fits[1].hyperparameters)
        named, ring = {*pairs["first"], *pairs["second"]}, set(book.graders[:members])
        mine = np.array([bool(ring.intersection(authors)) for authors in book.authors])
        cells = mine.repeat(len(book.rubric))
        before, after = (fit.submissions()[cells] for fit in fits)
        gains = [after[column].mean() - before[column].mean() for column in ("peer_mean", "expected")]
        rows.append((len(named & ring) / members, len(named - ring) / (students - members), *gains))
    shares = np.array(rows).mean(axis=0)
    print(f"members named {shares[0]:.0%}, others named {shares[1]:.1%} of those there are")
    print(f"a member's grades gain {shares[2]:+.3f} in the mean of peers, {shares[3]:+.3f} in the expected grade")


if __name__ == "__main__":
    {"marks": marks, "found": found, "rings": rings}[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 20)
