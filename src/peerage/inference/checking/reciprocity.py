"""Pairs of students who give each other's work more than others do.

A review's *favour* is how much more it gives than the others say about the work, less what the reviewer gives to
everybody, averaged over components, in units of the reviewer's own spread: an erratic reviewer favours many by chance.
For two students who reviewed each other, the favours of all their mutual reviews are added up, and compared with the
sum of as many favours drawn at random from all reviews of the class by students.
The probability of so large a sum is multiplied by the number of pairs that reviewed each other. Pairs below
:data:`FALSE_ALARM` are named, if both gave more than the others: where favours are independent of who wrote the work, a
class has such a pair at most that often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT, Gradebook
from peerage.inference.checking.others_view import OthersView

FALSE_ALARM = 0.05
"""The probability that any pair is named in a class whose students do not favour each other, at most."""

_STEP = 0.02
"""How finely favours are told apart."""

_ADDED = 4.0

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two students who favour each other: in how many reviews, by how much, and how probable that is by chance."""

    first: str
    second: str
    reviews: int
    favour: float
    probability: float
    sentence: str


def mutual_favours(book: Gradebook, view: OthersView) -> pd.DataFrame:
    """The pairs that are named, the surest first: first, second, reviews, favour, probability, sentence."""
    excess = excesses(book, view)
    usable = np.flatnonzero(~np.isnan(excess) & (book.roles[book.review_grader] == STUDENT))
    found = sorted(_pairs(book, excess, usable), key=lambda pair: pair.probability) if len(usable) else []
    return pd.DataFrame(found, columns=list(Pair._fields))


def excesses(book: Gradebook, view: OthersView) -> Floats:
    """(reviews,) by how much each gives more than the others say, on the model's scale; NaN where nobody else did."""
    seen = ~np.isnan(view.value) & (view.n_others > 0)
    excess = np.where(seen, view.value - view.mean - view.bias[book.review_grader][:, None], 0.0)
    counts = seen.sum(axis=1)
    return np.where(counts > 0, excess.sum(axis=1) / np.maximum(counts, 1), np.nan)


def _pairs(book: Gradebook, excess: Floats, usable: NDArray[np.intp]) -> Iterator[Pair]:
    """Pairs whose favours are improbable."""
    favour = _in_own_spreads(book.review_grader[usable], excess[usable])
    given: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, review in enumerate(usable):
        for author in book.authors[book.review_submission[review]]:
            given[book.graders[book.review_grader[review]], author].append(place)
    mutual = [pair for pair in given if pair[0] < pair[1] and pair[::-1] in given]
    tails = _Tails(favour)
    for pair in mutual:
        there, back = given[pair], given[pair[::-1]]
        if min(favour[there].mean(), favour[back].mean()) <= 0:
            continue
        both = there + back
        probability = min(tails.of(len(both), float(favour[both].sum())) * len(mutual), 1.0)
        if probability <= FALSE_ALARM:
            more = float(excess[usable[both]].mean())
            words = f"give each other {more:.1f} more, on a scale of 0 to 5, than others give to the same work"
            yield Pair(*pair, len(both), more, probability, words)


def _in_own_spreads(grader: NDArray[np.int32], excess: Floats) -> Floats:
    """(reviews,) in units of each reviewer's own spread, which a few reviews of the class's spread are added to."""
    counts, squares = np.bincount(grader), np.bincount(grader, excess**2)
    usual = float(np.median(squares[counts > 0] / counts[counts > 0]))
    own = (squares + _ADDED * usual) / (counts + _ADDED)
    return np.asarray(excess / np.sqrt(np.maximum(own, _STEP**2))[grader])


class _Tails:
    """The distribution of sums of favours drawn at random, by their number."""

    def __init__(self, favour: Floats) -> None:
        codes = np.rint(favour / _STEP).astype(np.int64)
        self.least = int(codes.min())
        self.mass = np.bincount(codes - self.least) / len(codes)
        self.sums: dict[int, Floats] = {1: self.mass}

    def of(self, number: int, total: float) -> float:
        """The probability that so many favours add up to at least this much, within a step each."""
        if number not in self.sums:
            size = number * (len(self.mass) - 1) + 1
            power = np.fft.rfft(self.mass, size) ** number
            self.sums[number] = np.maximum(np.fft.irfft(power, size), 0.0)
        first = int(np.floor(total / _STEP - number / 2)) - number * self.least
        return float(self.sums[number][max(first, 0) :].sum())
