"""Grades by staff that replace the students': what counts, what is said, and what if staff graded only in part."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.decisions.explain.explanation import Explanation
from support.classes.tiny import tiny_class


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    """The TA gives s0 a 1 and a 0, and with the instructor s3; all students give the highest grades.

    Priors are the paper's, so that students who give one grade count, and it is known how reliable staff are.
    """
    book = tiny_class(1)
    levels = np.where(book.levels >= 0, [5, 3], book.levels)
    levels[(book.review_submission == 0) & (book.review_grader == 5)] = [1, 0]
    levels[(book.review_submission == 3) & (book.review_grader == 5)] = [2, -1]
    model = pg.Model(priors="paper", fixed=pg.Fixed(reliability={"ta": 4.0, "teacher": 8.0}))
    return pg.fit(replace(book, levels=levels.astype(np.int16)), model, chains=2, draws=50, seed=0)


def weights_on(explanation: Explanation, submission: str) -> dict[str, float]:
    rows = explanation.weights[explanation.weights["submission"] == submission]
    return dict(zip(rows["grader"], rows["weight"], strict=True))


def test_staff_alone_count_where_they_graded(posterior: pg.Posterior) -> None:
    explanation = pg.explain(posterior, staff_final=True)
    assert list(explanation.grades[explanation.grades["submission"] == "s0"]["grade"]) == [1, 0]
    assert weights_on(explanation, "s0") == {"b": 0, "c": 0, "ta": 1}
    replaced = explanation.weights[explanation.weights["submission"] == "s0"]
    assert list(replaced["desired_weight"]) == [0, 0, 1]
    plain = pg.explain(posterior)
    assert weights_on(plain, "s0")["b"] + weights_on(plain, "s0")["c"] > 0
    pd.testing.assert_frame_equal(
        plain.weights[["submission", "grader"]], explanation.weights[["submission", "grader"]]
    )


def test_several_staff_are_weighed_among_themselves(posterior: pg.Posterior) -> None:
    weights = weights_on(pg.explain(posterior, staff_final=True), "s3")
    assert weights["ta"] + weights["teacher"] == pytest.approx(1)
    assert weights["teacher"] > weights["ta"] > 0
    assert (weights["a"], weights["c"], weights["e"]) == (0, 0, 0)


def test_students_count_on_what_staff_left_ungraded() -> None:
    book = tiny_class(1)
    levels = np.where(book.levels >= 0, [5, 3], book.levels)
    levels[(book.review_submission == 0) & (book.review_grader == 5)] = [1, -1]
    posterior = pg.fit(replace(book, levels=levels.astype(np.int16)), chains=2, draws=50, seed=0)
    explanation = pg.explain(posterior, staff_final=True)
    assert list(explanation.grades[explanation.grades["submission"] == "s0"]["grade"]) == [1, 3]
    weights = weights_on(explanation, "s0")
    assert 0 < weights["ta"] < 1
    said = explanation.sentences.set_index(["submission", "component"])["sentence"]
    assert "The course staff graded Structure, so 2 other reports do not count; " in said["s0", "Structure"]
    assert "staff" not in said["s4", "Structure"]


def test_the_sentence_says_whose_grade_it_is(posterior: pg.Posterior) -> None:
    said = pg.explain(posterior, staff_final=True).sentences.set_index(["submission", "component"])["sentence"]
    assert said["s0", "Structure"] == (
        "The grade for Structure is 1. A TA gave 1, which counts 100%. "
        "The course staff graded Structure, so 2 other reports do not count. "
        "So the average is 1, which is the grade."
    )


def test_the_command_takes_and_records_the_option(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(tmp_path / "grades.csv", rubric=True)
    fast = ["--chains", "1", "--draws", "20", "--burn-in", "5", "-q"]
    assert main(["fit", str(tmp_path / "grades.csv"), "--staff-final", *fast]) == 0
    written = pd.read_csv(tmp_path / "grades" / "grades.csv").set_index(["submission", "component"])["grade"]
    table = book.table()
    by_staff = table[table["role"] == "ta"]
    assert len(by_staff)
    for row in by_staff.to_dict("records"):
        assert written[row["submission"], row["component"]] == row["grade"]
    record = json.loads((tmp_path / "grades" / "run.json").read_text("utf-8"))
    assert record["explanations"]["staff_final"] is True
