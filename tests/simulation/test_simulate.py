"""Simulated classes: their plan, their shape, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import peerage as pg
from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA

SCALES = pg.Rubric.from_dict(
    {
        "Structure": {"grades": [0, 1, 2, 3, 4, 5]},
        "Code": {"grades": "0 to 3 by 0.5"},
        "Style": {"grades": [10, 20, 50]},
    }
)


def reviews_by(book: pg.Gradebook, role: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.asarray(book.roles[book.review_grader] == role)


def test_the_default_is_the_papers_class() -> None:
    book, truth = pg.simulate()
    assert (book.n_submissions, book.n_graders, book.n_reviews, book.n_grades) == (1200, 123, 5100, 20400)
    assert set(np.bincount(book.review_submission[reviews_by(book, STUDENT)])) == {4}
    assert set(np.bincount(book.review_grader[reviews_by(book, TA)], minlength=123)[120:]) == {100}
    assert truth.model == pg.Model(priors="paper")
    assert [component.grades for component in book.rubric.components] == [(0, 1, 2, 3, 4, 5)] * 4


@settings(max_examples=60, deadline=None)
@given(
    students=st.integers(4, 30),
    weeks=st.integers(1, 4),
    team_size=st.integers(1, 3),
    tas=st.integers(0, 3),
    ta_share=st.floats(0, 1),
    calibrations=st.integers(0, 3),
    submissions=st.none() | st.integers(5, 60),
    seed=st.integers(0, 2**32),
)
def test_every_plan_is_balanced_and_nobody_reviews_their_own_work(
    students: int,
    weeks: int,
    team_size: int,
    tas: int,
    ta_share: float,
    calibrations: int,
    submissions: int | None,
    seed: int,
) -> None:
    weekly = submissions or students // team_size
    each = max(1, min(3, weekly - 1 - (weekly - 1) // students))
    written_by_one = -(-weekly * team_size // students)
    assume(weekly <= students * each and each <= weekly - written_by_one)
    book, _ = pg.simulate(
        students,
        weeks,
        seed,
        reviews_per_student=each,
        tas=tas,
        ta_share=ta_share,
        calibrations=calibrations,
        submissions_per_week=submissions,
        team_size=team_size,
    )
    assert book.n_submissions == weekly * weeks + calibrations
    assert all(
        book.graders[grader] not in book.authors[submission]
        for grader, submission in zip(book.review_grader, book.review_submission, strict=True)
    )
    weekly_reviews = reviews_by(book, STUDENT) & (book.review_submission >= calibrations)
    given_by = np.bincount(book.review_grader[weekly_reviews])
    assert set(given_by) == {each * weeks}
    if team_size == 1 and weekly <= students:
        received = np.bincount(book.review_submission[weekly_reviews])[calibrations:]
        assert received.max() - received.min() <= 1
    written = pd.Series([author for team in book.authors for author in team]).value_counts()
    assert np.ptp(written.reindex(book.graders[:students], fill_value=0)) <= 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2), st.integers(0, 3))
def test_ids_stand_in_the_order_in_which_a_file_names_them(seed: int, calibrations: int, tas: int) -> None:
    book, truth = pg.simulate(8, 3, seed, calibrations=calibrations, tas=tas, ta_share=0.1)
    table = book.table()
    assert tuple(table["submission"].unique()) == book.submissions
    assert tuple(table["grader"].unique()) == book.graders
    assert tuple(truth.graders()["grader"]) == book.graders
    assert tuple(truth.true_grades()["submission"].unique()) == book.submissions


def test_the_same_seed_gives_the_same_class() -> None:
    one, other, third = (pg.simulate(10, 2, seed)[0].table() for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(one, other)
    assert not one.equals(third)


def test_calibrations_are_graded_by_the_instructor_and_by_every_student() -> None:
    book, truth = pg.simulate(9, 1, calibrations=2, reviews_per_student=2)
    assert book.authors[:2] == ((), ())
    assert book.assignments[:3] == ("calibration", "calibration", "week1")
    for submission in range(2):
        graders = set(book.review_grader[book.review_submission == submission])
        assert [book.roles[grader] for grader in sorted(graders)] == [STUDENT] * 9 + [INSTRUCTOR]
    instructor = book.graders.index("instructor")
    assert (truth.reliability[instructor], truth.effort[instructor]) == (16, 1)
    assert truth.bias[instructor] != 0


def test_submissions_are_graded_by_as_many_as_the_study_of_graders_per_submission_needs() -> None:
    for graders, students in ((1, 10), (4, 40), (32, 320)):
        book, _ = pg.simulate(students, 1, tas=0, submissions_per_week=40)
        assert set(np.bincount(book.review_submission)) == {graders}


def test_components_have_scales_of_their_own() -> None:
    book, truth = pg.simulate(200, 2, components=SCALES)
    for index, component in enumerate(SCALES.components):
        assert set(book.values[:, index]) == set(component.grades)
        on_model_scale = component.to_model(truth.true_grade[:, index])
        # The mean of 400 draws of N(4, 0.8²) strays beyond six standard errors with probability 2e-9.
        assert abs(on_model_scale.mean() - 4) < 6 * 0.8 / 20
    table = truth.true_grades()
    assert table["component"].tolist()[:4] == ["Structure", "Code", "Style", "Structure"]
    style = table[table["component"] == "Style"]
    assert set(style["rounded"]) <= {10, 20, 50}
    assert style.loc[style["rounded"] == 20, "true_grade"].between(15, 35).all()


def test_true_grades_and_means_may_differ_by_component() -> None:
    model = pg.Model(priors=pg.Priors.paper(mu_s=(1.0, 4.0), sigma_s=(0.1, 0.5)))
    _, truth = pg.simulate(100, 4, components=2, model=model)
    # Six standard errors of mean and standard deviation of 400 normal draws: false alarms below 1e-8.
    assert np.abs(truth.true_grade.mean(axis=0) - [1, 4]).max() < 6 * 0.5 / 20
    assert np.abs(truth.true_grade.std(axis=0) / [0.1, 0.5] - 1).max() < 6 / np.sqrt(800)


def test_features_that_are_off_leave_no_trace() -> None:
    _, truth = pg.simulate(20, 1, model=pg.Model(bias=False, effort=False, priors="paper"))
    assert not truth.bias.any()
    assert (truth.effort == 1).all()
    assert truth.effortful.all()


@pytest.mark.parametrize(("setting", "sigma_b", "tau_l"), [("a", 0.1, 1), ("b", 1, 1), ("c", 1, 4)])
def test_the_papers_classes_are_known_by_name(setting: str, sigma_b: float, tau_l: float) -> None:
    _, truth = pg.simulate(10, 1, setting=setting, model=pg.Model(effort=False, priors="paper"))
    assert truth.model == pg.Model(effort=False, priors=pg.Priors.paper(sigma_b=sigma_b, tau_l=tau_l))


def test_fixed_graders_keep_their_values() -> None:
    fixed = pg.Fixed(effort={"student02": 0.0}, reliability={"ta1": 2.5}, bias={"student01": -1.5})
    book, truth = pg.simulate(10, 3, model=pg.Model(fixed=fixed, priors="paper"))
    graders = truth.graders().set_index("grader")
    assert graders.loc["student02", "effort"] == 0
    assert graders.loc["ta1", "reliability"] == 2.5
    assert graders.loc["student01", "bias"] == -1.5
    assert not truth.effortful[book.review_grader == 1].any()


def test_tas_without_work_are_left_out() -> None:
    book, _ = pg.simulate(4, 1, reviews_per_student=2, tas=3, ta_share=0.25)
    assert book.graders == ("student1", "student2", "student3", "student4", "ta1")


def test_truth_cannot_be_changed() -> None:
    _, truth = pg.simulate(5, 1)
    with pytest.raises(ValueError, match="read-only"):
        truth.bias[0] = 1.0


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"students": 1}, "students must be a whole number of at least 2, not 1"),
        ({"weeks": 0}, "weeks must be a whole number of at least 1, not 0"),
        ({"weeks": 1.5}, "weeks must be a whole number of at least 1, not 1.5"),
        ({"tas": -1}, "tas must be a whole number of at least 0, not -1"),
        ({"ta_share": 25}, "ta_share is a share between 0 and 1, not 25"),
        ({"ta_share": float("nan")}, "ta_share is a share between 0 and 1, not nan"),
        ({"components": 0}, "components must be a rubric or a whole number of at least 1, not 0"),
        ({"students": 4}, "only 3 of the 4; ask for at most 3 reviews each"),
        ({"submissions_per_week": 500}, "500 submissions per week cannot each get a review"),
        ({"submissions_per_week": 0}, "submissions_per_week must be a whole number of at least 1, not 0"),
        ({"team_size": 200}, "120 students do not fill a team of 200"),
        ({"setting": "d"}, "there is no class 'd'; choose one of a, b, c"),
        ({"model": pg.Model(fixed=pg.Fixed(bias={"nobody": 1}))}, "the fixed bias of 'nobody' belongs to nobody"),
        ({"model": pg.Model(fixed=pg.Fixed(true_grade={("u", "c"): 1}))}, "a simulated class draws its true grades"),
        ({"model": pg.Model(priors=pg.Priors.paper(mu_s=(1, 2)))}, "mu_s has 2 values but the rubric has 4"),
    ],
)
def test_classes_that_cannot_be_are_refused(settings_: dict[str, Any], message: str) -> None:
    with pytest.raises(pg.PeerageError, match=message):
        pg.simulate(**settings_)


def test_a_model_without_fixed_priors_draws_from_the_papers() -> None:
    _, truth = pg.simulate(8, 1, model=pg.Model(effort=False), seed=1)
    assert truth.model == pg.Model(effort=False, priors="paper")
