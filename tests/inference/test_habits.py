"""Graders who give one grade whatever the work: they are found, and what they say does not count.

Found means that a habit is more probable than none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.gradebook.book import STUDENT
from peerage.inference.layout import lay_out

N_CONSTANT = 5


def with_constant_graders(level: int, seed: int) -> tuple[pg.Gradebook, pg.Truth]:
    """A class whose first five students give one grade to everything."""
    book, truth = pg.simulate(students=20, weeks=3, tas=0, components=2, seed=seed)
    theirs = book.review_grader < N_CONSTANT
    levels = np.where(theirs[:, None] & (book.levels >= 0), level, book.levels).astype(np.int16)
    return replace(book, levels=levels), truth


def error(posterior: pg.Posterior, truth: pg.Truth) -> float:
    """The mean distance of expected grades from the true ones, cut at the ends of the scale."""
    expected = posterior.submissions()["expected"].to_numpy(float)
    return float(np.abs(expected - np.clip(truth.true_grade, 0, 5).ravel()).mean())


def habits(posterior: pg.Posterior) -> np.ndarray:
    """(graders,) how probable it is that each has a habit."""
    return np.asarray((posterior.draws.habits() > 0).mean(axis=(0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 2, 5])
def test_constant_graders_are_found_and_no_others(level: int) -> None:
    book, truth = with_constant_graders(level, seed=level)
    posterior = pg.fit(book, chains=4, draws=200, seed=1)
    found = habits(posterior)
    assert (found[:N_CONSTANT] > 0.5).all()
    assert (found[N_CONSTANT:] < 0.5).all()
    effort = posterior.graders()["effort"].to_numpy()
    assert (effort[:N_CONSTANT] < 0.5).all()
    assert (effort[N_CONSTANT:] > 0.5).mean() > 0.9
    # A slope of nearly zero would explain such graders nearly as well.
    without = pg.fit(book, pg.Model(habits=False, scale=False), chains=4, draws=200, seed=1)
    assert error(posterior, truth) < error(without, truth)


@pytest.mark.slow
def test_a_grader_who_says_nothing_changes_nothing_of_note() -> None:
    """One of the students gives 0 to everything: the grades are those of the class without that student's reviews.

    Without habits the same grader moves grades several times as far.
    """
    book, _ = pg.simulate(students=20, weeks=3, tas=0, components=2, seed=3)
    theirs = book.review_grader == 0
    constant = replace(book, levels=np.where(theirs[:, None] & (book.levels >= 0), 0, book.levels).astype(np.int16))
    absent = pg.exclude(book, [pg.Exclusion(book.graders[0], "", "gives 0 to everything")])
    moved = {}
    for name, model in (("habits", pg.Model()), ("none", pg.Model(habits=False))):
        tables = [
            pg.fit(each, model, chains=4, draws=400, seed=1).submissions().set_index(["submission", "component"])
            for each in (constant, absent)
        ]
        graded = constant.review_submission[theirs]
        names = [book.submissions[index] for index in graded]
        gap = (tables[0]["expected"] - tables[1]["expected"]).abs()
        moved[name] = float(gap.loc[names].mean())
    assert moved["habits"] < 0.05
    assert moved["none"] > 2 * moved["habits"]


def test_a_habit_is_the_same_part_of_every_scale() -> None:
    book, _ = pg.simulate(students=6, weeks=1, tas=1, components=2, seed=1)
    layout = lay_out(book, pg.Model())
    assert layout.favourite.tolist() == [[-1, -1], *([level, level] for level in range(6))]
    assert layout.may_have_habit.tolist() == [role == STUDENT for role in book.roles]
    assert lay_out(book, pg.Model(habits=False)).n_habits == 0


def test_habits_are_refused_where_they_cannot_be() -> None:
    for setting in ({"effort": False}, {"censoring": False}, {"priors": "paper"}):
        with pytest.raises(pg.PeerageError, match="habits need learned priors, censoring and effort"):
            pg.Model(habits=True, **setting)
