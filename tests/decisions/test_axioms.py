"""What must always hold of grades, over many small classes at random.

Each axiom is a function that names the grades which break it, and is shown to find a violation that was planted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import FINAL, DecisionChoices
from peerage.decisions.final_grades import FinalGrades
from peerage.decisions.staff_grades import contradict_students
from peerage.gradebook.book import MISSING
from peerage.model import Fixed
from peerage.rubric import MODEL_MAXIMUM
from support.classes.random_classes import known_graders, other, random_class, shuffled

CLASSES = 30
FAST: dict[str, Any] = {"chains": 1, "draws": 10, "burn_in": 10, "seed": 0}
PAPER = pg.Priors.paper()

Cell = tuple[str, str]
Grades = dict[Cell, float]


@cache
def fitted(seed: int) -> pg.Posterior:
    """A class, fitted with the default model."""
    return pg.fit(random_class(seed), **FAST)


def final_grades(posterior: pg.Posterior, form: str = "average", staff_final: bool = True) -> Grades:
    """The grades that a class gets which asks for a form, and for the students' level where staff did not grade."""
    explanation = DecisionChoices(final=form, staff_final=staff_final, staff_level=False).explain(posterior)
    final = FinalGrades.of(posterior, explanation, staff_final=staff_final)
    return dict(zip(final.cells, final.grades, strict=True))


@cache
def given_grades(seed: int, form: str = "average", staff_final: bool = True) -> Grades:
    """The final grades of a class."""
    return final_grades(fitted(seed), form, staff_final)


@cache
def averages(seed: int) -> pg.Explanation:
    """A class's grades as averages, of staff's grades alone where there are any."""
    return pg.explain(fitted(seed), form="average", staff_final=True)


def reports(book: pg.Gradebook, *, staff: bool | None = None) -> dict[Cell, list[float]]:
    """What each component of a submission was given: by all, by staff alone, or by students alone."""
    table = book.table()
    if staff is not None:
        table = table[(table["role"] != "student") == staff]
    return {(str(key[0]), str(key[1])): list(part["grade"]) for key, part in table.groupby(["submission", "component"])}


# Whoever agrees is followed


def not_unanimous(book: pg.Gradebook, grades: Grades) -> list[Cell]:
    """Where all graders agree and the grade is another."""
    return [cell for cell, given in reports(book).items() if len(set(given)) == 1 and grades[cell] != given[0]]


def against_staff(book: pg.Gradebook, grades: Grades) -> list[Cell]:
    """Where all staff who graded agree and the grade is another."""
    by_staff = reports(book, staff=True)
    return [cell for cell, given in by_staff.items() if len(set(given)) == 1 and grades[cell] != given[0]]


@pytest.mark.parametrize("form", [form for form in FINAL if form != "most-likely"])
@pytest.mark.parametrize("staff_final", [True, False])
def test_graders_who_agree_get_what_they_agree_on(form: str, staff_final: bool) -> None:
    for seed in range(CLASSES):
        assert not_unanimous(fitted(seed).book, given_grades(seed, form, staff_final)) == []


def test_a_unanimous_grade_that_is_changed_is_found() -> None:
    book, grades = fitted(0).book, given_grades(0)
    cell = next(cell for cell, given in reports(book).items() if len(set(given)) == 1)
    assert not_unanimous(book, grades | {cell: grades[cell] - 0.5}) == [cell]


def test_at_the_level_of_staff_they_get_it_moved_by_what_is_said() -> None:
    moved = 0
    for seed in range(CLASSES):
        posterior = fitted(seed)
        explanation = DecisionChoices().explain(posterior)
        assert explanation is not None
        excess = explanation.settings["excess_over_staff"]
        assert contradict_students(posterior) == bool(excess)
        moved += bool(excess)
        found = FinalGrades.of(posterior, explanation)
        grades, parts = dict(zip(found.cells, found.grades, strict=True)), posterior.book.rubric.components
        legal, by_staff = {part.name: part.grades for part in parts}, reports(posterior.book, staff=True)
        for cell, given in reports(posterior.book).items():
            if len(set(given)) == 1:
                low, *_, high = legal[cell[1]]
                amount = 0 if cell in by_staff else excess / MODEL_MAXIMUM * (high - low)
                assert grades[cell] == pytest.approx(np.clip(given[0] - amount, low, high), abs=0.05 + 1e-9)
    assert 0 < moved < CLASSES


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mooc-assignment3", "r2r", "uto-multidim"])
def test_graders_of_real_classes_who_agree_get_what_they_agree_on(real_data: Path, name: str) -> None:
    posterior = pg.fit(pg.read_grades(real_data / name / "peer_grades.csv"), chains=1, draws=5, burn_in=5, seed=0)
    for form in ("average", "explained"):
        assert not_unanimous(posterior.book, final_grades(posterior, form)) == []


@pytest.mark.parametrize("form", FINAL)
def test_where_all_staff_agree_the_grade_is_theirs(form: str) -> None:
    for seed in range(CLASSES):
        assert against_staff(fitted(seed).book, given_grades(seed, form)) == []


def test_staff_who_are_weighed_like_students_are_found() -> None:
    found = [against_staff(fitted(seed).book, given_grades(seed, staff_final=False)) for seed in range(CLASSES)]
    assert sum(map(len, found)) > CLASSES


# Where staff differ, it is their mean, with the weights that are printed


