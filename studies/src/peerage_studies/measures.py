"""How near a fit comes to the truth of a simulated class.

Grades are (submissions, components) arrays on the rubric of all studies, 0 to 5, which is the model's scale too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from peerage.gradebook.book import STUDENT
from peerage.inference.choose_model import expected_grades
from peerage.inference.posterior import Posterior
from peerage.rubric import MODEL_MAXIMUM
from peerage.simulation.truth import Truth

Floats = NDArray[np.float64]
Measures = dict[str, float]


def recovery(posterior: Posterior, truth: Truth) -> Measures:
    """Errors of true grades and of students' biases, and how well students are ranked by reliability and effort."""
    model = posterior.model
    found = grade_errors(truth, expected(posterior), most_likely(posterior))
    if model.bias:
        found["bias_mae"] = float(np.abs(of_students(posterior, "bias") - students(truth, "bias")).mean())
    for name in ("reliability", "effort") if model.effort else ("reliability",):
        found[f"{name}_spearman"] = spearman(of_students(posterior, name), students(truth, name))
    return found


def grade_errors(truth: Truth, expected: Floats, legal: Floats) -> Measures:
    """Errors of expected grades, which need not be legal, and the share of legal ones that are the true one."""
    error = expected - np.clip(truth.true_grade, 0.0, MODEL_MAXIMUM)
    return {
        "true_grade_mae": float(np.abs(error).mean()),
        "true_grade_rmse": float(np.sqrt((error**2).mean())),
        "true_grade_accuracy": float((legal == rounded(truth, truth.true_grade)).mean()),
    }


def latent_mae(posterior: Posterior, truth: Truth) -> float:
    """The error of the latent true grades' posterior means, nothing cut at the rubric's ends."""
    return float(np.abs(_by_submission(posterior, posterior.margins.means("true_grade")) - truth.true_grade).mean())


def expected(posterior: Posterior) -> Floats:
    """The expected grades."""
    return _by_submission(posterior, expected_grades(posterior))


def most_likely(posterior: Posterior) -> Floats:
    """The most likely grades."""
    return _by_submission(posterior, posterior.samples.level_mass.argmax(axis=1).astype(float))


def rounded(truth: Truth, grades: Floats) -> Floats:
    """The legal grades nearest to some; half rounds up."""
    columns = [part.values[part.level_of(grades[:, index])] for index, part in enumerate(truth.book.rubric.components)]
    return np.stack(columns, axis=1)


def of_students(posterior: Posterior, variable: str) -> Floats:
    """(students,) posterior means of a variable."""
    return np.asarray(posterior.margins.means(variable)[posterior.book.roles == STUDENT])


def students(truth: Truth, variable: str) -> Floats:
    """(students,) true values of a variable."""
    return np.asarray(getattr(truth, variable)[truth.book.roles == STUDENT])


def spearman(one: Floats, other: Floats) -> float:
    """The correlation of ranks."""
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def _by_submission(posterior: Posterior, cells: Floats) -> Floats:
    layout = posterior.layout
    grades = np.full((posterior.book.n_submissions, len(posterior.book.rubric)), np.nan)
    grades[layout.cell_submission, layout.reports.cell_component] = cells
    return grades
