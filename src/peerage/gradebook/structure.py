"""The structure of a class: who is graded how often, what connects the graders, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.gradebook.book import MISSING, ROLES, STUDENT, Gradebook
from peerage.rubric import Component
from peerage.support.words.wording import counted, listed, quoted

FINE_SCALE = 25
"""A component with more grades than this is fine enough for graders to round to multiples."""

HEAPED = 0.8
"""The share of grades on multiples from which a fine scale counts as heaped."""

OUTSIDERS = 4
"""If more than one in so many of the students who grade wrote nothing, that is how the class works."""

Counts = NDArray[np.intp]


def totals(book: Gradebook) -> dict[str, Any]:
    """How many grades, reviews, submissions and graders there are, and how many graders of each role."""
    return {
        "grades": book.n_grades,
        "reviews": book.n_reviews,
        "submissions": book.n_submissions,
        "graders": book.n_graders,
        "roles": {role: int((book.roles == index).sum()) for index, role in enumerate(ROLES)},
    }


def reviews_per_grader(book: Gradebook) -> Counts:
    """(graders,) how many submissions each grader reviewed."""
    return np.bincount(book.review_grader, minlength=book.n_graders)


def reviews_per_submission(book: Gradebook) -> Counts:
    """(submissions,) how many graders reviewed each submission."""
    return np.bincount(book.review_submission, minlength=book.n_submissions)


def coverage(book: Gradebook) -> float:
    """The share of the components that reviews could have graded and did."""
    return book.n_grades / int(np.count_nonzero(book.applicable[book.review_submission]))


def overlap(book: Gradebook) -> tuple[int, int]:
    """How many submissions have two or more graders, and how many have both students and staff among them."""
    graded = np.zeros((2, book.n_submissions), bool)
    for who, is_one in enumerate((book.roles == STUDENT, book.is_staff)):
        graded[who, book.review_submission[is_one[book.review_grader]]] = True
    return int(np.count_nonzero(reviews_per_submission(book) > 1)), int(np.count_nonzero(graded.all(axis=0)))


def parts(book: Gradebook) -> Counts:
    """(submissions,) the part of the class that each submission belongs to, numbered from the largest.

    Two submissions are in one part when a chain of shared graders connects them. A submission without reviews is in
    no part: -1.
    """
    label = np.arange(book.n_submissions + book.n_graders)
    submission, grader = book.review_submission, book.review_grader + book.n_submissions
    while True:
        low = np.minimum(label[submission], label[grader])
        high = np.maximum(label[submission], label[grader])
        if (low == high).all():
            break
        np.minimum.at(label, high, low)
        while (label[label] != label).any():
            label = label[label]
    reviewed = reviews_per_submission(book) > 0
    roots, part = np.unique(label[: book.n_submissions], return_inverse=True)
    sizes = np.bincount(part[reviewed], minlength=len(roots))
    rank = np.empty(len(roots), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(roots))
    return np.where(reviewed, rank[part], -1)


def surprises(book: Gradebook) -> Iterable[Problem]:
    """What is odd about the class and does not keep it from being fitted."""
    yield from _single_reviews(book)
    yield from _unconnected(book)
    yield from _no_authors(book)
    for noun, names in (("grader", book.graders), ("submission", book.submissions), ("component", book.rubric.names)):
        yield from _look_alikes(noun, names)
    for index, component in enumerate(book.rubric.components):
        levels = book.levels[:, index]
        yield from _scale_surprises(component, levels[levels != MISSING])


def without_surprises(book: Gradebook) -> list[Problem]:
    """What was said of a gradebook, but for what is odd about its structure, which other reviews may change."""
    odd = set(surprises(book))
    return [notice for notice in book.notices if notice not in odd]


def _single_reviews(book: Gradebook) -> Iterable[Problem]:
    graders = [book.graders[index] for index in np.flatnonzero(reviews_per_grader(book) == 1)]
    if graders:
        consequence = "little can be said about such graders"
        yield Problem(f"{counted(len(graders), 'grader')} with a single review: {quoted(graders)}", consequence)
    submissions = [book.submissions[index] for index in np.flatnonzero(reviews_per_submission(book) == 1)]
    if submissions:
        message = f"{counted(len(submissions), 'submission')} with a single review: {quoted(submissions)}"
        yield Problem(message, "such grades stay uncertain")


def _unconnected(book: Gradebook) -> Iterable[Problem]:
    part = parts(book)
    sizes = np.bincount(part[part >= 0])
    if len(sizes) > 1:
        outside = [book.submissions[index] for index in np.flatnonzero(part > 0)]
        message = (
            f"the class consists of {len(sizes):,} parts without a common grader, "
            f"with {counted(len(outside), 'submission')} outside the largest: {quoted(outside)}"
        )
        yield Problem(message, "compare grades only within a part, or let a grader review in both")


def _no_authors(book: Gradebook) -> Iterable[Problem]:
    """Students who wrote nothing, if all authors are known and at least three in four of the graders are authors."""
    if not all(book.authors):
        return
    authors = {author for authors in book.authors for author in authors}
    students = [name for name, role in zip(book.graders, book.roles, strict=True) if role == STUDENT]
    others = [name for name in students if name not in authors]
    if others and OUTSIDERS * len(others) <= len(students):
        message = f"{counted(len(others), 'grader')} wrote nothing that was graded: {quoted(others)}"
        yield Problem(message, "correct an id that is misspelt, and give staff the role ta or instructor")


def _look_alikes(noun: str, names: tuple[str, ...]) -> Iterable[Problem]:
    if len({name.strip().casefold() for name in names}) == len(names):
        return
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name.strip().casefold(), []).append(name)
    groups = [" and ".join(map(repr, group)) for group in alike.values() if len(group) > 1]
    if groups:
        message = f"{counted(len(groups), noun)} written in different ways and counted as different: {listed(groups)}"
        yield Problem(message, "write an id the same everywhere, with the same capitals and spaces")


def _scale_surprises(component: Component, levels: NDArray[np.int16]) -> Iterable[Problem]:
    if not len(levels):
        yield Problem(f"nobody graded the component {component.name!r}", "remove it from the rubric")
        return
    if component.n_levels == 2:
        yield Problem(f"{component.name!r} has only two grades, which cannot tell bias from reliability")
    steps = np.round(component.values / component.smallest_gap, 6)
    if component.n_levels > FINE_SCALE:
        for multiple in (10, 5):
            on = np.mod(steps, multiple) == 0
            share = np.mean(on[levels])
            if share >= HEAPED and on.any():
                size = multiple * component.smallest_gap
                message = f"{share:.0%} of the grades of {component.name!r} are multiples of {size:g}"
                yield Problem(message, "learned priors take this into account; nothing has to be done")
                return
