"""Whether spot checks by expected benefit make a class's grades better than checks chosen otherwise.

Each simulated class is fitted without staff. A TA grades a tenth of its submissions, chosen in one of several ways, and
the class is fitted again. A TA's grades of a submission are the same whoever chose it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ttest_rel

import peerage as pg
from peerage.gradebook.book import TA
from peerage.simulation import generative

CLASSES, STUDENTS, WEEKS, SHARE = 20, 120, 4, 0.1
OURS = "expected benefit"
OTHERS = ("random", "disagreement", "posterior variance", "expected benefit, a tenth at random")

Indexes = NDArray[np.intp]


def ta_levels(truth: pg.Truth, rng: np.random.Generator) -> NDArray[np.int16]:
    """(submissions, components): what a TA drawn from the model would report on every submission."""
    book, model = truth.book, truth.model
    graders = generative.draw_graders(model, ("ta",), np.array([TA], np.int8), np.array([False]), rng)
    scaled = np.stack(
        [part.to_model(truth.true_grade[:, index]) for index, part in enumerate(book.rubric.components)], axis=1
    )
    count = book.n_submissions
    reports = generative.draw_reports(
        model, scaled + graders.bias[0], np.full(count, graders.reliability[0]), np.ones(count, dtype=bool), rng
    )
    return generative.to_levels(book.rubric, reports)


def with_ta(book: pg.Gradebook, levels: NDArray[np.int16], chosen: Indexes) -> pg.Gradebook:
    """The class after a TA graded some submissions."""
    return replace(
        book,
        graders=(*book.graders, "ta"),
        roles=np.append(book.roles, TA),
        review_submission=np.append(book.review_submission, chosen),
        review_grader=np.append(book.review_grader, np.full(len(chosen), book.n_graders)),
        levels=np.concatenate([book.levels, levels[chosen]]),
    )


def disagreement(book: pg.Gradebook) -> NDArray[np.float64]:
    """(submissions,): the variance of the reports, averaged over components."""
    table = book.table()
    spread = table.groupby(["submission", "component"])["grade"].var().groupby("submission").mean()
    return np.asarray(spread.reindex(list(book.submissions)).fillna(0.0), dtype=float)


def variance(posterior: pg.Posterior) -> NDArray[np.float64]:
    """(submissions,): the variances of the rubric grades, added up over components."""
    table = posterior.submissions()
    spread = (table["sd"] ** 2).groupby(table["submission"], sort=False).sum()
    return np.asarray(spread.reindex(list(posterior.book.submissions)), dtype=float)


def choices(posterior: pg.Posterior, budget: int, rng: np.random.Generator) -> Iterator[tuple[str, Indexes]]:
    """The submissions that each way of choosing sends to the TA."""
    book = posterior.book
    places = {name: index for index, name in enumerate(book.submissions)}
    for name, share in ((OURS, 0.0), (OTHERS[-1], 0.1)):
        proposed = pg.spot_checks(posterior, budget, random_share=share)["submission"]
        yield name, np.array([places[submission] for submission in proposed])
    yield "posterior variance", np.argsort(-variance(posterior), kind="stable")[:budget]
    yield "random", rng.permutation(book.n_submissions)[:budget]
    yield "disagreement", np.argsort(-disagreement(book), kind="stable")[:budget]


def error(posterior: pg.Posterior, truth: pg.Truth) -> float:
    """The mean distance of the expected grades from the true ones, cut at the rubric's ends."""
    return float(np.abs(posterior.submissions()["expected"] - np.clip(truth.true_grade.ravel(), 0, 5)).mean())


def refit(book: pg.Gradebook, model: pg.Model, seed: int) -> pg.Posterior:
    """A fit with the true priors, which is short because grades need few draws."""
    return pg.fit(book, model, chains=4, draws=250, burn_in=150, seed=seed)


def measure(setting: str, seed: int, students: int, weeks: int) -> dict[str, float]:
    """The errors of one class: before, and after the checks of each kind."""
    rng = np.random.default_rng([seed, 1])
    book, truth = pg.simulate(students, weeks, seed=seed, tas=0, setting=setting)
    before = refit(book, truth.model, seed)
    levels, budget = ta_levels(truth, rng), round(SHARE * book.n_submissions)
    errors = {"none": error(before, truth)}
    for name, chosen in choices(before, budget, rng):
        errors[name] = error(refit(with_ta(book, levels, chosen), truth.model, seed), truth)
    return errors


def report(setting: str, errors: pd.DataFrame) -> Iterator[str]:
    """The rows of the table for one kind of class."""
    for name in ("none", *OTHERS, OURS):
        gained = [(errors["none"] - errors[name]).mean(), (errors[name] - errors[OURS]).mean()]
        p = "" if name == OURS else f"{ttest_rel(errors[name], errors[OURS], alternative='greater').pvalue:.1g}"
        yield " | ".join([f"({setting})", name, *(f"{value:.4f}" for value in (errors[name].mean(), *gained)), p])


def main(settings: str = "b", path: str = "study_spotchecks.csv", *size: str) -> None:
    """Print mean errors and paired tests for one or several of the paper's classes, and write each class's errors.

    ``size`` is the number of classes, of students and of weeks.
    """
    classes, students, weeks = map(int, size or (CLASSES, STUDENTS, WEEKS))
    parts = []
    print("class | checks | error | gained | expected benefit better by | p")
    for setting in settings:
        errors = pd.DataFrame([measure(setting, seed, students, weeks) for seed in range(classes)])
        parts.append(errors.assign(setting=setting, seed=range(classes)))
        print("\n".join(report(setting, errors)), flush=True)
    pd.concat(parts).to_csv(path, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