def not_their_mean(book: pg.Gradebook, explanation: pg.Explanation) -> list[Cell]:
    """Where staff graded, and the grade is not the weighted mean of their grades, to its decimal."""
    weights = {
        (row["submission"], row["grader"]): Fraction(f"{row['weight']:.2f}")
        for row in explanation.weights.to_dict("records")
    }
    table = book.table()
    by_staff = table[table["role"] != "student"]
    given = explanation.grades.set_index(["submission", "component"])["grade"].to_dict()
    broken = []
    for cell, part in by_staff.groupby(["submission", "component"]):
        counted = [weights[str(cell[0]), grader] for grader in part["grader"]]
        total = sum(counted, Fraction(0))
        shares = zip(counted, part["grade"], strict=True)
        mean = sum((weight * Fraction(grade) for weight, grade in shares), Fraction(0)) / (total or 1)
        if total == 0 or abs(Fraction(f"{given[cell]:.1f}") - mean) > Fraction(1, 20):
            broken.append((str(cell[0]), str(cell[1])))
    return broken


def test_where_staff_differ_the_grade_is_their_weighted_mean() -> None:
    differ = 0
    for seed in range(CLASSES):
        posterior = fitted(seed)
        differ += sum(len(set(given)) > 1 for given in reports(posterior.book, staff=True).values())
        assert not_their_mean(posterior.book, averages(seed)) == []
    assert differ > CLASSES


def test_a_mean_with_other_weights_than_those_printed_is_found() -> None:
    found = 0
    for seed in range(CLASSES):
        explanation = averages(seed)
        weights = explanation.weights
        moved = weights.assign(
            weight=weights.groupby("submission")["weight"].transform(lambda part: part.to_numpy()[::-1])
        )
        found += len(not_their_mean(fitted(seed).book, replace(explanation, weights=moved)))
    assert found > CLASSES


# A higher report never lowers the grade, with graders' values and efforts held. Averages are not among these forms: one
# set of weights serves all components of a submission, and benchmarks/study_raised.py counts how often one falls.


def exact(book: pg.Gradebook, fixed: Fixed) -> pg.Posterior:
    """The posterior of the true grades alone, which the sampler on grids knows without chance."""
    return pg.fit(book, pg.Model(priors=PAPER, fixed=fixed, grids="paper"), chains=1, draws=2, burn_in=0, seed=0)


def raised_reports(book: pg.Gradebook) -> Iterator[tuple[Cell, pg.Gradebook]]:
    """The class with one report a level higher, for each report that can be."""
    for review, index in zip(*np.nonzero(book.levels != MISSING), strict=True):
        part = book.rubric.components[index]
        if book.levels[review, index] + 1 < part.n_levels:
            levels = book.levels.copy()
            levels[review, index] += 1
            yield (book.submissions[book.review_submission[review]], part.name), replace(book, levels=levels)


def expected(posterior: pg.Posterior) -> Grades:
    table = posterior.submissions()
    return {(row["submission"], row["component"]): row["expected"] for row in table.to_dict("records")}


def lowered(cell: Cell, before: Grades, after: Grades) -> bool:
    return after[cell] < before[cell] - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_higher_report_never_lowers_the_grade(seed: int) -> None:
    book = random_class(seed)
    fixed = known_graders(book, seed)
    forms = ("most-likely", "mean")
    posterior = exact(book, fixed)
    before = [expected(posterior), *(final_grades(posterior, form) for form in forms)]
    for cell, raised in raised_reports(book):
        posterior = exact(raised, fixed)
        after = [expected(posterior), *(final_grades(posterior, form) for form in forms)]
        assert not any(lowered(cell, *pair) for pair in zip(before, after, strict=True))


def test_a_grade_that_falls_is_found() -> None:
    book = random_class(0)
    fixed = known_graders(book, 0)
    cell, raised = next(raised_reports(book))
    assert lowered(cell, expected(exact(raised, fixed)), expected(exact(book, fixed)))


# Names, order and points do not count


def renamed(fixed: Fixed) -> Fixed:
    """The same values under other names."""
    return Fixed.from_rows([(variable, other(name), part, value) for variable, name, part, value in fixed.rows()])


def apart(one: Grades, two: Grades) -> float:
    """The largest difference of the grades of a class and of the same class under other names."""
    return max(abs(grade - two[other(cell[0]), other(cell[1])]) for cell, grade in one.items())


def test_names_and_order_do_not_count() -> None:
    for seed in range(CLASSES):
        book = random_class(seed)
        fixed = known_graders(book, seed)
        same = shuffled(book, np.random.default_rng(seed))
        one, two = exact(book, fixed), exact(same, renamed(fixed))
        assert apart(expected(one), expected(two)) < 1e-5
        assert apart(final_grades(one), final_grades(two)) < 1e-9


def test_grades_that_went_to_others_are_found() -> None:
    book = random_class(0)
    fixed = known_graders(book, 0)
    same = shuffled(book, np.random.default_rng(0))
    wrong = replace(same, submissions=same.submissions[::-1])
    assert apart(expected(exact(book, fixed)), expected(exact(wrong, renamed(fixed)))) > 0.1


def test_what_a_component_is_worth_does_not_change_its_grades() -> None:
    for seed in range(CLASSES):
        posterior = fitted(seed)
        parts = posterior.book.rubric.components
        worth = [replace(part, points=tuple(7 * grade**2 for grade in part.grades)) for part in parts]
        same = pg.fit(replace(posterior.book, rubric=pg.Rubric(tuple(worth))), **FAST)
        pd.testing.assert_frame_equal(same.submissions(), posterior.submissions())
        assert final_grades(same) == given_grades(seed)
        assert not same.totals()["expected"].equals(posterior.totals()["expected"]), "points do change totals"
