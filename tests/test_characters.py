"""Graders of a known character, planted in simulated classes, are recognised for what they are.

Each test says what would make it fail. Thresholds follow from the prior, or from what chance alone would do. Each
character is planted in five classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import peerage as pg
from peerage.model import Fixed, Model
from peerage.simulation.simulated_class import SETTINGS

SEEDS = range(5)
CHARACTER = 7
"""The place, among the graders, of the one with a character."""


def fitted(book: pg.Gradebook, setting: str = "b") -> pg.Posterior:
    """A fit with the hyperparameters of one of the paper's classes."""
    return pg.fit(
        book, Model(priors="paper").with_priors(**SETTINGS[setting]), chains=2, draws=300, burn_in=100, seed=0
    )


def graders_of(posterior: pg.Posterior) -> list[dict[str, Any]]:
    """A row per grader."""
    return [{str(name): value for name, value in row.items()} for row in posterior.graders().to_dict("records")]


def rank(rows: list[dict[str, Any]], column: str) -> int:
    """How many graders have less than the one with a character."""
    return sum(row[column] < rows[CHARACTER][column] for row in rows)


def average_reporters(setting: str) -> Iterator[pg.Gradebook]:
    """Classes of 40 in which one grader gives the average grade to every component, 20 times."""
    for seed in SEEDS:
        book, _ = pg.simulate(students=40, weeks=5, tas=0, seed=seed, setting=setting)
        levels = book.levels.copy()
        levels[book.review_grader == CHARACTER] = np.round(book.values.mean(axis=0)).astype(np.int16)
        yield replace(book, levels=levels)


@pytest.mark.slow
def test_reporting_the_average_is_recognised_as_low_effort() -> None:
    """Fails if steadiness is taken for reliability, or if effort stays what the prior says.

    The class is the paper's (c), where reports without effort lie close to the average, and priors are learned. Mean
    effort is 0.8. Were efforts unrelated to what graders do, one grader would be among the three lowest of 40 in four
    of five classes with probability 2e-4.
    """
    fits = (pg.fit(book, chains=2, draws=200, burn_in=100, seed=0) for book in average_reporters("c"))
    classes = [graders_of(posterior) for posterior in fits]
    assert sum(rank(rows, "effort") < 3 for rows in classes) >= 4
    assert np.mean([rows[CHARACTER]["effort"] for rows in classes]) < 0.5, "in fewer than half of the reviews"
    assert sum(rank(rows, "dependability") < 10 for rows in classes) >= 4, "among the least dependable quarter"


@pytest.mark.slow
def test_fixed_priors_recognise_it_too() -> None:
    """The paper's prior has a mean effort of 0.8; 20 reviews known to be made without effort bring it to 8/30, and half
    of them to 18/30. Reliability then stays what the prior says, and dependability is not the lowest."""
    classes = [graders_of(fitted(book, "c")) for book in average_reporters("c")]
    assert sum(rank(rows, "effort") < 3 for rows in classes) >= 4
    assert np.mean([rows[CHARACTER]["effort"] for rows in classes]) < 18 / 30


@pytest.mark.slow
def test_reporting_the_average_is_told_where_the_model_cannot_know() -> None:
    """Fails if a grader who gives one grade to everybody passes unnoticed in class (b), with the paper's priors.

    There, reports without effort have a standard deviation of a whole grade, which makes 20 average reviews as likely
    with effort as without. The check of how much graders' grades vary finds the grader nevertheless. By chance it
    would name that one in all five classes with probability below 1e-10.
    """
    for book in average_reporters("b"):
        posterior = fitted(book)
        name = book.graders[CHARACTER]
        assert any(f"the grades of {name!r} have a standard" in text for text in posterior.check().sentences)


@pytest.mark.slow
def test_a_severe_but_consistent_grader_keeps_reliability_and_has_a_negative_bias() -> None:
    """Fails if severity is charged to reliability or effort, or has the wrong sign.

    The bias of −1.2 is known to about 0.2, because the class's own level is (biases of 40 graders with a standard
    deviation of 1). The reliability of 6 is six times the class's mean, which 97 % of students do not reach.
    """
    for seed in SEEDS:
        name = pg.simulate(students=40, weeks=5, tas=0, seed=seed)[0].graders[CHARACTER]
        fixed = Fixed(bias={name: -1.2}, reliability={name: 6.0}, effort={name: 1.0})
        book, _ = pg.simulate(students=40, weeks=5, tas=0, seed=seed, model=Model(fixed=fixed, priors="paper"))
        rows = graders_of(fitted(book))
        severe = rows[CHARACTER]
        assert severe["grader"] == name
        assert severe["bias_upper"] < 0
        assert severe["bias"] == pytest.approx(-1.2, abs=4 * 0.2)
        assert severe["reliability_lower"] > 1, "above the class's mean beyond doubt"
        assert rank(rows, "reliability") >= 36, "among the four most reliable of 40"
        assert severe["effort"] > 0.8, "no less than the prior's mean"


@pytest.mark.slow
def test_agreeing_twice_by_luck_is_not_called_reliable() -> None:
    """Fails if a few lucky grades count as proof.

    A grade without any error, on a known true grade, adds ½ to the shape of the reliability's Gamma(2, 2): two cannot
    bring it beyond Gamma(3, 2), whose mean is 1.5 and whose 5 % quantile is 0.41, well below the class's mean of 1. The
    same agreement over 40 grades of one component must be called reliable, or nothing ever would be.
    """
    limit = stats.gamma(3, scale=1 / 2)
    for seed in SEEDS:
        lucky, proven = lucky_grader(seed, 2), lucky_grader(seed, 40)
        assert (lucky["n_graded"], proven["n_graded"]) == (2, 40)
        assert lucky["reliability"] < limit.mean()
        assert lucky["reliability_lower"] < limit.ppf(0.05) < 1
        assert lucky["reliability_upper"] / lucky["reliability_lower"] > limit.ppf(0.95) / limit.ppf(0.05)
        assert proven["reliability_lower"] > 1


def lucky_grader(seed: int, n_graded: int) -> dict[str, Any]:
    """The fitted row of a grader who gives the other graders' mean grade, rounded, to so many submissions."""
    book, _ = pg.simulate(students=30, weeks=10, tas=0, components=1, seed=seed)
    mine = np.flatnonzero(book.review_grader == CHARACTER)
    levels = book.levels.copy()
    for review in mine:
        fellows = (book.review_submission == book.review_submission[review]) & (book.review_grader != CHARACTER)
        levels[review] = np.round(book.values[fellows].mean())
    kept = ~np.isin(np.arange(book.n_reviews), mine[n_graded:])
    return graders_of(fitted(replace(book, levels=levels).select(kept)))[CHARACTER]
