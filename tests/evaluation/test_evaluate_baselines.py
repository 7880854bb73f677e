"""Baselines: what they say of a report, how reports scatter around that, and what is left when little is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.evaluation.baselines import AVERAGE, BASELINES, MEAN, MEDIAN, Spread, score_baselines
from peerage.evaluation.folds import deal

SCALE = pg.Rubric.uniform(["Essay"], range(6)).components[0]


def book_of(grades: list[tuple[str, str, int]]) -> pg.Gradebook:
    """A class of students with one component, graded 0 to 5."""
    submissions = tuple(dict.fromkeys(submission for submission, _, _ in grades))
    graders = tuple(dict.fromkeys(grader for _, grader, _ in grades))
    return pg.Gradebook(
        rubric=pg.Rubric((SCALE,)),
        submissions=submissions,
        graders=graders,
        roles=np.zeros(len(graders), np.int8),
        authors=((),) * len(submissions),
        assignments=("",) * len(submissions),
        review_submission=np.array([submissions.index(entry[0]) for entry in grades], np.int32),
        review_grader=np.array([graders.index(entry[1]) for entry in grades], np.int32),
        levels=np.array([[entry[2]] for entry in grades], np.int16),
    )


def test_probabilities_of_all_levels_add_up_to_one() -> None:
    spread = Spread(3.0, 3.2, 0.7, 0.9, 0.2, np.array([0.05, 0.05, 0.1, 0.3, 0.4, 0.1]))
    levels = np.arange(6)
    for said in (0.0, 3.3, 5.0):
        masses = spread.mass(SCALE, np.full(6, said), levels)
        assert masses.sum() == pytest.approx(1)
        centre = 3.2 + 0.7 * (said - 3.0)
        wanted = 0.8 * np.diff(ndtr((SCALE.edges - centre) / 0.9)) + 0.2 * spread.histogram
        np.testing.assert_allclose(masses, wanted)


def test_the_likeliest_spread_is_found() -> None:
    """20,000 reports with a known scatter, some of which come from any submission instead.

    By Wilks' theorem, twice the gap between the largest log likelihood and that at the truth has a χ² distribution with
    four degrees of freedom, and is above its limit with probability 1e-3. A search that stops early finds less.
    """
    rng = np.random.default_rng(0)
    said = rng.choice(np.arange(0, 5.01, 0.25), 20_000)
    latent = 3.4 + 0.6 * (said - said.mean()) + 0.8 * rng.standard_normal(len(said))
    careful = SCALE.level_of(latent)
    levels = np.where(rng.random(len(said)) < 0.15, rng.permutation(careful), careful)
    found = Spread.of(SCALE, said, levels)
    truth = Spread(float(said.mean()), 3.4, 0.6, 0.8, 0.15, found.histogram)
    best, true = (np.log(spread.mass(SCALE, said, levels)).sum() for spread in (found, truth))
    assert 0 < 2 * (best - true) < stats.chi2(4).isf(1e-3)


def test_the_class_average_predicts_by_the_shares_of_grades_in_the_class() -> None:
    """Of eight other reports four are 4; each level counts once more, so that a 4 has a probability of 5/14."""
    grades = [("p", "a", 4), ("p", "b", 4), ("q", "a", 4), ("q", "b", 4), ("r", "a", 1), ("r", "b", 2)]
    grades += [("t", "a", 3), ("t", "b", 5), ("u", "a", 4)]
    book = book_of(grades)
    folds = np.where(np.arange(9) == 8, 1, 0)
    found = score_baselines(book, folds, loo=False)[AVERAGE]
    assert found.log_mass[8] == pytest.approx(np.log(5 / 14))
    np.testing.assert_allclose(found.expected, np.mean([grade for _, _, grade in grades]))


def test_grades_are_the_mean_and_the_median_of_each_submission() -> None:
    book = book_of([("p", "a", 1), ("p", "b", 2), ("p", "c", 5), ("q", "a", 3)])
    found = score_baselines(book, np.array([0, 1, 0, 1]), loo=False)
    np.testing.assert_allclose(found[MEAN].expected, [8 / 3, 3])
    np.testing.assert_allclose(found[MEDIAN].expected, [2, 3])


def test_the_mean_is_better_than_the_class_average_and_than_a_plain_normal_around_it() -> None:
    """Graders differ in reliability and some do not try, so that a normal with one spread is far off at times."""
    book, _ = pg.simulate(students=60, weeks=2, components=1, seed=1)
    folds = deal(book, 10, 0)
    scores = {name: score.log_mass.sum() for name, score in score_baselines(book, folds, loo=True).items()}
    assert scores[MEAN] > scores[AVERAGE]
    values = book.values[:, 0]
    sums, counts = np.bincount(book.review_submission, values), np.bincount(book.review_submission)
    others = (sums[book.review_submission] - values) / (counts[book.review_submission] - 1)
    plain = Spread(0.0, 0.0, 1.0, float(np.std(values - others)), 0.0, np.zeros(6))
    assert scores[MEAN] > np.log(plain.mass(SCALE, others, book.levels[:, 0])).sum()


@pytest.mark.parametrize("loo", [True, False])
def test_held_out_grades_change_no_prediction_of_themselves(loo: bool) -> None:
    """Whatever the grade is, its probability comes from the same distribution, so that all of them add up to one."""
    book, _ = pg.simulate(students=12, weeks=1, components=1, tas=0, seed=2)
    folds = deal(book, 4, 0)
    first = int(np.flatnonzero(folds == 0)[0])
    masses = []
    for level in range(6):
        levels = book.levels.copy()
        levels[first, 0] = level
        scores = score_baselines(replace(book, levels=levels), folds, loo=loo)
        masses.append([np.exp(scores[name].log_mass[first]) for name in BASELINES])
    np.testing.assert_allclose(np.sum(masses, axis=0), 1, atol=1e-9)


def test_missing_components_add_nothing_and_a_component_without_reports_is_even() -> None:
    book, _ = pg.simulate(students=8, weeks=1, components=2, tas=0, seed=1)
    levels = book.levels.copy()
    levels[1:, 1] = -1
    alone = np.where(np.arange(book.n_reviews) == 0, 0, 1)
    with_both = score_baselines(replace(book, levels=levels), alone, loo=False)
    levels = levels.copy()
    levels[:, 1] = -1
    with_one = score_baselines(replace(book, levels=levels), alone, loo=False)
    for name in BASELINES:
        gap = with_both[name].log_mass - with_one[name].log_mass
        np.testing.assert_allclose(gap[1:], 0)
        assert gap[0] == pytest.approx(np.log(1 / 6))
