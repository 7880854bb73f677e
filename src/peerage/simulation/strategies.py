"""Ways to grade other than honestly, to see what they gain.

A strategy is a function of a class, some of its reviews and random numbers. It returns what those reviews would report
instead, as levels; the class as it stands holds what an honest grader would have reported, and what everybody else did.
:func:`play` puts a strategy into a class. To add one, write such a function and list it in :data:`STRATEGIES`.

*Blind* strategies look neither at the work nor at others' reviews.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook

Reviews = NDArray[np.int64]
Levels = NDArray[np.int64]
Floats = NDArray[np.float64]
Strategy = Callable[[Gradebook, Reviews, np.random.Generator], Levels]

GLANCE = 0.3
"""The share of the honest report's distance from the usual grade that a glance sees."""

LOWERED = 2
"""By how many levels a rival's grades are lowered."""

RIVALS = 1 / 3
"""The share of authors that a grader takes for rivals."""


def play(book: Gradebook, strategy: Strategy, graders: Iterable[int], seed: int | np.random.Generator) -> Gradebook:
    """The class in which some graders follow a strategy; components that they did not grade stay ungraded."""
    reviews = np.flatnonzero(np.isin(book.review_grader, list(graders)))
    levels = book.levels.copy()
    played = np.clip(strategy(book, reviews, np.random.default_rng(seed)), 0, _tops(book))
    levels[reviews] = np.where(levels[reviews] == MISSING, MISSING, played)
    return replace(book, levels=levels)


def always(level: int) -> Strategy:
    """The same level throughout."""

    def constant(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
        return np.full((len(reviews), len(book.rubric)), level)

    return constant


def always_top(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """The highest grade for everything."""
    return np.asarray(np.tile(_tops(book), (len(reviews), 1)))


def always_mean(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """The class's mean, rounded, for everything."""
    return np.asarray(np.tile(_usual(book), (len(reviews), 1)))


def mean_and_noise(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """The class's mean, now and then a level higher or lower."""
    moves: Levels = rng.choice([-1, 0, 0, 1], (len(reviews), len(book.rubric)))
    return always_mean(book, reviews, rng) + moves


def glance(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """Mostly the class's mean, with a little of what an honest look would have seen."""
    mean = _means(book)
    return _rounded(mean + GLANCE * (book.levels[reviews] - mean))


def at_random(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """Any grade with the same probability."""
    return rng.integers(0, _tops(book) + 1, (len(reviews), len(book.rubric)))


def lower_rivals(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """Honest, but lower for the work of some fellows."""
    rivals = rng.random(book.n_submissions) < RIVALS
    return book.levels[reviews].astype(np.int64) - LOWERED * rivals[book.review_submission[reviews]][:, None]


def hedge(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """Half way between the honest report and the usual grade."""
    return _rounded((_usual(book) + book.levels[reviews]) / 2)


def merge(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """Fewer grades than the rubric has: the ends, and three in between; up to seven grades stay as they are."""
    tops, levels = _tops(book), book.levels[reviews].astype(np.int64)
    third = np.maximum((tops - 1) // 3, 1)
    group = (levels + third - 1) // third
    merged = np.minimum(group * third, tops - 1)
    # The highest of the three stands for its lowest level, which is the most frequent one.
    merged = np.where(group == 3, 2 * third + 1, merged)
    return np.where((levels == 0) | (levels == tops), levels, merged)


def honest_and_noise(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """Honest, with an error of a level added."""
    return _rounded(book.levels[reviews] + rng.normal(size=(len(reviews), len(book.rubric))))


def correct_bias(bias: Floats) -> Strategy:
    """Honest, moved against the sign of each grader's own bias by as much as a bias usually is."""

    def corrected(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
        moved = -np.sign(bias) * np.abs(rng.normal(size=len(bias)))
        return _rounded(book.levels[reviews] + moved[book.review_grader[reviews]][:, None])

    return corrected


def copy_fellow(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """What one other grader of the same work reported, where there is one."""
    copied = book.levels[reviews].astype(np.int64)
    for place, others in enumerate(_others(book, reviews)):
        if len(others):
            chosen = book.levels[rng.choice(others)]
            copied[place] = np.where(chosen == MISSING, copied[place], chosen)
    return copied


def copy_mean(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """The rounded mean of what the others reported of the same work, where there are any."""
    copied = book.levels[reviews].astype(np.int64)
    for place, others in enumerate(_others(book, reviews)):
        graded = book.levels[others] != MISSING
        sums = np.where(graded, book.levels[others], 0).sum(axis=0)
        counts = graded.sum(axis=0)
        copied[place] = np.where(counts > 0, _rounded(sums / np.maximum(counts, 1)), copied[place])
    return copied


def ring(book: Gradebook, reviews: Reviews, _rng: np.random.Generator) -> Levels:
    """Honest, but the highest grade for the work of those who play along."""
    friends = {book.graders[grader] for grader in np.unique(book.review_grader[reviews])}
    friendly = np.array([bool(friends.intersection(authors)) for authors in book.authors])
    return np.where(friendly[book.review_submission[reviews]][:, None], _tops(book), book.levels[reviews])


def first_week_only(book: Gradebook, reviews: Reviews, rng: np.random.Generator) -> Levels:
    """Honest in the first assignment, then the class's mean and a little noise."""
    first = np.array([name == book.assignments[0] for name in book.assignments])[book.review_submission[reviews]]
    return np.where(first[:, None], book.levels[reviews], mean_and_noise(book, reviews, rng))


BLIND: dict[str, Strategy] = {
    "always top": always_top,
    "always mean": always_mean,
    "mean and noise": mean_and_noise,
    "random": at_random,
}
"""Strategies that look neither at the work nor at others' reviews."""

STRATEGIES: dict[str, Strategy] = BLIND | {
    "a glance": glance,
    "hedge": hedge,
    "merge": merge,
    "honest and noise": honest_and_noise,
    "lower rivals": lower_rivals,
    "copy a fellow": copy_fellow,
    "copy the others' mean": copy_mean,
    "ring of friends": ring,
    "first week only": first_week_only,
}


def _tops(book: Gradebook) -> Levels:
    """(components,) the highest level of each."""
    return np.array([component.n_levels - 1 for component in book.rubric.components])


def _means(book: Gradebook) -> Floats:
    """(components,) the mean level of each."""
    graded = book.levels != MISSING
    return np.asarray(np.where(graded, book.levels, 0).sum(axis=0) / np.maximum(graded.sum(axis=0), 1))


def _usual(book: Gradebook) -> Levels:
    """(components,) the level nearest to the mean."""
    return _rounded(_means(book))


def _rounded(levels: Floats) -> Levels:
    return np.rint(levels).astype(np.int64)


def _others(book: Gradebook, reviews: Reviews) -> Iterable[Reviews]:
    """For each review, the reviews of the same submission by others."""
    order = np.argsort(book.review_submission, kind="stable")
    start = np.searchsorted(book.review_submission[order], np.arange(book.n_submissions + 1))
    for review in reviews:
        submission = book.review_submission[review]
        same = order[start[submission] : start[submission + 1]]
        yield same[same != review]
