"""What students who do not grade honestly get from Peerage, in classes of four kinds, and who is found.

``python benchmarks/study_strategies.py marks [CSV] [--classes N]`` plants one student of each strategy among 48 (two of
the six who always give one grade, by turns), and honest ones of known bias, and fits the class with default settings.
For each kind of class and strategy it prints the mean marks for quality, the mean weight in explained grades as a share
of an equal one, how many are trusted to grade alone and how many are named; the errors on the work that they reviewed;
what severe and generous students lose; and how many honest ones are taken for idle.

``… found [CSV] [--classes N]`` plants the same students, and counts who is named by the check for students who did not
look, with four components and with one, and how many honest classes and students have a name. It fits nothing: the
check is told the priors that the class was drawn from.

``… rings [CSV] [--classes N]`` puts a fifth of a class into rings of four friends who give each other the top, and
prints how many of them are named, how many others are, and what a member's grades gain.

There are 3 classes of each kind unless told otherwise. ``--draws N`` has each of four chains keep so many draws, for
marks; without it, as many as it takes. A run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

import peerage as pg
from kept_rows import measure_missing
from known_truth import compared, plain_mean
from peerage.decisions.credit_marks import CreditScale
from peerage.inference.checking.constant_or_copied_reviews import (
    CONSTANT,
    FALSE_ALARM,
    constant_students,
    copying_students,
    suspicions,
)
from peerage.inference.checking.others_view import OthersView
from peerage.inference.checking.reciprocity import mutual_favours
from peerage.inference.sampling.draws import low_effort_masses_of_draws
from peerage.inference.summaries.information import GradedComponent, Traits, equivalents
from peerage.simulation import strategies
from tables import table

KINDS = {
    "usual": pg.Priors.paper(),
    "near the top": pg.Priors.paper(mu_s=4.6),
    "spread out": pg.Priors.paper(mu_s=3.0, sigma_s=1.2),
    "reliable": pg.Priors.paper(sigma_b=0.4, alpha_tau=4.0),
}
CONSTANTS = {f"always {level}": strategies.always(level) for level in range(6)}
BLIND: dict[str, strategies.Strategy] = CONSTANTS | {
    "random": strategies.at_random,
    "mean and noise": strategies.mean_and_noise,
}
"""Who looks neither at the work nor at others' reviews; one of the constants is the class's mean."""

COPIERS: dict[str, strategies.Strategy] = {
    "copy a fellow": strategies.copy_fellow,
    "copy the others' mean": strategies.copy_mean,
}
PLANTED: dict[str, strategies.Strategy] = (
    BLIND | COPIERS | {"a glance": strategies.glance, "first week only": strategies.first_week_only}
)
UNBIASED, HONEST = "honest, unbiased", "honest"
SHIFTED = {"honest, bias −1": -1.0, "honest, bias +1": 1.0, UNBIASED: 0.0}
"""Honest students of reliability 1.5 and effort 1, by their bias."""

FINAL = ("average", "mean", "explained", "rounded mean", "most likely")
"""Forms of final grades; the first two are not rounded, and are compared with true grades that are not either."""

STUDENTS, WEEKS = 48, 6
RING_STUDENTS = 40
LOST = 0.5
"""Who is taken to have looked at less than this part of what they did look at has lost effort."""


# Marks


def planted(seed: int) -> dict[str, strategies.Strategy]:
    """The strategies in one class: two of the constant ones, and all others."""
    left_out = {name for level, name in enumerate(CONSTANTS) if level % 3 != seed % 3}
    return {name: strategy for name, strategy in PLANTED.items() if name not in left_out}


def planted_class(kind: str, seed: int) -> tuple[pg.Gradebook, pg.Truth]:
    """A class whose first students follow the strategies, and whose next ones are honest with known biases."""
    names = [f"student{index + 1:02}" for index in range(STUDENTS)]
    first = len(planted(seed))
    known = names[first : first + len(SHIFTED)]
    fixed = pg.Fixed(
        bias=dict(zip(known, SHIFTED.values(), strict=True)),
        reliability=dict.fromkeys(known, 1.5),
        effort=dict.fromkeys(known, 1.0),
    )
    model = pg.Model(priors=KINDS[kind], fixed=fixed)
    book, truth = pg.simulate(STUDENTS, WEEKS, seed, tas=2, model=model)
    for grader, strategy in enumerate(planted(seed).values()):
        book = strategies.play(book, strategy, [grader], seed)
    return book, truth


def marks_of(kind: str, seed: int, draws: int | None) -> list[dict[str, Any]]:
    """One class: a row for each student."""
    book, truth = planted_class(kind, seed)
    posterior = pg.fit(book, draws=draws, seed=seed)
    explanation = pg.explain(posterior)
    weights = explanation.weights
    share = weights["weight"] * weights.groupby("submission")["weight"].transform("count")
    graders = posterior.graders().iloc[:STUDENTS]
    true = true_information(kind, truth)[:STUDENTS]
    looked, given = np.bincount(book.review_grader, truth.effortful), np.bincount(book.review_grader)
    followed = [*planted(seed), *SHIFTED]
    found = pd.DataFrame(
        {
            "strategy": followed + [HONEST] * (STUDENTS - len(followed)),
            "mark": pg.credit(posterior, completion=0)["credit"].iloc[:STUDENTS],
            "sceptical": pg.credit(posterior, completion=0, sceptical=True)["credit"].iloc[:STUDENTS],
            "deserved": CreditScale().marks(true),
            "weight": share.groupby(weights["grader"]).mean().reindex(graders["grader"]).to_numpy(),
            "trusted": pg.trust(posterior)["standing"].iloc[:STUDENTS] == "unsupervised",
            "named": graders["grader"].isin(posterior.check().students["grader"]),
            "at_an_end": [np.isin(book.levels[book.review_grader == v], (0, 5)).mean() for v in range(STUDENTS)],
            "lost_effort": graders["effort"] < LOST * (looked / given)[:STUDENTS],
            "dependability": graders["dependability"],
            "precision": graders["precision"],
            "true": true,
            **errors_of(posterior, explanation, truth),
        }
    )
    return [{str(name): value for name, value in row.items()} for row in found.to_dict("records")]


def true_information(kind: str, truth: pg.Truth) -> NDArray[np.float64]:
    """(graders,) what a report tells, with the values that were drawn."""
    components, priors = truth.book.rubric.components, KINDS[kind]
    works = [
        GradedComponent.of(
            component, mean, sd, mean, low_effort_masses_of_draws(component.edges, mean, priors.tau_l, priors.epsilon)
        )
        for component, mean, sd in zip(components, *priors.for_components(len(components)), strict=True)
    ]
    told, _ = equivalents(works, Traits.of(truth.reliability, truth.bias, effort=truth.effort))
    return told


def errors_of(posterior: pg.Posterior, explanation: pg.Explanation, truth: pg.Truth) -> dict[str, list[float]]:
    """For each student, the mean distance from the true grades of the work that the student reviewed.

    True grades are cut at the ends for averages and means, and rounded for the others.
    """
    book, cells, true = posterior.book, posterior.submissions(), truth.true_grades()
    rounded, cut = true["rounded"].to_numpy(float), np.clip(true["true_grade"].to_numpy(float), 0, 5)
    mean = plain_mean(book).ravel()
    gaps = {
        "average": pg.explain(posterior, form="average").grades["grade"].to_numpy() - cut,
        "mean": mean - cut,
        "explained": explanation.grades["grade"].to_numpy() - rounded,
        "rounded mean": np.floor(mean + 0.5) - rounded,
        "most likely": cells["most_likely"].to_numpy() - rounded,
    }
    names = np.array(book.submissions, dtype=object)
    seen = [
        np.isin(cells["submission"], names[book.review_submission[book.review_grader == v]]) for v in range(STUDENTS)
    ]
    return {name: [float(np.abs(gap)[rows].mean()) for rows in seen] for name, gap in gaps.items()}


def show_marks(rows: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/incentives.md, and what does not hold."""
    cells = dict(iter(rows.groupby(["strategy", "kind"], sort=False)))

    def summary(part: pd.DataFrame) -> str:
        counts = [f"{part[name].sum()}/{len(part)} {word}" for name, word in (("trusted", "alone"), ("named", "named"))]
        inside = ", ".join([f"{part['weight'].mean():.2f}", *(text for text in counts if not text.startswith("0/"))])
        return f"{part['mark'].mean():.0f}, {part['sceptical'].mean():.0f} ({inside})"

    everyone = (HONEST, *SHIFTED, *PLANTED)
    yield table(("strategy", *KINDS), ((name, *(summary(cells[name, kind]) for kind in KINDS)) for name in everyone))
    yield "\nErrors on the work that they reviewed:\n"
    yield table(
        ("kind, strategy", *FINAL),
        (
            (f"{kind}, {name}", *(f"{cells[name, kind][form].mean():.2f}" for form in FINAL))
            for kind, name in product(KINDS, BLIND)
        ),
    )
    yield "\nHonest students of reliability 1.5, against unbiased ones of the same class:\n"
    yield table(
        (
            "kind, bias",
            *("mark", "sceptical mark", "mark by what they truly tell"),
            *("dependability, of that of unbiased ones", "what they truly tell, of it", "reports at an end"),
        ),
        (
            (
                f"{kind}, {bias:+g}",
                *(_lost(cells[name, kind], cells[UNBIASED, kind], mark) for mark in ("mark", "sceptical", "deserved")),
                *(_share(cells[name, kind], cells[UNBIASED, kind], told) for told in ("dependability", "true")),
                f"{cells[name, kind]['at_an_end'].mean():.0%}",
            )
            for kind, (name, bias) in product(KINDS, SHIFTED.items())
            if bias
        ),
    )
    yield ""
    for kind in KINDS:
        honest = pd.concat([part for (name, place), part in cells.items() if place == kind and name not in PLANTED])
        told = (f"{column} {_ranked(honest, column)}" for column in ("dependability", "precision", "mark"))
        yield f"{kind}: Spearman's correlation of what honest students truly tell with {', '.join(told)}"
        idle, named = honest["lost_effort"].astype(bool), honest["named"].astype(bool)
        yield f"{kind}: {idle.sum()} of {len(honest)} honest students lose effort, {named.sum()} are named"
    yield ""
    yield "\n".join(missed_marks(cells)) or "Everything that is asked holds."


