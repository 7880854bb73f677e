"""Whether learned priors are nearly as good as the true ones: classes of ten kinds, with and without TAs.

Each simulated class is fitted twice, with the priors that it was drawn from and with priors learned from its grades
alone. In most kinds TAs are drawn like students, as in the paper, and the fits know that; in the last two TAs define
the scale, students are generous or severe against them, and the learned fit is the default. ``python
benchmarks/study_learned.py [CSV [CLASSES]]`` measures ten classes of each kind unless told otherwise, writes a row for
each class and estimate, and prints the tables of docs/learned.md. A run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

import peerage as pg
from kept_rows import measure_missing
from known_truth import THIRDS, errors_by_third, on_model_scale
from peerage.gradebook.book import STUDENT
from peerage.rubric import MODEL_MAXIMUM
from peerage.simulation.simulated_class import SETTINGS

SAMPLING: dict[str, Any] = {"chains": 2, "draws": 250, "burn_in": 150}
"""Two chains start in the two ways in which chains start; more differ in their random numbers alone."""

LATENT = ("true_grade", "bias", "reliability", "effort")
SCALES = pg.Rubric.from_dict(
    {"Style": {"grades": "0 to 2 by 1"}, "Evidence": {"grades": "0 to 4 by 0.5"}, "Content": {"grades": "0 to 10 by 1"}}
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A kind of class: the hyperparameters that differ from the paper's, its size and its rubric.

    If ``ta_spread`` is given, TAs' biases differ by so much (sd), and students' are ``mean_bias`` in the mean.
    """

    priors: dict[str, Any] = field(default_factory=dict)
    students: int = 120
    weeks: int = 3
    components: int | pg.Rubric = 4
    ta_spread: float | None = None
    mean_bias: float = 0.0


KINDS = {
    "the paper's (a)": Kind(SETTINGS["a"]),
    "the paper's (b)": Kind(SETTINGS["b"]),
    "the paper's (c)": Kind(SETTINGS["c"]),
    "good graders": Kind(
        {"mu_s": 4.2, "sigma_s": 0.6, "sigma_b": 0.3, "alpha_tau": 5.0, "beta_tau": 2.0, "alpha_e": 9.0, "beta_e": 1.0}
    ),
    "half low-effort": Kind({"alpha_e": 2.0, "beta_e": 2.0, "tau_l": 4.0}),
    "near the top": Kind({"mu_s": 4.8, "sigma_s": 0.7}),
    "one week": Kind(weeks=1),
    "three scales": Kind({"mu_s": (3.5, 4.0, 3.0), "sigma_s": (1.0, 0.8, 0.9)}, components=SCALES),
    "severe by 0.5, TAs alike": Kind({"sigma_b": 0.5}, ta_spread=0.15, mean_bias=-0.5),
    "generous by 0.3, TAs differ": Kind({"sigma_b": 0.5}, ta_spread=0.3, mean_bias=0.3),
}


def simulated(kind: Kind, tas: int, seed: int, **shared: Any) -> tuple[pg.Gradebook, pg.Truth]:
    """A class of a kind, whose components may share merit and halo."""
    priors = pg.Priors.paper(**kind.priors)
    biases: dict[str, float] = {}
    if kind.ta_spread is not None:
        rng, width = np.random.default_rng([seed, 1]), len(str(kind.students))
        students = rng.normal(kind.mean_bias, priors.sigma_b, kind.students)
        biases = {f"student{index + 1:0{width}}": float(bias) for index, bias in enumerate(students)}
        biases |= {f"ta{index + 1}": float(bias) for index, bias in enumerate(rng.normal(0, kind.ta_spread, tas))}
    model = pg.Model(priors=priors, fixed=pg.Fixed(bias=biases))
    return pg.simulate(kind.students, kind.weeks, seed, tas=tas, components=kind.components, model=model, **shared)


def true_priors(kind: Kind, truth: pg.Truth) -> pg.Model:
    """The model that the class was drawn from.

    Fixed priors have students who are not generous in the mean. So where they are, true grades are taken to be higher
    by as much, and TAs, whose biases it may know, to be so severe.
    """
    if kind.ta_spread is None:
        return truth.model
    known = zip(truth.book.graders, truth.book.roles, truth.bias, strict=True)
    biases = {name: bias - kind.mean_bias for name, role, bias in known if role != STUDENT}
    moved = truth.model.hyperparameters.mu_s + kind.mean_bias  # type: ignore[operator]
    return pg.Model(fixed=pg.Fixed(bias=biases)).with_priors(**(kind.priors | {"mu_s": moved}))


