"""Folds: which reviews are held out together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook

NO_FOLD = -1
"""The fold of a review that is never held out."""


def deal(book: Gradebook, folds: int, seed: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """(reviews,) the fold of each review, or of those ``among`` all that are to be held out.

    Reviews are dealt out like cards, those of a submission one after the other, submissions and their reviews in random
    order. So no two reviews of a submission share a fold if it has at most as many as there are folds, and otherwise
    its folds differ by at most one review; so do the sizes of all folds.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=10, weeks=1, reviews_per_student=4, tas=0)
    >>> np.bincount(deal(book, 4, seed=0))
    array([10, 10, 10, 10])
    """
    rng = np.random.default_rng([seed, folds])
    rank_of_submission = rng.permutation(book.n_submissions)
    rank_of_review = rng.permutation(book.n_reviews)
    order = np.lexsort((rank_of_review, rank_of_submission[book.review_submission]))
    if among is not None:
        order = order[among[order]]
    dealt = np.full(book.n_reviews, NO_FOLD, np.int64)
    dealt[order] = np.arange(len(order)) % folds
    return dealt
