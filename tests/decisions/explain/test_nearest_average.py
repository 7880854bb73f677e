"""Averages near the expected grade: whoever recomputes them gets them, and hardly any weights come nearer."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import peerage as pg
from peerage.decisions.explain.disagreement import Disagreement
from peerage.decisions.explain.nearest_average import nearest_weights
from peerage.decisions.explain.weight_problem import desired_weights
from support.classes.tiny import FIXED, tiny_class

Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(tiny_class(2), pg.Model(fixed=FIXED), chains=2, draws=50, seed=0)


def objective(weights: NDArray[np.int64], values: Floats, expected: Floats, wanted: Floats, penalty: float) -> float:
    graded = ~np.isnan(values)
    heard = weights @ graded
    if (heard == 0).any():
        return np.inf
    gaps = weights @ np.where(graded, values, 0.0) / heard - expected
    return float((gaps**2).mean() + penalty * np.abs(weights - wanted).sum() / 200)


@pytest.mark.parametrize("seed", range(8))
def test_no_other_percents_are_much_nearer(seed: int) -> None:
    """All vectors of percents for three reports, some components of which are missing, are tried."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (3, 3)).astype(float)
    values[1, 0] = np.nan
    expected, influence = rng.uniform(1, 5, 3), rng.uniform(0.1, 2, 3)
    desired = desired_weights(influence)
    wanted, penalty = desired / 10_000, 0.03
    tried = (np.array([a, b, 100 - a - b]) for a, b in product(range(101), repeat=2) if a + b <= 100)
    best = min(objective(weights, values, expected, wanted, penalty) for weights in tried)
    found = nearest_weights(values, expected, desired, penalty)
    assert found.sum() == 100
    assert found.min() >= 0
    assert objective(found, values, expected, wanted, penalty) <= best + 0.002


def test_a_component_that_only_a_light_grader_graded_is_heard() -> None:
    values = np.array([[4.0, np.nan], [3.0, 2.0]])
    weights = nearest_weights(values, np.array([4.0, 5.0]), np.array([1_000_000, 0]), 1.0)
    assert weights.tolist() == [99, 1]


def test_the_average_of_the_printed_weights_is_the_grade(posterior: pg.Posterior) -> None:
    explanation = pg.explain(posterior, form="average", decimals=2)
    weights = {
        (row["submission"], row["grader"]): Fraction(f"{row['weight']:.2f}")
        for row in explanation.weights.to_dict("records")
    }
    reports: dict[tuple[str, str], list[tuple[Fraction, Fraction]]] = {}
    for row in posterior.book.table().to_dict("records"):
        weight = weights[row["submission"], row["grader"]]
        reports.setdefault((row["submission"], row["component"]), []).append((weight, Fraction(str(row["grade"]))))
    grades = explanation.grades.set_index(["submission", "component"])["grade"].to_dict()
    for key in set(reports) - set(FIXED.true_grade):
        total = sum((weight for weight, _ in reports[key]), Fraction(0))
        average = sum((weight * grade for weight, grade in reports[key]), Fraction(0)) / total
        assert abs(Fraction(f"{grades[key]:.2f}") - average) <= Fraction(1, 200)


def test_the_mean_is_that_of_the_reports(posterior: pg.Posterior) -> None:
    explanation = pg.explain(posterior, form="mean", decimals=6)
    table = posterior.book.table()
    means = table.groupby(["submission", "component"])["grade"].mean().rename("mean").reset_index()
    both = explanation.grades.merge(means, on=["submission", "component"])
    free = [key not in FIXED.true_grade for key in zip(both["submission"], both["component"], strict=True)]
    pd.testing.assert_series_equal(both["grade"][free], both["mean"][free], check_names=False, atol=1e-6)


def test_unanimous_reports_are_the_grade_in_every_form(posterior: pg.Posterior) -> None:
    table = posterior.book.table()
    agreed = table.groupby(["submission", "component"])["grade"].agg(["nunique", "first"])
    agreed = agreed[agreed["nunique"] == 1]
    assert len(agreed)
    for form in ("explained", "average", "mean"):
        grades = pg.explain(posterior, form=form).grades.set_index(["submission", "component"])["grade"]
        for key in set(agreed.index) - set(FIXED.true_grade):
            assert grades[key] == agreed.loc[key, "first"]


def test_disagreement_counts_other_submissions_alone() -> None:
    rows = [("a", "x", 4), ("a", "y", 2), ("b", "x", 5), ("b", "y", 4), ("c", "x", 3), ("d", "y", 0)]
    table = pd.DataFrame(rows, columns=["submission", "grader", "grade"]).assign(component="C")
    book = pg.read_grades(table, pg.Rubric.uniform(["C"], range(6)))
    found = Disagreement.of(book)
    assert found.elsewhere(book.graders.index("x"), book.submissions.index("a")) == (1.0, 1)
    assert found.elsewhere(book.graders.index("x"), book.submissions.index("c")) == (1.5, 2)


def test_other_forms_and_decimals_are_refused(posterior: pg.Posterior) -> None:
    with pytest.raises(pg.ModelError, match="in the forms explained, average, mean, not 'median'"):
        pg.explain(posterior, form="median")  # type: ignore[arg-type]
    with pytest.raises(pg.ModelError, match="with 0 to 6 decimals, not 7"):
        pg.explain(posterior, form="average", decimals=7)