def measure(kind: Kind, tas: int, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of one class: the plain mean of all reports, the fit that learns its priors, and that with true ones."""
    book, truth = simulated(kind, tas, seed)
    mean = plain_mean(book)
    yield {"estimate": "mean"} | errors(truth, mean, rounded(book.rubric, mean)) | _by_third(truth, mean)
    learned = pg.Model(ta_spread="students") if kind.ta_spread is None else pg.Model()
    for name, model in (("learned", learned), ("true", true_priors(kind, truth))):
        posterior = pg.fit(book, model, **SAMPLING, seed=seed)
        moved = kind.mean_bias if name == "true" else 0.0
        expected, likely = estimated(posterior) if kind.ta_spread is None else cut_means(posterior, moved)
        row = {"estimate": name, "restarts": len(posterior.restarts)} | errors(truth, expected, likely)
        row |= _by_third(truth, expected) | ranking(posterior, truth)
        yield row if moved else row | coverage(posterior, truth)


def estimated(posterior: pg.Posterior) -> tuple[Floats, Floats]:
    """(submissions, components) expected and most likely grades."""
    table, shape = posterior.submissions(), (posterior.book.n_submissions, len(posterior.book.rubric))
    expected, likely = (table[column].to_numpy(float).reshape(shape) for column in ("expected", "most_likely"))
    return expected, likely


def cut_means(posterior: pg.Posterior, moved: float) -> tuple[Floats, Floats]:
    """(submissions, components) means of true grades, moved back and cut at the ends, and the legal grades nearest."""
    rubric, drawn = posterior.book.rubric, posterior.draws["true_grade"]
    columns = [
        part.from_model(np.clip(part.to_model(drawn[..., index]) - moved, 0, MODEL_MAXIMUM).mean(axis=(0, 1)))
        for index, part in enumerate(rubric.components)
    ]
    means = np.stack(columns, axis=1)
    return means, rounded(rubric, means)


def _by_third(truth: pg.Truth, grades: Floats) -> dict[str, float]:
    return errors_by_third(on_model_scale(truth.book, grades), on_model_scale(truth.book, truth.true_grade))


def plain_mean(book: pg.Gradebook) -> Floats:
    """(submissions, components): the mean of all reports, staff's included."""
    sums, counts = np.zeros((book.n_submissions, len(book.rubric))), np.bincount(book.review_submission)
    np.add.at(sums, book.review_submission, book.values)
    return np.asarray(sums / counts[:, None])


def rounded(rubric: pg.Rubric, grades: Floats) -> Floats:
    """Each grade, (submissions, components), rounded to a legal one."""
    columns = [part.values[part.level_of(grades[:, index])] for index, part in enumerate(rubric.components)]
    return np.stack(columns, axis=1)


def errors(truth: pg.Truth, expected: Floats, final: Floats) -> dict[str, float]:
    """Mean distances on the scale of 0 to 5.

    ``mae`` is that of expected grades from the true ones, cut at the rubric's ends; ``final_mae`` that of legal grades
    from the true ones rounded.
    """
    rubric = truth.book.rubric
    return {
        "mae": distance(rubric, expected, truth.true_grade),
        "final_mae": distance(rubric, final, rounded(rubric, truth.true_grade)),
    }


def distance(rubric: pg.Rubric, one: Floats, other: Floats) -> float:
    """The mean distance of grades, cut at the rubric's ends, on the scale of 0 to 5."""
    apart = [
        np.clip(part.to_model(one[:, index]), 0, MODEL_MAXIMUM)
        - np.clip(part.to_model(other[:, index]), 0, MODEL_MAXIMUM)
        for index, part in enumerate(rubric.components)
    ]
    return float(np.abs(apart).mean())


def ranking(posterior: pg.Posterior, truth: pg.Truth) -> dict[str, float]:
    """Rank correlations of the students' estimated reliabilities and efforts with the true ones."""
    students, graders = posterior.book.roles == STUDENT, posterior.graders()
    return {
        f"{name}_spearman": float(spearmanr(graders[name][students], getattr(truth, name)[students]).statistic)
        for name in ("reliability", "effort")
    }


def coverage(posterior: pg.Posterior, truth: pg.Truth) -> dict[str, float]:
    """The share of true grades, and of students' biases, reliabilities and efforts, that lie in their 90 % interval."""
    shares = {}
    for name in LATENT:
        draws, value = posterior.draws[name], getattr(truth, name)
        inside = (np.quantile(draws, 0.05, axis=(0, 1)) <= value) & (value <= np.quantile(draws, 0.95, axis=(0, 1)))
        inside = inside if name == "true_grade" else inside[posterior.book.roles == STUDENT]
        shares[f"{name}_coverage"] = float(inside.mean())
    return shares


def study(path: Path, classes: int) -> pd.DataFrame:
    """Measure all classes that the file has not, a seed of every kind after the other, and keep it up to date."""
    cases = (
        {"kind": name, "tas": tas, "seed": seed}
        for seed, tas, name in product(range(classes), (0, 3), KINDS)
        if tas or KINDS[name].ta_spread is None
    )
    return measure_missing(path, cases, lambda case: measure(KINDS[case["kind"]], case["tas"], case["seed"]))


def by_kind(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind: means over its classes, and by how many percent the error is above the true priors'."""
    wide = rows.pivot_table(index=["kind", "tas", "seed"], columns="estimate", sort=False)
    means = wide.groupby(["kind", "tas"], sort=False).mean()
    table = pd.DataFrame({name: means[("mae", name)] for name in ("mean", "learned", "true")})
    above = wide[("mae", "learned")] - wide[("mae", "true")]
    grouped = above.groupby(["kind", "tas"], sort=False)
    table["above"] = 100 * grouped.mean() / table["true"]
    table["above_se"] = 100 * grouped.sem() / table["true"]
    for name in ("reliability", "effort"):
        for estimate in ("learned", "true"):
            table[f"{name}_{estimate}"] = means[(f"{name}_spearman", estimate)]
    return table.reset_index()


def covered(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each latent quantity: the share of 90 % intervals that cover, in percent, over all classes."""
    names = [f"{name}_coverage" for name in LATENT]
    return 100 * rows.groupby("estimate")[names].mean().loc[["learned", "true"]].T


def by_third(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind and estimate: mean errors of each third of the submissions, and of the weakest tenth."""
    return rows.groupby(["kind", "tas", "estimate"], sort=False)[[*THIRDS, "weakest"]].mean().reset_index()


def misses(table: pd.DataFrame, shares: pd.DataFrame) -> Iterator[str]:
    """What does not hold: of a kind of class, or of the coverage over all of them."""
    for row in table.to_dict("records"):
        allowed = 5 if row["kind"] == "one week" else 3
        held = {
            "the mean is better": row["learned"] <= row["mean"],
            f"error more than {allowed} % above": row["above"] <= allowed,
            "reliability ranked worse": row["reliability_learned"] >= row["reliability_true"] - 0.03,
            "effort ranked worse": row["effort_learned"] >= row["effort_true"] - 0.05,
        }
        yield from (f"{row['kind']}, {row['tas']} TAs: {bar}" for bar, holds in held.items() if not holds)
    for name, share in shares["learned"].items():
        if not 87 <= share <= 93:
            yield f"{name}: {share:.1f} %"


def markdown(table: pd.DataFrame, shares: pd.DataFrame, thirds: pd.DataFrame) -> Iterator[str]:
    """The tables of docs/learned.md."""
    yield "| class | TAs | plain mean | learned | true | learned above true | reliability | effort |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in table.to_dict("records"):
        distances = " | ".join(f"{row[name]:.3f}" for name in ("mean", "learned", "true"))
        ranks = " | ".join(
            f"{row[f'{name}_learned']:.2f} / {row[f'{name}_true']:.2f}" for name in ("reliability", "effort")
        )
        above = f"{row['above']:+.1f} % ± {row['above_se']:.1f}"
        yield f"| {row['kind']} | {row['tas']} | {distances} | {above} | {ranks} |"
    yield f"\n| class | TAs | estimate | {' | '.join(f'{name} third' for name in THIRDS)} | weakest tenth |"
    yield "|---|---|---|---|---|---|---|"
    for row in thirds.to_dict("records"):
        distances = " | ".join(f"{row[name]:.3f}" for name in (*THIRDS, "weakest"))
        yield f"| {row['kind']} | {row['tas']} | {row['estimate']} | {distances} |"
    yield "\n| 90 % intervals of | learned | true |\n|---|---|---|"
    for name, learned, true in shares.itertuples():
        words = str(name).removesuffix("_coverage").replace("_", " ")
        yield f"| {words} | {learned:.1f} % | {true:.1f} % |"


def main(path: str = "study_learned.csv", classes: str = "10") -> None:
    """Measure what is missing, print the tables, and say which bars do not hold."""
    rows = study(Path(path), int(classes))
    table, shares = by_kind(rows), covered(rows)
    print("\n".join(markdown(table, shares, by_third(rows))))
    print(f"\nClasses in which chains started again: {(rows['restarts'] > 0).sum()}")
    print("\n".join(misses(table, shares)) or "Every bar holds.")


if __name__ == "__main__":
    main(*sys.argv[1:])