def _lost(one: pd.DataFrame, other: pd.DataFrame, mark: str) -> str:
    first, second = (part.sort_values("seed")[mark].reset_index(drop=True) for part in (one, other))
    return compared(first, second, digits=1)


def _share(one: pd.DataFrame, other: pd.DataFrame, column: str) -> str:
    """The ratio of two means over the same classes, with the standard error of a jackknife."""
    first, second = (part.sort_values("seed")[column].to_numpy(float) for part in (one, other))
    if len(first) < 2:
        return f"{first.mean() / second.mean():.2f}"
    without = (first.sum() - first) / (second.sum() - second)
    error = np.sqrt((len(without) - 1) * without.var())
    return f"{first.mean() / second.mean():.2f} ± {error:.2f}"


def _ranked(rows: pd.DataFrame, column: str) -> str:
    return f"{spearmanr(rows['true'], rows[column], nan_policy='omit').statistic:.3f}"


def missed_marks(cells: dict[Any, pd.DataFrame]) -> Iterator[str]:
    """What does not hold of what is asked."""
    for kind in KINDS:
        honest = cells[HONEST, kind]
        for name in BLIND:
            part, place = cells[name, kind], f"{kind}, {name}"
            for mark in ("mark", "sceptical"):
                if part[mark].mean() >= honest[mark].mean() / 4:
                    yield f"{place}: {part[mark].mean():.0f} where honest ones get {honest[mark].mean():.0f} ({mark})"
            if part["trusted"].any():
                yield f"{place}: {part['trusted'].sum()} may grade alone"
            if part["weight"].mean() >= 0.5:
                yield f"{place}: weighs {part['weight'].mean():.2f} of an equal share"
            for form, other in (("explained", "rounded mean"), ("average", "mean")):
                if part[form].mean() >= part[other].mean():
                    yield f"{place}: {form} grades of the work reviewed are no better than the {other}"
        for name in (*CONSTANTS, *COPIERS):
            if not cells[name, kind]["named"].all():
                yield f"{kind}, {name}: {cells[name, kind]['named'].mean():.0%} are named"
        for name, bias in SHIFTED.items():
            part, unbiased = cells[name, kind], cells[UNBIASED, kind]
            allowed = 5.0 if bias < 0 or part["at_an_end"].mean() < 0.1 else _gap(unbiased, part, "deserved")
            if bias and _gap(unbiased, part, "mark") >= max(allowed, 5.0):
                yield f"{kind}, {name}: loses {_gap(unbiased, part, 'mark'):.0f}, and may lose {max(allowed, 5.0):.0f}"
        if honest["lost_effort"].mean() > 0.02:
            yield f"{kind}: {honest['lost_effort'].mean():.1%} of honest students lose effort"


