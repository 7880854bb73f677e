"""Explained grades: whoever recomputes them from what is printed gets them, on every class and every rubric."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import peerage as pg
from peerage.cli import main
from peerage.decisions.explain.explanation import Explanation
from peerage.rubric import Component
from support.classes.classes import gradebooks
from support.classes.tiny import FIXED, one_submission, tiny_class

FAST = ["--chains", "2", "--draws", "30", "--burn-in", "10", "-q", "--no-staff-final"]
EXPLAINED = [*FAST, "--final", "explained"]
PRODUCTS = re.compile(r"The average is \(([^)]*)\) / (\d+)")
CORRECTED = re.compile(r"tend to give (?:about )?([\d.]+) (more|less) .* becomes (?:about )?(-?[\d.]*\d)")

Reports = dict[tuple[str, str], list[tuple[str, Fraction]]]
"""For each submission and component, who reported what."""


def exact(value: float | str) -> Fraction:
    """The number that is written, without floating point."""
    return Fraction(value) if isinstance(value, str) else Fraction(f"{value:.10f}")


def nearest(component: Component, average: Fraction) -> Fraction:
    """The legal grade nearest to an average; half rounds up."""
    grades = [exact(grade) for grade in component.grades]
    return min(grades, key=lambda grade: (abs(grade - average), -grade))


def reports_of(book: pg.Gradebook, staff_final: bool = False) -> Reports:
    """The reports that may count: all, or staff's alone wherever staff reported."""
    table = book.table()
    is_staff = table["role"].isin(["ta", "instructor"])
    if staff_final:
        by_staff = is_staff.groupby([table["submission"], table["component"]]).transform("any")
        table = table[is_staff | ~by_staff]
    reports: Reports = {}
    for row in table.to_dict("records"):
        reports.setdefault((row["submission"], row["component"]), []).append((row["grader"], exact(row["grade"])))
    return reports


def recomputed(
    book: pg.Gradebook, weights: pd.DataFrame, staff_final: bool = False
) -> Iterator[tuple[tuple[str, str], Fraction, Fraction]]:
    """What a student gets from the printed weights and biases: submission and component, average, grade."""
    printed = {
        (row["submission"], row["grader"]): (exact(row["weight"]), exact(row.get("bias", 0.0)))
        for row in weights.to_dict("records")
    }
    for key, reports in reports_of(book, staff_final).items():
        component = book.rubric[key[1]]
        step = (exact(component.grades[-1]) - exact(component.grades[0])) / 5
        share, total = Fraction(0), Fraction(0)
        for grader, grade in reports:
            weight, bias = printed[key[0], grader]
            share, total = share + weight, total + weight * (grade - bias * step)
        yield key, total / share, nearest(component, total / share)


def said_average(sentence: str) -> Fraction | None:
    """The average as the sentence's own sum of products gives it, if it has one."""
    match = PRODUCTS.search(sentence)
    if match is None:
        return None
    factors = (term.split(" × ") for term in match[1].split(" + "))
    return sum((Fraction(weight) * Fraction(grade) for weight, grade in factors), Fraction(0)) / int(match[2])


def assert_said(sentence: str, average: Fraction) -> None:
    """What a sentence says of an average follows from the reports in it and, if there is one, from its correction."""
    products, corrected = said_average(sentence), CORRECTED.search(sentence)
    if corrected is None:
        assert products in (None, average)
        return
    assert abs(Fraction(corrected[3]) - average) < Fraction(1, 100)
    if products is not None:
        taken_off = Fraction(corrected[1]) * (1 if corrected[2] == "more" else -1)
        assert abs(products - taken_off - average) <= Fraction(1, 200)


def rows_of(explanation: Explanation) -> dict[tuple[str, str], dict[Any, Any]]:
    """For each submission and component, its grades, average and sentence."""
    table = explanation.grades.merge(explanation.sentences, on=["submission", "component"], validate="one_to_one")
    return {(row["submission"], row["component"]): row for row in table.to_dict("records")}


def check(posterior: pg.Posterior, explanation: Explanation) -> None:
    """Grades, averages and sentences follow from the weights, which add up and obey their limits."""
    book, table = posterior.book, rows_of(explanation)
    fixed = set(posterior.model.fixed.true_grade)
    assert len(table) == len(posterior.submissions())
    for key, average, grade in recomputed(book, explanation.weights, bool(explanation.settings["staff_final"])):
        row = table[key]
        assert f" is {float(row['grade']):.10f}".rstrip("0").rstrip(".") in row["sentence"]
        if key not in fixed:
            assert exact(float(row["grade"])) == grade
            assert float(row["average"]) == pytest.approx(float(average), abs=1e-9)
            assert_said(row["sentence"], average)
    check_limits(explanation)


