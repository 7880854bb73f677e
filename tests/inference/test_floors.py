"""Graders who never go below a grade of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import peerage as pg
from peerage.inference.checking.replicates import replicated_levels
from peerage.inference.latent.latent_engine import prepare
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.layout import lay_out
from peerage.inference.report_bins import floors, floors_of_reports, lowest_grades, report_bins, says_or_less

FAST: dict[str, Any] = {"chains": 2, "draws": 250, "burn_in": 150, "seed": 0}
FLOOR = 3


def floored(share: float, seed: int, students: int = 40) -> tuple[pg.Gradebook, np.ndarray]:
    """A class in which some students never give less than 3 of 5, and the true grades."""
    priors = pg.Priors.paper(mu_s=3.3, sigma_b=0.4, alpha_tau=3.0, beta_tau=2.0, alpha_e=9.0, beta_e=1.0)
    model = pg.Model(priors=priors)
    book, truth = pg.simulate(students=students, weeks=3, tas=0, components=3, seed=seed, model=model)
    keeps = np.arange(book.n_graders) < share * book.n_graders
    levels = np.where(keeps[book.review_grader, None], np.maximum(book.levels, FLOOR), book.levels)
    return replace(book, levels=levels.astype(np.int16)), truth.true_grade


@pytest.mark.parametrize(
    ("grades", "lowest"),
    [
        ([3.0] * 6 + [4.0] * 3 + [5.0] * 3, 3.0),
        ([3.0] * 5 + [4.0] * 4 + [5.0] * 3, -np.inf),  # too few
        ([0.0] * 6 + [4.0] * 3 + [5.0] * 3, -np.inf),  # the scale's own end
        ([3.0] * 6 + [4.0] * 6, -np.inf),  # one other grade
        ([3.0] * 20 + [4.0, 5.0], -np.inf),  # a habit
        ([5.0] * 12, -np.inf),
    ],
)
def test_a_lowest_grade_is_given_often_and_not_by_habit(grades: list[float], lowest: float) -> None:
    other = [1.0, 2.0, 3.0]
    grader = np.array([1] * len(grades) + [0] * 3)
    found = lowest_grades(3, grader, np.array(grades + other))
    assert found.tolist() == [-np.inf, lowest, -np.inf]


def test_the_bin_of_a_lowest_grade_is_open() -> None:
    book, _ = floored(1.0, 1)
    layout = lay_out(book, pg.Model())
    low, high = report_bins(layout)
    kept = floors(layout)[layout.reports.review_grader[layout.report_review]] == FLOOR
    assert np.isfinite(floors(layout)).mean() > 0.8
    assert (low[kept & (layout.report_level == FLOOR)] == -np.inf).all()
    assert (high[layout.report_level == FLOOR] == FLOOR + 0.5).all()
    assert (low[kept & (layout.report_level == FLOOR + 1)] == FLOOR + 0.5).all()
    closed = lay_out(book, pg.Model(floors=False))
    assert np.isinf(floors(closed)).all()
    assert np.isfinite(report_bins(closed)[0]).all()


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    """A short fit of a class of which half keep to a lowest grade."""
    book, _ = floored(0.5, 2)
    return pg.fit(book, pg.Model(habits=False), chains=1, draws=20, burn_in=10, seed=0)


def test_without_effort_a_lowest_grade_stands_for_all_up_to_it(posterior: pg.Posterior) -> None:
    """What the sampler takes for the probability of reports, and what is told of them afterwards."""
    layout, given = posterior.layout, prepare(posterior.layout)
    refresh(given, posterior.samples.kept_hyper[0, 7])
    told = posterior.draws.low_effort_masses()[0, 7]
    owner = layout.reports.review_grader[layout.report_review]
    lowest = says_or_less(layout)
    assert 0.05 < lowest.mean() < 0.5
    expected = np.where(
        lowest,
        told.cumsum(axis=1)[layout.report_component, layout.report_level],
        told[layout.report_component, layout.report_level],
    )
    taken = np.exp(given.beliefs.low_effort.ravel()[given.levels.careless])
    np.testing.assert_allclose(taken, expected, rtol=1e-5)
    found = posterior.draws.low_effort_of(owner, layout.report_component, layout.report_level)[0, 7]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_nothing_below_it_is_predicted(posterior: pg.Posterior) -> None:
    lowest = floors(posterior.layout)
    keeps, other = int(np.argmax(lowest)), int(np.argmin(lowest))
    for grader, some in ((keeps, False), (other, True)):
        table = posterior.predict(posterior.book.graders[grader], posterior.book.submissions[0])
        below = table[table["grade"] < FLOOR]["probability"]
        assert (below > 0).all() if some else (below == 0).all()
        np.testing.assert_allclose(table.groupby("component")["probability"].sum(), 1, rtol=1e-6)


def test_grades_drawn_anew_are_not_below_it(posterior: pg.Posterior) -> None:
    layout = posterior.layout
    lowest = floors_of_reports(layout, floors(layout))
    assert np.isfinite(lowest).any()
    for levels in replicated_levels(layout, posterior.samples, 3, 0, np.random.default_rng(0)):
        assert (levels >= lowest).all()


def test_a_preview_knows_the_graders_lowest_grades() -> None:
    """New reviews of one submission, by graders who kept to a lowest grade elsewhere."""
    book, _ = floored(1.0, 3)
    posterior = pg.fit(book, **FAST)
    first = book.select(book.review_submission == book.review_submission[0])
    new = pg.read_grades(first.table().assign(submission="new", grade=float(FLOOR)), rubric=book.rubric)
    without = pg.fit(book, pg.Model(floors=False), **FAST)
    assert (posterior.preview(new)["expected"] < without.preview(new)["expected"] - 0.1).all()


@pytest.mark.slow
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_poor_work_is_told_from_the_middling(share: float) -> None:
    """Four classes. In each, expected grades are nearer to the true ones than without floors, more of these lie inside
    their intervals, and reviews are predicted better. The least of the differences were 0.04, 0.10 and 88; another
    seed moved these by 0.002, 0.02 and 5."""
    for seed in range(4):
        book, true_grade = floored(share, seed)
        found = [measured(pg.fit(book, pg.Model(floors=on), **FAST), true_grade) for on in (True, False)]
        (error, covered, elpd), (error_without, covered_without, elpd_without) = found
        assert error < error_without
        assert covered > covered_without
        assert elpd > elpd_without + 20


def measured(posterior: pg.Posterior, true_grade: np.ndarray) -> tuple[float, float, float]:
    """The mean error of expected grades, the share of true grades inside 90 % intervals, and the elpd."""
    drawn = posterior.draws["true_grade"]
    lower, upper = np.quantile(drawn, [0.05, 0.95], axis=(0, 1))
    expected = posterior.submissions()["expected"].to_numpy().reshape(true_grade.shape)
    error = np.abs(expected - np.clip(true_grade, 0, 5)).mean()
    covered = ((lower <= true_grade) & (true_grade <= upper)).mean()
    return float(error), float(covered), float(posterior.leave_one_out.log_mass.sum())


@pytest.mark.slow
def test_honest_classes_lose_nothing_of_note() -> None:
    """In four classes without floors, errors rise by at most 0.005 in the mean, and coverage stays near 90 %."""
    rises, covered = [], []
    for seed in range(4):
        book, true_grade = floored(0.0, seed)
        with_floors, without = (measured(pg.fit(book, pg.Model(floors=on), **FAST), true_grade) for on in (True, False))
        rises.append(with_floors[0] - without[0])
        covered.append(with_floors[1])
    assert np.mean(rises) < 0.005
    assert 0.86 < np.mean(covered) < 0.94