def _gap(one: pd.DataFrame, other: pd.DataFrame, column: str) -> float:
    return float(one[column].mean() - other[column].mean())


# Who is named, with known priors


def suspects(book: pg.Gradebook, priors: pg.Priors) -> pd.DataFrame:
    """Who is named in a class with known priors."""
    view = OthersView.of(book, priors)
    return suspicions([*constant_students(book, priors, view), *copying_students(book, priors, view)])


def found_in(kind: str, seed: int, components: int) -> list[dict[str, Any]]:
    """One class: who of the planted students is named, and who in the honest class."""
    priors = KINDS[kind]
    book, _ = pg.simulate(STUDENTS, WEEKS, seed, tas=2, components=components, model=pg.Model(priors=priors))
    kinds = suspects(book, priors)["kind"].tolist()
    for grader, strategy in enumerate(PLANTED.values()):
        book = strategies.play(book, strategy, [grader], seed)
    names = set(suspects(book, priors)["grader"])
    found = {name: int(book.graders[grader] in names) for grader, name in enumerate(PLANTED)}
    return [found | {"copier's name": int(len(kinds) > kinds.count(CONSTANT)), "constant": kinds.count(CONSTANT)}]


def show_found(rows: pd.DataFrame) -> Iterator[str]:
    """How many of the planted students are named, and how many honest ones."""
    classes = rows.groupby(["kind", "components"]).size().min()
    sums = rows.groupby(["components", "kind"], sort=False).sum().drop(columns="seed")
    heads = [f"{kind}, {components}" for components, kind in sums.index]
    yield f"Of {classes} classes each, by kind of class and number of components:\n"
    yield table(("named", *heads), ((name, *map(str, sums[name])) for name in PLANTED))
    yield f"\nIn honest classes, of which at most {FALSE_ALARM:.0%} may have a copier's name:\n"
    students = f"students called constant, of {classes * STUDENTS}"
    rows_ = (("classes with a copier's name", "copier's name"), (students, "constant"))
    yield table(("", *heads), ((words, *map(str, sums[name])) for words, name in rows_))