def check_limits(explanation: Explanation) -> None:
    relaxed = {row["submission"]: row for row in explanation.relaxed.to_dict("records")}
    for submission, rows in explanation.weights.groupby("submission"):
        weights, desired = ([exact(value) for value in rows[name]] for name in ("weight", "desired_weight"))
        shift, least = Fraction("0.09"), Fraction("0.1")
        if submission in relaxed:
            shift, least = (exact(relaxed[submission][name]) for name in ("largest_shift", "least_weight"))
        assert sum(weights) == 1
        assert all((100 * weight).denominator == 1 for weight in weights)
        assert all(weight == 0 or weight >= least for weight in weights)
        assert all(abs(weight - wanted) <= shift for weight, wanted in zip(weights, desired, strict=True))


@pytest.mark.slow
@given(gradebooks())
@settings(max_examples=40)
def test_any_class_can_be_recomputed(book: pg.Gradebook) -> None:
    posterior = pg.fit(book, chains=1, draws=3, burn_in=0, seed=0)
    check(posterior, pg.explain(posterior))
    check(posterior, pg.explain(posterior, adjust_bias=True))
    check(posterior, pg.explain(posterior, staff_final=True))


@pytest.mark.parametrize("staff_final", [False, True])
@pytest.mark.parametrize("adjust_bias", [False, True])
def test_a_class_with_every_special_case_can_be_recomputed(adjust_bias: bool, staff_final: bool) -> None:
    posterior = pg.fit(tiny_class(1), pg.Model(fixed=FIXED, priors="paper"), chains=2, draws=100, seed=0)
    check(posterior, pg.explain(posterior, adjust_bias=adjust_bias, staff_final=staff_final))


def test_biases_are_taken_off_the_reports_when_asked() -> None:
    """With a severe grader alone, the plain average is the report; the adjusted one is higher by the known bias."""
    book = tiny_class(1)
    book = replace(book, levels=np.where(book.review_submission[:, None] == 5, [[2, -1]], book.levels))
    fixed = pg.Fixed(bias={"b": -1.23})
    posterior = pg.fit(book, pg.Model(fixed=fixed, priors="paper"), chains=1, draws=20, seed=0)
    plain, adjusted = (rows_of(pg.explain(posterior, adjust_bias=asked))["s5", "Structure"] for asked in (False, True))
    assert (plain["average"], plain["grade"]) == (2, 2)
    assert (adjusted["average"], adjusted["grade"]) == (3.2, 3)
    assert adjusted["sentence"] == (
        "The grade for Structure is 3. Reviewer 1 gave 2, which counts 100%. So the average is 2. With these weights, "
        "the reviewers tend to give 1.2 less than others, so the average becomes 3.2; the nearest grade is 3."
    )


def test_no_sentence_tells_the_bias_of_one_reviewer_among_several() -> None:
    """A bias to two digits would be a name under which a reviewer can be found again on other pages."""
    book, _ = pg.simulate(8, 1, seed=3, components=2)
    biases = {name: 0.4 + index / 10 for index, name in enumerate(book.graders)}
    posterior = pg.fit(book, pg.Model(fixed=pg.Fixed(bias=biases), priors="paper"), chains=1, draws=20, seed=0)
    explanation = pg.explain(posterior, adjust_bias=True)
    weights = explanation.weights[explanation.weights["weight"] > 0]
    several = weights.groupby("submission").filter(lambda rows: len(rows) > 1)
    assert len(several) > 10
    own: dict[str, set[str]] = {}
    for row in several.to_dict("records"):
        own.setdefault(row["submission"], set()).add(f"{row['bias']:g}")
    for row in explanation.sentences.to_dict("records"):
        said = set(re.findall(r"give (?:about )?([\d.]+) ", row["sentence"]))
        assert not said & own.get(row["submission"], set())


def test_calibrations_that_everybody_graded_can_be_recomputed() -> None:
    book, _ = pg.simulate(40, 1, seed=2, calibrations=2)
    posterior = pg.fit(book, chains=2, draws=100, seed=0)
    explanation = pg.explain(posterior)
    check(posterior, explanation)
    longest = explanation.sentences["sentence"].str.len().max()
    assert longest < 1000


