"""How near estimates come to the truth of a simulated class. Grades are (submissions, components), from 0 to 5."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import sem

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.gradebook.book import STUDENT
from peerage.rubric import MODEL_MAXIMUM

Floats = NDArray[np.float64]

THIRDS = ("lowest", "middle", "highest")
"""Thirds of the submissions, by their mean true grade."""

WEAKEST = 0.1
"""The share of submissions that are called the weakest."""


def on_model_scale(book: pg.Gradebook, grades: Floats | pd.Series[float]) -> Floats:
    """Grades in the rubric's units, in the order of ``posterior.submissions()``, on the scale of 0 to 5."""
    table = np.asarray(grades, dtype=float).reshape(book.n_submissions, len(book.rubric))
    return np.stack([part.to_model(table[:, index]) for index, part in enumerate(book.rubric.components)], axis=1)


def plain_mean(book: pg.Gradebook) -> Floats:
    """The mean of all reports, staff's included."""
    sums = np.zeros((book.n_submissions, len(book.rubric)))
    np.add.at(sums, book.review_submission, book.values)
    return on_model_scale(book, sums / np.bincount(book.review_submission)[:, None])


def averages(posterior: pg.Posterior) -> Floats:
    """The final grades that a class gets unless it asks for others."""
    explanation = DecisionChoices().explain(posterior)
    assert explanation is not None
    return on_model_scale(posterior.book, explanation.grades["grade"])


def expected(posterior: pg.Posterior) -> Floats:
    """The expected grades."""
    return on_model_scale(posterior.book, posterior.submissions()["expected"])


def errors(grades: Floats, true_grade: Floats) -> dict[str, float]:
    """The mean distance from the true grades, cut at the ends: as it is, and if the mean of all grades were known."""
    gap = grades - np.clip(true_grade, 0, MODEL_MAXIMUM)
    return {"error": float(np.abs(gap).mean()), "level_known": float(np.abs(gap - gap.mean()).mean())}


def points(book: pg.Gradebook, grades: Floats) -> Floats:
    """(submissions,) the total points of grades on the scale of 0 to 5."""
    parts = enumerate(book.rubric.components)
    return np.asarray(sum(np.interp(part.from_model(grades[:, c]), part.grades, part.worth) for c, part in parts))


def correlation(book: pg.Gradebook, grades: Floats, true_grade: Floats) -> float:
    """Of total points with the true ones."""
    truth = points(book, np.clip(true_grade, 0, MODEL_MAXIMUM))
    return float(np.corrcoef(points(book, grades), truth)[0, 1])


def errors_by_third(grades: Floats, true_grade: Floats) -> dict[str, float]:
    """The mean distance for each third of the submissions, and for the weakest tenth."""
    truth = np.clip(true_grade, 0, MODEL_MAXIMUM)
    place = np.argsort(np.argsort(truth.mean(axis=1), kind="stable")) / len(truth)
    gap = np.abs(grades - truth).mean(axis=1)
    parts = {name: (place >= index / 3) & (place < (index + 1) / 3) for index, name in enumerate(THIRDS)}
    return {name: float(gap[part].mean()) for name, part in (parts | {"weakest": place < WEAKEST}).items()}


def covered_grades(posterior: pg.Posterior, true_grade: Floats) -> dict[str, float]:
    """The share of latent true grades, and of points of cut ones, that lie in their 90 % interval."""
    book, drawn = posterior.book, posterior.draws["true_grade"]
    latent = np.stack([part.to_model(drawn[..., c]) for c, part in enumerate(book.rubric.components)], axis=-1)
    points = sum(
        np.interp(part.from_model(true_grade[:, c]), part.grades, part.worth)
        for c, part in enumerate(book.rubric.components)
    )
    totals = posterior.totals()
    inside = (totals["lower"].to_numpy() <= points) & (points <= totals["upper"].to_numpy())
    return {"grades": share_inside(latent, true_grade), "totals": float(inside.mean())}


def covered_students(posterior: pg.Posterior, **truth: Floats) -> dict[str, float]:
    """The share of students' true values, by the name of the variable, that lie in their 90 % interval."""
    students = posterior.book.roles == STUDENT
    return {
        name: share_inside(posterior.draws[name][..., students], values[students]) for name, values in truth.items()
    }


def compared(one: pd.Series[float], other: pd.Series[float], digits: int = 3) -> str:
    """The mean difference of paired figures, with its standard error."""
    gap = np.asarray(one - other, dtype=float)
    return f"{gap.mean():+.{digits}f} ± {sem(gap):.{digits}f}"


def share_inside(draws: NDArray[np.floating], truth: Floats) -> float:
    """The share of true values that lie in the 90 % intervals of (chains, draws, …) draws."""
    lower, upper = np.quantile(draws, [0.05, 0.95], axis=(0, 1))
    return float(((lower <= truth) & (truth <= upper)).mean())