# Rings of friends


def ring_of(seed: int) -> list[dict[str, Any]]:
    """One class: who is named, and what the ring gains in the peers' mean, the expected and the final grade."""
    book, _ = pg.simulate(RING_STUDENTS, WEEKS, seed, tas=3, model=pg.Model(priors=KINDS["usual"]))
    members, played = RING_STUDENTS // 5 // 4 * 4, book
    for first in range(0, members, 4):
        played = strategies.play(played, strategies.ring, range(first, first + 4), seed)
    fits = [pg.fit(each, seed=seed) for each in (book, played)]
    pairs = mutual_favours(played, OthersView.of(played, fits[1].hyperparameters))
    named, ring = {*pairs["first"], *pairs["second"]}, set(book.graders[:members])
    mine = np.array([bool(ring.intersection(authors)) for authors in book.authors]).repeat(len(book.rubric))
    before, after = (fit.submissions()[mine] for fit in fits)
    final = [pg.explain(fit, form="average", staff_final=True).grades["grade"][mine].mean() for fit in fits]
    return [
        {
            "members": len(named & ring) / members,
            "others": len(named - ring) / (RING_STUDENTS - members),
            "peer_mean": after["peer_mean"].mean() - before["peer_mean"].mean(),
            "expected": after["expected"].mean() - before["expected"].mean(),
            "final": final[1] - final[0],
        }
    ]


def show_rings(rows: pd.DataFrame) -> Iterator[str]:
    """Who is named, and what the ring gains."""
    mean, error = rows.mean(), rows.sem()
    named = f"{mean['members']:.0%} of the members and {mean['others']:.1%} of the others"
    yield f"In {len(rows)} classes, {named} are named."
    gains = (f"{mean[name]:+.3f} ± {error[name]:.3f} in the {words}" for name, words in GAINS.items())
    yield f"A member's grades gain {', '.join(gains)}."


GAINS = {"peer_mean": "peers' mean", "expected": "expected grade", "final": "final grade"}

Cases = Iterator[dict[str, Any]]
STUDIES: dict[str, tuple[Callable[[int], Cases], Callable[..., list[dict[str, Any]]], Callable[..., Iterator[str]]]] = {
    "marks": (
        lambda classes: ({"kind": kind, "seed": seed} for seed, kind in product(range(classes), KINDS)),
        marks_of,
        show_marks,
    ),
    "found": (
        lambda classes: (
            {"kind": kind, "seed": seed, "components": components}
            for seed, components, kind in product(range(classes), (4, 1), KINDS)
        ),
        found_in,
        show_found,
    ),
    "rings": (lambda classes: ({"seed": seed} for seed in range(classes)), ring_of, show_rings),
}


def main() -> None:
    """Measure what is missing and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("csv", type=Path, nargs="?")
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--draws", type=int, help="of each chain; for marks")
    asked = parser.parse_args()
    cases, measure, show = STUDIES[asked.study]
    if asked.study == "marks":
        measure = partial(measure, draws=asked.draws)
    path = asked.csv or Path(f"study_strategies_{asked.study}.csv")
    rows = measure_missing(path, cases(asked.classes), lambda case: measure(**case))
    print("\n".join(show(rows)))


if __name__ == "__main__":
    main()
