"""Does the model beat the mean? Held-out grades, and what others' grades say of them, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.gradebook.book import STUDENT, TA
from peerage.inference.checking.held_out import HeldOut, held_out
from peerage.model import Model

NAN = np.nan


def tiny_book() -> pg.Gradebook:
    """Two submissions graded 0 to 10, which is twice the model's scale; the third has a single grade.

    Submission p: students give 4, 6, 10, and a TA 8. Submission q: students give 2 and 6. Submission r: one gives 4.
    """
    grades = [("p", "ann", 4), ("p", "bob", 6), ("p", "cem", 10), ("p", "ta", 8), ("q", "ann", 2), ("q", "bob", 6)]
    grades.append(("r", "cem", 4))
    submissions, graders = ("p", "q", "r"), ("ann", "bob", "cem", "ta")
    return pg.Gradebook(
        rubric=pg.Rubric.from_dict({"Essay": {"grades": "0 to 10 by 2"}}),
        submissions=submissions,
        graders=graders,
        roles=np.array([STUDENT, STUDENT, STUDENT, TA], np.int8),
        authors=((),) * 3,
        assignments=("",) * 3,
        review_submission=np.array([submissions.index(entry[0]) for entry in grades], np.int32),
        review_grader=np.array([graders.index(entry[1]) for entry in grades], np.int32),
        levels=np.array([[entry[2] // 2] for entry in grades], np.int16),
    )


def test_errors_of_the_others_mean_and_median_are_as_by_hand() -> None:
    """On the model's scale p has 2, 3, 5 and the TA's 4; q has 1, 3.

    The others' means are 4, 11/3, 3 for the students of p, and 3, 1 for q; their medians 4, 4, 3, and 3, 1. The TA's
    grade counts among the others but is not predicted; the single grade of r has no others.
    """
    predicted = np.array([[3.0], [3.0], [3.0], [NAN], [2.0], [2.0], [2.0]])
    result = held_out(tiny_book(), predicted)
    assert result is not None
    assert result.n_grades == 5
    assert result.mean == pytest.approx(np.sqrt((4 + 4 / 9 + 4 + 4 + 4) / 5))
    assert result.median == pytest.approx(np.sqrt((4 + 1 + 4 + 4 + 4) / 5))
    assert result.model == pytest.approx(np.sqrt((1 + 0 + 4 + 1 + 1) / 5))


def test_the_difference_and_its_error_are_from_sums_by_submission() -> None:
    """The mean is the better of the two. Squared errors gain 3, 4/9, 0 on p and 3, 3 on q."""
    predicted = np.array([[3.0], [3.0], [3.0], [NAN], [2.0], [2.0], [2.0]])
    result = held_out(tiny_book(), predicted)
    assert result is not None
    gains = np.array([3, 4 / 9, 0, 3, 3])
    centred = gains - gains.mean()
    assert result.difference == pytest.approx(gains.mean())
    assert result.difference_se == pytest.approx(np.hypot(centred[:3].sum(), centred[3:].sum()) / 5)


def test_missing_grades_are_neither_predicted_nor_others() -> None:
    book = tiny_book()
    levels = np.concatenate([book.levels, book.levels], axis=1)
    levels[1:, 1] = -1
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 10 by 2"}, "Code": {"grades": "0 to 10 by 2"}})
    wider = replace(book, rubric=rubric, levels=levels)
    predicted = np.full((7, 2), 3.0)
    one, two = held_out(book, predicted[:, :1]), held_out(wider, predicted)
    assert one == two


def test_without_a_second_grade_there_is_nothing_to_compare() -> None:
    book = tiny_book()
    lone = book.select(np.isin(np.arange(7), [0, 4, 6]))
    assert held_out(lone, np.full((3, 1), 3.0)) is None
    staff = book.select(np.isin(np.arange(7), [3, 6]))
    assert held_out(staff, np.full((2, 1), 3.0)) is None


@pytest.mark.parametrize(
    ("difference", "verdict", "words"),
    [
        (0.21, "better", "the model is better than both"),
        (0.19, "alike", "the difference may be due to chance: on this class the model does not beat the mean"),
        (-0.19, "alike", "the difference may be due to chance"),
        (-0.21, "worse", "the model does NOT beat the mean on this class"),
    ],
)
def test_the_verdict_needs_two_standard_errors(difference: float, verdict: str, words: str) -> None:
    result = HeldOut(0.8, 0.92, 0.97, difference, 0.1, 100)
    assert result.verdict == verdict
    assert words in result.sentence
    assert "error of 0.80 (the mean of the other graders: 0.92, their median: 0.97)" in result.sentence


def test_a_model_that_fits_beats_the_mean_and_one_that_does_not_is_told() -> None:
    """Graders have biases of a standard deviation of 1, which the model takes out and the mean cannot.

    Priors that expect every grade near 0 and trust no grader predict worse than the mean.
    """
    book, _ = pg.simulate(students=40, weeks=3, tas=0, components=2, seed=2)
    wrong = pg.Priors.paper(mu_s=0.0, sigma_s=0.1, alpha_tau=100, beta_tau=1000, sigma_b=0.01)
    models = {"better": Model(), "worse": Model(effort=False, priors=wrong)}
    for verdict, model in models.items():
        result = pg.fit(book, model, chains=2, draws=100, burn_in=100, seed=1).held_out
        assert result is not None
        assert result.verdict == verdict
        assert result.n_grades == book.n_grades


def test_the_models_error_is_that_of_its_leave_one_out_means() -> None:
    book, _ = pg.simulate(students=12, weeks=2, tas=1, components=2, seed=3)
    posterior = pg.fit(book, chains=2, draws=50, burn_in=50, seed=1)
    assert posterior.held_out is not None
    peers = book.roles[book.review_grader] == STUDENT
    gap = (posterior.leave_one_out.mean - book.values)[peers]
    assert posterior.held_out.model == pytest.approx(np.sqrt((gap**2).mean()))
