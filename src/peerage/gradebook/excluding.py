"""exclude(): a gradebook without the reviews that the staff took out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Exclusion
from peerage.gradebook.structure import surprises, without_surprises
from peerage.support.words.wording import counted, quoted

EXCLUDES_NOTHING = "write the ids as the grades do, or leave it out"


def exclude(book: Gradebook, exclusions: Iterable[Exclusion]) -> Gradebook:
    """The class as it would be if nobody had ever written some reviews; ``exclusions`` of the result counts them.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, seed=1)
    >>> grader = book.graders[0]
    >>> left = pg.exclude(book, [pg.Exclusion(grader, "", "did not read what was handed in")])
    >>> grader in left.graders, left.exclusions[0].n_reviews
    (False, 4)
    """
    rules = tuple(exclusions)
    hits = [_hits(book, rule) for rule in rules]
    problems = [
        Problem(f"nothing to exclude: the grades do not hold {rule.what}", EXCLUDES_NOTHING)
        for rule, hit in zip(rules, hits, strict=True)
        if not hit.any()
    ]
    if problems:
        raise InputError(problems)
    if not rules:
        return book
    kept = ~np.logical_or.reduce(hits)
    if not kept.any():
        raise InputError("there is nothing to fit: every review is excluded")
    applied = (replace(rule, n_reviews=int(hit.sum())) for rule, hit in zip(rules, hits, strict=True))
    left, submissions, graders = _left(book, kept)
    lost = (
        [name for place, name in enumerate(names) if place not in set(places.tolist())]
        for names, places in ((book.submissions, submissions), (book.graders, graders))
    )
    notices = (*without_surprises(book), *exclusion_notices(int((~kept).sum()), *lost), *surprises(left))
    return replace(left, notices=notices, exclusions=(*book.exclusions, *applied))


def exclusion_notices(n_reviews: int, submissions: Sequence[str], graders: Sequence[str]) -> Iterator[Problem]:
    """How many reviews were excluded, and the submissions and graders that are left out because none remains."""
    yield Problem(f"excluded {counted(n_reviews, 'review')}")
    for noun, lost in (("submission", submissions), ("grader", graders)):
        if lost:
            yield Problem(f"left out {counted(len(lost), noun)} without any review that counts: {quoted(lost)}")


def _hits(book: Gradebook, rule: Exclusion) -> NDArray[np.bool_]:
    """(reviews,) whether a rule takes a review out."""
    by = np.array([rule.grader in ("", name) for name in book.graders])[book.review_grader]
    of = np.array([rule.submission in ("", name) for name in book.submissions])[book.review_submission]
    return np.asarray(by & of)


def _left(book: Gradebook, kept: NDArray[np.bool_]) -> tuple[Gradebook, NDArray[np.intp], NDArray[np.intp]]:
    """Some reviews with those whom they concern, in the order in which they first appear; and their places before."""
    submissions, submission = _in_order(book.review_submission[kept])
    graders, grader = _in_order(book.review_grader[kept])
    left = replace(
        book,
        submissions=tuple(book.submissions[place] for place in submissions),
        graders=tuple(book.graders[place] for place in graders),
        roles=book.roles[graders],
        authors=tuple(book.authors[place] for place in submissions),
        assignments=tuple(book.assignments[place] for place in submissions),
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=book.levels[kept],
        times=None if book.times is None else book.times[kept],
        comments=book.comments_of(np.flatnonzero(kept)),
        also_applicable=None if book.also_applicable is None else book.also_applicable[submissions],
    )
    return left, submissions, graders


def _in_order(owners: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Distinct owners as they first appear, and the place of each entry's owner among them."""
    distinct, first, place = np.unique(owners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return distinct[order].astype(np.intp), rank[place]