def test_the_real_class_can_be_recomputed(real_data: Path) -> None:
    book = pg.read_grades(real_data / "mooc-assignment3" / "peer_grades.csv")
    posterior = pg.fit(book, chains=2, draws=50, seed=0)
    check(posterior, pg.explain(posterior))


@pytest.mark.slow
def test_few_grades_of_a_class_with_small_biases_differ_from_the_most_likely() -> None:
    """Over five other classes the share was 6.4 % with a standard deviation of 0.5 %; 8 % is passed once in 2,000."""
    book, truth = pg.simulate(setting="a", seed=0)
    explanation = pg.explain(pg.fit(book, truth.model, chains=2, draws=500, seed=0))
    assert 0 < explanation.n_different / len(explanation.grades) <= 0.08


@pytest.mark.slow
def test_seven_graders_make_explained_grades_as_accurate_as_the_most_likely() -> None:
    """Where fewer than one grade in a hundred differs, by one level, errors cannot differ by more than 0.01."""
    book, truth = pg.simulate(weeks=4, reviews_per_student=7, tas=0, setting="a", seed=0)
    grades = pg.explain(pg.fit(book, truth.model, chains=2, draws=500, seed=0)).grades
    true = np.clip(truth.true_grades()["true_grade"], 0, 5)
    errors = [(grades[kind] - true).abs().mean() for kind in ("grade", "most_likely")]
    assert abs(errors[0] - errors[1]) < 0.01


def test_weights_are_near_what_reliability_and_effort_deserve() -> None:
    posterior = pg.fit(tiny_class(2), chains=2, draws=100, seed=0)
    weights, reviews = pg.explain(posterior).weights, posterior.reviews()
    assert list(weights.columns) == ["submission", "grader", "weight", "desired_weight", "effort_probability"]
    joined = weights.merge(reviews, on=["submission", "grader"], validate="one_to_one")
    shares = joined["influence"] / joined.groupby("submission")["influence"].transform("sum")
    np.testing.assert_allclose(joined["desired_weight"], shares, atol=1e-6)
    np.testing.assert_array_equal(joined["effort_probability_x"], joined["effort_probability_y"])


def test_no_higher_penalty_moves_weights_further() -> None:
    posterior = pg.fit(tiny_class(2), chains=2, draws=100, seed=0)
    distances = []
    for penalty in (0.0, 0.01, 1.0):
        weights = pg.explain(posterior, weighting=pg.Weighting(penalty=penalty)).weights
        distances.append((weights["weight"] - weights["desired_weight"]).abs().sum())
    assert distances[0] >= distances[1] >= distances[2]
    assert distances[0] > distances[2]


def test_what_was_fixed_and_what_nobody_graded_keep_their_grades() -> None:
    book = tiny_class(1)
    levels = book.levels.copy()
    levels[book.review_submission == 0, 1] = -1
    posterior = pg.fit(replace(book, levels=levels), pg.Model(fixed=FIXED, priors="paper"), chains=2, draws=50, seed=0)
    explanation = pg.explain(posterior)
    table = rows_of(explanation)
    fixed, ungraded = table["s1", "Structure"], table["s0", "Code"]
    assert fixed["grade"] == 3
    assert fixed["sentence"] == "The grade for Structure is 3. It was set by the course staff."
    assert ungraded["grade"] == ungraded["most_likely"]
    assert "Nobody graded this component" in ungraded["sentence"]
    assert np.isnan(fixed["average"])
    assert np.isnan(ungraded["average"])


def test_graders_are_named_only_when_asked() -> None:
    book = tiny_class(1)
    book = replace(book, graders=tuple(f"Person{name}" for name in book.graders))
    posterior = pg.fit(book, chains=1, draws=30, seed=0)
    anonymous, named = (pg.explain(posterior, name_graders=asked) for asked in (False, True))
    assert not anonymous.sentences["sentence"].str.contains("Person").any()
    assert named.sentences["sentence"].str.contains("Person").all()
    pd.testing.assert_frame_equal(anonymous.weights, named.weights)


def test_more_components_than_percents_still_have_an_answer() -> None:
    """Each of 102 components has a grader of its own: a hundred can count, and two grades are the most likely ones."""
    n = 102
    rubric = pg.Rubric.uniform([f"c{index}" for index in range(n)], range(4))
    book = one_submission(rubric, np.where(np.eye(n, dtype=bool), 2, -1))
    explanation = pg.explain(pg.fit(book, chains=1, draws=5, seed=0))
    assert explanation.weights["weight"].sum() == pytest.approx(1)
    crowded = explanation.grades[explanation.grades["average"].isna()]
    assert list(crowded["component"]) == ["c100", "c101"]
    assert list(crowded["grade"]) == list(crowded["most_likely"])
    assert "cannot all count" in explanation.sentences["sentence"].iloc[-1]


