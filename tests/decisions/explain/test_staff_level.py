"""Averages at the level of staff: the same amount for everybody, said in words, and never beyond the scale."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.explain.corrections import Correction
from peerage.decisions.posterior_needs import excess_over_staff
from peerage.decisions.staff_grades import change_of_level, contradict_students, moved_to_their_level

FAST: dict[str, Any] = {"chains": 2, "draws": 150, "burn_in": 150, "seed": 1}


def severe_class(tas: int = 2, bias: float = -1.0) -> tuple[pg.Gradebook, pg.Truth]:
    """Students who give 1 less than TAs, or as told, of whom each graded a quarter of the work."""
    names = [f"student{index + 1:02}" for index in range(24)]
    biases = dict.fromkeys(names, bias) | {f"ta{index + 1}": 0.0 for index in range(tas)}
    model = pg.Model(priors=pg.Priors.paper(mu_s=3.5), fixed=pg.Fixed(bias=biases))
    return pg.simulate(students=24, weeks=2, tas=tas, components=2, seed=3, model=model)


@pytest.fixture(scope="module")
def fitted() -> tuple[pg.Posterior, pg.Truth]:
    book, truth = severe_class()
    return pg.fit(book, **FAST), truth


def by_students(posterior: pg.Posterior) -> np.ndarray:
    return posterior.submissions()["staff_mean"].isna().to_numpy()


def test_grades_come_nearer_to_the_truth(fitted: tuple[pg.Posterior, pg.Truth]) -> None:
    posterior, truth = fitted
    right, mine = np.clip(truth.true_grade, 0, 5).ravel(), by_students(posterior)
    errors = []
    asked: tuple[Correction, ...] = ("none", "level")
    for correction in asked:
        found = pg.explain(posterior, form="average", staff_final=True, correction=correction)
        errors.append(np.abs(found.grades["grade"].to_numpy() - right)[mine].mean())
    assert excess_over_staff(posterior) < -0.4
    assert errors[1] < errors[0] - 0.1


def test_a_student_can_recompute_the_grade(fitted: tuple[pg.Posterior, pg.Truth]) -> None:
    posterior, _ = fitted
    found = pg.explain(posterior, form="average", staff_final=True, correction="level")
    amount = -found.settings["excess_over_staff"]
    assert amount > 0
    mine = by_students(posterior)
    for sentence, grade, average in zip(
        found.sentences["sentence"][mine], found.grades["grade"][mine], found.grades["average"][mine], strict=True
    ):
        assert f"Students in this class give {amount:g} less than the course staff would" in sentence
        told = re.search(r"so the average becomes (?:about )?([\d.]+)", sentence)
        assert told is not None
        assert float(told[1]) == pytest.approx(average, abs=0.01)
        assert grade == pytest.approx(min(average, 5.0), abs=0.05 + 1e-9)
        if average > 5:
            assert sentence.endswith("beyond the highest grade, so the grade is 5.")
    assert not found.sentences["sentence"][~mine].str.contains("than the course staff would").any()
    assert found.grades["grade"].max() <= 5


def test_grades_are_moved_where_staff_contradict(fitted: tuple[pg.Posterior, pg.Truth]) -> None:
    posterior, _ = fitted
    assert contradict_students(posterior)
    moved = DecisionChoices().explain(posterior)
    assert moved is not None
    assert moved.settings["excess_over_staff"] == pytest.approx(excess_over_staff(posterior), abs=0.05)
    left = DecisionChoices(staff_level=False).explain(posterior)
    assert left is not None
    assert left.settings["excess_over_staff"] == 0
    for other in (DecisionChoices(adjust_bias=True), DecisionChoices(final="mean")):
        explanation = other.explain(posterior)
        assert explanation is not None
        assert explanation.settings["excess_over_staff"] == 0


def test_grades_are_left_where_the_levels_are_the_same() -> None:
    book, _ = severe_class(bias=0.0)
    posterior = pg.fit(book, **FAST)
    assert not contradict_students(posterior)
    explanation = DecisionChoices().explain(posterior)
    assert explanation is not None
    assert explanation.settings["excess_over_staff"] == 0


def test_that_grades_were_moved_is_said() -> None:
    assert moved_to_their_level(-0.4) == (
        "Final grades of work that only students graded are raised by 0.4 of 5, to the level of the grades that staff "
        "gave. The best estimate of the difference is used, whether or not its interval includes 0; a fit can leave "
        "the grades at the students' level."
    )
    assert "are lowered by 0.2 of 5" in moved_to_their_level(0.2)


def test_that_the_level_is_another_than_before_is_said() -> None:
    assert change_of_level(0.4, 0.4) == change_of_level(0.0, 0.0) == ""
    came, changed, gone = change_of_level(0.0, 0.4), change_of_level(-0.3, 0.4), change_of_level(0.4, 0.0)
    lowered = "are lowered by 0.4 of 5, to the level of the grades that staff gave; in the earlier results they were "
    assert f"{lowered}left at the students' level. The best" in came
    assert f"{lowered}raised by 0.3 of 5. The best" in changed
    assert "are no longer moved" in gone
    assert gone.endswith("in the earlier results they were lowered by 0.4 of 5.")


def test_it_has_to_be_asked_for_in_python_and_needs_staff(fitted: tuple[pg.Posterior, pg.Truth]) -> None:
    posterior, _ = fitted
    plain = pg.explain(posterior, form="average")
    assert plain.settings["excess_over_staff"] == 0
    with pytest.raises(pg.ModelError, match="only averages can be moved to the level of staff, not the form 'mean'"):
        pg.explain(posterior, form="mean", correction="level")
    for other in ({"final": "explained"}, {"adjust_bias": True}):
        with pytest.raises(pg.ModelError, match="only averages can be moved to the level of staff, and not where"):
            DecisionChoices(staff_level=True, **other)
    alone = pg.fit(severe_class(tas=0)[0], **FAST)
    assert excess_over_staff(alone) == 0
    assert not contradict_students(alone)


def test_biases_are_another_correction_with_two_names(fitted: tuple[pg.Posterior, pg.Truth]) -> None:
    posterior, _ = fitted
    by_name = pg.explain(posterior, form="average", correction="bias")
    by_flag = pg.explain(posterior, form="average", adjust_bias=True)
    assert by_name.settings == by_flag.settings
    assert by_name.sentences.equals(by_flag.sentences)
    assert by_name.sentences["sentence"].str.contains("the reviewers tend to give").any()
    with pytest.raises(pg.ModelError, match="adjust_bias asks for the correction 'bias', not for 'level'"):
        pg.explain(posterior, form="average", correction="level", adjust_bias=True)
    with pytest.raises(pg.ModelError, match="the corrections of reports are none, bias, level, not 'no'"):
        pg.explain(posterior, correction=cast(Correction, "no"))
