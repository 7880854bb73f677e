"""The classes of Burrell and Schoenebeck, and strategies played in them and in classes of the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.errors import InputError
from peerage.gradebook.book import MISSING
from peerage.simulation import strategies
from peerage.simulation.burrell import burrell_schoenebeck, regular_graph


def test_the_graph_is_simple_symmetric_and_regular() -> None:
    author, grader = regular_graph(30, 4, np.random.default_rng(0))
    pairs = set(zip(author.tolist(), grader.tolist(), strict=True))
    assert len(pairs) == len(author) == 120, "no pair twice"
    assert all((second, first) in pairs and first != second for first, second in pairs)
    assert set(np.bincount(author)) == set(np.bincount(grader)) == {4}


def test_a_complete_graph_is_found_although_most_pairings_of_stubs_fail() -> None:
    author, _ = regular_graph(6, 5, np.random.default_rng(0))
    assert set(np.bincount(author)) == {5}


def test_the_moments_of_the_class_are_those_of_the_process() -> None:
    """True grades, reports given three looks, and reports by effort: each within five standard errors (1e-6)."""
    book, truth = burrell_schoenebeck(students=200, assignments=20, seed=1, biased=False, active=100)
    assert truth.true_grade.mean() == pytest.approx(7, abs=5 * np.sqrt(2.1 / 4000))
    assert truth.true_grade.var() == pytest.approx(2.1, rel=5 * np.sqrt(2 / 4000))
    assert np.count_nonzero(truth.effort) == 100
    chance = truth.true_grade[book.review_submission] / 10
    error = book.values[:, 0] - 10 * chance
    spread = 10 * chance * (1 - chance)
    for looks in (1, 3):
        mine = truth.effort[book.review_grader] == looks - 1
        # Rounding moves an average of three by a third, either way, in two of three cases.
        rounding = 0.0 if looks == 1 else 2 / 27
        expected = spread[mine].mean() / looks + rounding
        assert (error[mine] ** 2).mean() == pytest.approx(expected, rel=5 * np.sqrt(2.5 / mine.sum()))


def test_biases_move_reports() -> None:
    book, truth = burrell_schoenebeck(students=100, assignments=20, seed=2)
    error = book.values[:, 0] - truth.true_grade[book.review_submission]
    means = np.bincount(book.review_grader, error) / np.bincount(book.review_grader)
    assert np.corrcoef(means, truth.bias)[0, 1] > 0.9


def test_clusters_share_all_their_submissions() -> None:
    book, _ = burrell_schoenebeck(students=12, assignments=1, seed=0, clusters=True)
    seen = [frozenset(book.review_submission[book.review_grader == grader].tolist()) for grader in range(12)]
    assert len(set(seen)) == 3
    assert all(
        book.authors[submission] != (book.graders[grader],) for grader in range(12) for submission in seen[grader]
    )


@pytest.mark.parametrize(("students", "reviews", "clusters"), [(4, 4, False), (5, 3, False), (10, 4, True)])
def test_impossible_classes_are_refused(students: int, reviews: int, clusters: bool) -> None:
    with pytest.raises(InputError, match="need"):
        burrell_schoenebeck(students, 1, reviews_per_student=reviews, clusters=clusters)


@pytest.mark.parametrize("name", strategies.STRATEGIES)
def test_a_strategy_changes_the_players_reports_alone_and_keeps_gaps(name: str) -> None:
    book, _ = pg.simulate(students=16, weeks=3, seed=3)
    levels = book.levels.copy()
    levels[::7, 1] = MISSING
    book = replace(book, levels=levels)
    players = [0, 1, 2, 3]
    played = strategies.play(book, strategies.STRATEGIES[name], players, seed=0)
    mine = np.isin(book.review_grader, players)
    assert (played.levels[~mine] == book.levels[~mine]).all()
    assert ((played.levels == MISSING) == (book.levels == MISSING)).all()
    assert name == "merge" or (played.levels[mine] != book.levels[mine]).any()


def test_the_strategies_of_burrell_and_schoenebeck_on_their_scale() -> None:
    """Each signal from 0 to 10 once, in a class whose usual grade is 7; halves are rounded to even."""
    book, _ = burrell_schoenebeck(students=50, assignments=4, seed=0, biased=False)
    mine = np.flatnonzero(book.review_grader == 0)[:11]
    levels = book.levels.copy()
    levels[mine, 0] = range(11)
    book = replace(book, levels=levels)
    rng = np.random.default_rng(0)
    assert strategies.merge(book, mine, rng)[:, 0].tolist() == [0, 3, 3, 3, 6, 6, 6, 7, 7, 7, 10]
    assert strategies.hedge(book, mine, rng)[:, 0].tolist() == [4, 4, 4, 5, 6, 6, 6, 7, 8, 8, 8]
    assert set(strategies.always_mean(book, mine, rng)[:, 0]) == {7}
    assert set(strategies.always_top(book, mine, rng)[:, 0]) == {10}
    corrected = strategies.correct_bias(np.full(50, -1.0))(book, mine, rng)[:, 0]
    assert (corrected >= np.arange(11)).all()


def test_copies_are_copies() -> None:
    book, _ = pg.simulate(students=16, weeks=2, tas=0, seed=4)
    mine = np.flatnonzero(book.review_grader == 5)
    copied = strategies.copy_fellow(book, mine, np.random.default_rng(0))
    averaged = strategies.copy_mean(book, mine, np.random.default_rng(0))
    for place, review in enumerate(mine):
        others = np.flatnonzero((book.review_submission == book.review_submission[review]) & (book.review_grader != 5))
        assert (book.levels[others] == copied[place]).all(axis=1).any()
        assert (averaged[place] == np.rint(book.levels[others].mean(axis=0))).all()


def test_a_ring_favours_its_members_alone() -> None:
    book, _ = pg.simulate(students=12, weeks=4, tas=0, seed=5)
    friends = [0, 1, 2, 3]
    played = strategies.play(book, strategies.ring, friends, seed=0)
    by_friends = np.isin(book.review_grader, friends)
    names = {book.graders[index] for index in friends}
    of_friends = np.array([bool(names & set(authors)) for authors in book.authors])[book.review_submission]
    assert (played.levels[by_friends & of_friends] == 5).all()
    assert (played.levels[by_friends & ~of_friends] == book.levels[by_friends & ~of_friends]).all()