@pytest.mark.parametrize("setting", ["largest_shift", "least_weight", "penalty"])
@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_settings_must_make_sense(setting: str, value: float) -> None:
    with pytest.raises(pg.ModelError, match=f"{setting} must lie between 0 and 1"):
        pg.Weighting(**{setting: value})


# The command


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(tmp_path / "grades.csv", rubric=True)
    return tmp_path / "grades.csv"


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_adjusted_files_can_be_recomputed(grades: Path, tmp_path: Path) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), "--adjust-bias", *EXPLAINED]) == 0
    weights, written = read(tmp_path / "out" / "weights.csv"), read(tmp_path / "out" / "grades.csv")
    assert (weights["bias"] != "0").any()
    printed = {(row["submission"], row["component"]): row for row in written.to_dict("records")}
    for key, _, grade in recomputed(pg.read_grades(grades), weights):
        assert exact(printed[key]["grade"]) == grade


def test_the_files_can_be_recomputed(grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *EXPLAINED]) == 0
    weights, written = read(tmp_path / "out" / "weights.csv"), read(tmp_path / "out" / "grades.csv")
    assert weights["weight"].str.fullmatch(r"[01]\.\d\d").all()
    printed = {(row["submission"], row["component"]): row for row in written.to_dict("records")}
    for key, _, grade in recomputed(pg.read_grades(grades), weights):
        assert exact(printed[key]["grade"]) == grade
    totals = read(tmp_path / "out" / "totals.csv").astype({"total": float}).groupby("submission")["total"].sum()
    sums = written.astype({"grade": float}).groupby("submission")["grade"].sum()
    pd.testing.assert_series_equal(totals, sums, check_names=False)
    different = int((written["grade"] != written["most_likely"]).sum())
    assert f"{different} of 32 explained grades" in capsys.readouterr().out
    record = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert record["explanations"] == {
        "form": "explained", "largest_shift": 0.09, "least_weight": 0.1, "penalty": 0.01, "correction": "none",
        "name_graders": False, "staff_final": False, "excess_over_staff": 0.0, "different": different, "relaxed": [],
        "unproven": [],
    }  # fmt: skip


def test_the_most_likely_grades_need_no_explanation(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), "--final", "most-likely", *FAST]) == 0
    written = read(tmp_path / "out" / "grades.csv")
    assert list(written["grade"]) == list(written["most_likely"])
    assert not (tmp_path / "out" / "weights.csv").exists()
    assert not (tmp_path / "out" / "explanations.csv").exists()
    out = capsys.readouterr().out
    assert "explain" not in out
    assert "weights.csv" not in out


@pytest.mark.parametrize("option", ["--adjust-bias", "--name-graders"])
def test_options_of_explained_grades_are_refused_without_them(
    option: str, grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), "--final", "most-likely", option]) == 2
    assert "--final" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_names_graders_when_asked(grades: Path, tmp_path: Path) -> None:
    for option, expected in (([], False), (["--name-graders"], True)):
        assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *option, *FAST]) == 0
        sentences = read(tmp_path / "out" / "explanations.csv")["sentence"]
        assert sentences.str.contains("student").any() == expected


def test_relaxed_limits_are_said_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever alone graded a component has to count, even one whose reviews are known to lack effort."""
    (tmp_path / "g.csv").write_text("submission,grader,A,B\np1,ann,1,\np1,bob,2,\np1,cat,3,2\np2,ann,1,1\np2,bob,2,3\n")
    (tmp_path / "fixed.csv").write_text("variable,id,component,value\neffort,cat,,0\n")
    options = ["--fixed", str(tmp_path / "fixed.csv"), "-o", str(tmp_path / "out"), *EXPLAINED]
    assert main(["fit", str(tmp_path / "g.csv"), *options]) == 0
    said = "the weights of 1 submission needed wider limits than asked for, because none exist within those: 'p1'"
    wide = "weights differ there by up to 0.10 from those deserved, and are at least 0.10"
    assert f"{said}; {wide}" in capsys.readouterr().err
    record = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert record["explanations"]["relaxed"] == [{"submission": "p1", "largest_shift": 0.1, "least_weight": 0.1}]
    assert said in [warning["message"] for warning in record["warnings"]]
