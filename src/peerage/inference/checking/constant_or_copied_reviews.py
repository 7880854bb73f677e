"""Students whose reviews look as if they had not read the work, named with a stated false-alarm rate.

Three things an honest reviewer does now and then by chance, and a student who does not look does all the time:

- *constant*: give all components of the work the student's own most frequent grades;
- *copied*: say of all components just what another reviewer of the same work says;
- *others' mean*: say of all components the rounded mean of what the others say.

The chance of an honest review to do so comes from what all others say about the work
(:mod:`~peerage.inference.checking.others_view`) and from the class's own distributions of bias and reliability. Where
most of the class do it more often than expected, because the errors of a review's components go together, all chances
are raised in proportion. The probability that an honest student does it so often or more is averaged over biases and
reliabilities, and multiplied by the number of students and of things looked for. Who is below :data:`FALSE_ALARM` is
named; so an honest class has a name in it at most that often.

For *constant*, honest means unbiased too, and 39 of 40 reviews must be alike. Somebody so generous that
everything gets the top is named, because what is said is true: these grades say nothing about the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr, ndtri

from peerage.gradebook.book import MISSING, STUDENT, Gradebook
from peerage.inference.checking.others_view import OthersView
from peerage.inference.features.heaping import Coarser, all_grids
from peerage.model import Priors
from peerage.support.words.wording import counted

FALSE_ALARM = 0.05
"""The probability that anybody is named in a class of honest students, at most."""

KINDS = CONSTANT, COPIED, MEAN = "constant", "copied", "others' mean"

_ALIKE = 0.975
"""The share of reviews that a constant student gives the same grades."""

_BIASES, _RELIABILITIES = 9, 4
_AT_A_TIME = 10_000
_MAJORITY = 0.75
"""The share of students, those who do a thing least, by whom its frequency among the honest is measured."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Row(NamedTuple):
    """A student who is named: for what, in how many of how many reviews, how many are expected, how probable it is."""

    grader: str
    kind: str
    reviews: int
    observed: int
    expected: float
    probability: float
    sentence: str


@dataclass(frozen=True, eq=False)
class Honest:
    """Nodes of the class's biases and reliabilities, of equal weight, and the view that others have of each review.

    ``coarser`` has the coarser grids at which grades of each component are rounded too.
    """

    view: OthersView
    coarser: Sequence[Sequence[Coarser]]
    bias: Floats
    noise: Floats

    @classmethod
    def of(
        cls, view: OthersView, priors: Priors, coarser: Sequence[Sequence[Coarser]] | None, *, biased: bool
    ) -> Honest:
        """The honest students of a class, or those of them who have no bias."""
        levels = (np.arange(_BIASES) + 0.5) / _BIASES if biased else np.array([0.5])
        precisions = gammaincinv(priors.alpha_tau, (np.arange(_RELIABILITIES) + 0.5) / _RELIABILITIES) / priors.beta_tau
        bias, noise = np.meshgrid(priors.sigma_b * ndtri(levels), 1 / np.maximum(precisions, 1e-3))
        grids = [()] * view.value.shape[1] if coarser is None else coarser
        return cls(view, grids, bias.ravel(), noise.ravel())

    def chance(self, book: Gradebook, reviews: Integers, levels: Integers) -> Floats:
        """(nodes, reviews) the probability that a review has these (reviews, components) levels."""
        total = np.empty((len(self.bias), len(reviews)))
        for block in _blocks(len(reviews), _AT_A_TIME):
            total[:, block] = self._chance(book, reviews[block], levels[block])
        return total

    def _chance(self, book: Gradebook, reviews: Integers, levels: Integers) -> Floats:
        """The same for a few reviews: what is computed on the way takes many times the memory of the result."""
        total = np.ones((len(self.bias), len(reviews)))
        for index, component in enumerate(book.rubric.components):
            given = levels[:, index] != MISSING
            place, level = reviews[given], levels[given, index]
            centre = self.view.mean[place, index] + self.bias[:, None]
            spread = np.sqrt(self.view.variance[place, index] + self.noise[:, None])
            mass = np.zeros(centre.shape)
            for grid in all_grids(component.edges, self.coarser[index]):
                at = np.minimum(np.searchsorted(grid.levels, level), len(grid.levels) - 1)
                low, high = ((grid.edges[at + above] - centre) / spread for above in (0, 1))
                mass += grid.weight * (grid.levels[at] == level) * np.maximum(ndtr(high) - ndtr(low), 0.0)
            total[:, given] *= mass
        return total


def copying_students(
    book: Gradebook, priors: Priors, view: OthersView, coarser: Sequence[Sequence[Coarser]] | None = None
) -> list[Row]:
    """Students who give just what another reviewer does, or the others' mean, improbably often.

    ``probability`` is that of anybody doing it so often in an honest class, whose grades may be rounded at ``coarser``
    grids; ``view`` is that of the others, with the same priors.
    """
    honest, students = Honest.of(view, priors, coarser, biased=True), np.flatnonzero(book.roles == STUDENT)
    return [*_copied(book, honest, students), *_mean(book, honest, students)]


def constant_students(
    book: Gradebook, priors: Priors, view: OthersView, coarser: Sequence[Sequence[Coarser]] | None = None
) -> list[Row]:
    """Students who give the same grades to everything, with probabilities like those of :func:`copying_students`."""
    honest = Honest.of(view, priors, coarser, biased=False)
    return list(_constant(book, honest, np.flatnonzero(book.roles == STUDENT)))


def suspicions(rows: Iterable[Row]) -> pd.DataFrame:
    """A table of students who are named, the surest first, with the columns of :class:`Row`."""
    surest_first = sorted(rows, key=lambda row: row.probability)
    return pd.DataFrame(surest_first, columns=list(Row._fields))


def _blocks(count: int, size: int) -> Iterator[slice]:
    """The places from 0 to ``count``, so many at a time."""
    return (slice(start, start + size) for start in range(0, count, size))


def _constant(book: Gradebook, honest: Honest, students: NDArray[np.intp]) -> Iterator[Row]:
    target = np.array(book.levels, dtype=np.int64)
    for mine in reviews_by_grader(book):
        target[mine] = np.where(book.levels[mine] == MISSING, MISSING, _modes(book.levels[mine]))
    done = (target == book.levels).all(axis=1)
    chance = honest.chance(book, np.arange(book.n_reviews), target)

    def words(mine: Integers) -> str:
        rows = zip(book.rubric.components, target[mine].max(axis=0), strict=True)
        grades = [f"{component.grades[level]:g}" for component, level in rows if level != MISSING]
        shown = grades[0] if len(set(grades)) == 1 else ", ".join(grades)
        share = "" if done[mine].all() else "almost "
        return f"gives {shown} to {share}everything: these grades say nothing about the work"

    choices = max(component.n_levels for component in book.rubric.components)
    for row in _named(book, CONSTANT, students, done, chance, words, choices):
        if row.observed >= _ALIKE * row.reviews:
            yield row


def _copied(book: Gradebook, honest: Honest, students: NDArray[np.intp]) -> Iterator[Row]:
    review, fellow = _fellows(book)
    asked = np.where(book.levels[review] == MISSING, MISSING, book.levels[fellow]).astype(np.int64)
    same = (book.levels[review] == book.levels[fellow]).all(axis=1)
    done = np.zeros(book.n_reviews, dtype=bool)
    done[review[same]] = True
    chance = np.zeros((len(honest.bias), book.n_reviews))
    for block in _blocks(len(review), book.n_reviews):
        single = honest.chance(book, review[block], asked[block])
        for node in range(len(chance)):
            chance[node] += np.bincount(review[block], single[node], book.n_reviews)

    def words(mine: Integers) -> str:
        number = f"{np.count_nonzero(done[mine])} of {counted(len(mine), 'review')}"
        return f"gives exactly the grades of another reviewer in {number}: one may have copied the other"

    yield from _named(book, COPIED, students, done, chance, words)


def _mean(book: Gradebook, honest: Honest, students: NDArray[np.intp]) -> Iterator[Row]:
    graded = book.levels != MISSING
    shape, place = (book.n_submissions, len(book.rubric)), book.review_submission
    sums, counts = np.zeros(shape), np.zeros(shape, np.int64)
    np.add.at(sums, place, np.where(graded, book.levels, 0))
    np.add.at(counts, place, graded)
    number = counts[place] - graded
    mean = (sums[place] - np.where(graded, book.levels, 0)) / np.maximum(number, 1)
    several = (number > 1).all(axis=1) | (~graded | (number > 1)).all(axis=1)
    down, up = (np.where(graded, np.floor(mean + half), MISSING).astype(np.int64) for half in (0.4999, 0.5001))
    done = ((book.levels == down) | (book.levels == up)).all(axis=1) & several
    # Halves are rounded either way; the chance is that of the likelier way, times the number of ways.
    everything = np.arange(book.n_reviews)
    ways = 2.0 ** (down != up).sum(axis=1)
    chance = honest.chance(book, everything, down)
    np.maximum(chance, honest.chance(book, everything, up), out=chance)
    chance *= ways * several

    def words(mine: Integers) -> str:
        number = f"{np.count_nonzero(done[mine])} of {counted(len(mine), 'review')}"
        return f"reports the others' mean in {number}, and may have seen what they wrote"

    yield from _named(book, MEAN, students, done, chance, words)


def _named(
    book: Gradebook,
    kind: str,
    students: NDArray[np.intp],
    done: Flags,
    chance: Floats,
    words: Callable[[Integers], str],
    choices: int = 1,
) -> Iterator[Row]:
    """The rows of students who do a thing, or one of several, more often than honesty explains.

    The chances are changed in place: of a large class, copies would take the most memory of all that a fit does.
    """
    observed = np.bincount(book.review_grader, done, book.n_graders).astype(float)
    expected = np.bincount(book.review_grader, np.minimum(chance.mean(axis=0), 1), book.n_graders).astype(float)
    chance *= _excess(observed[students], expected[students])
    np.minimum(chance, 1.0, out=chance)
    reviews = reviews_by_grader(book)
    for grader in students[observed[students] > np.maximum(expected[students], 1)]:
        mine = reviews[grader]
        tail = float(_tail(chance[:, mine], int(observed[grader])).mean())
        probability = min(tail * len(students) * len(KINDS) * choices, 1.0)
        if probability <= FALSE_ALARM:
            counts = len(mine), int(observed[grader]), float(expected[grader])
            yield Row(book.graders[grader], kind, *counts, probability, words(mine))


def _excess(observed: Floats, expected: Floats) -> float:
    """How many times as often as expected the majority of students, who do a thing least, do it; 1 at least."""
    order = np.argsort(observed / np.maximum(expected, 1e-12))[: max(int(_MAJORITY * len(observed)), 1)]
    return max(float(observed[order].sum() / max(expected[order].sum(), 1e-12)), 1.0)


def _tail(chance: Floats, least: int) -> Floats:
    """(nodes,) the probability that at least so many of independent events happen."""
    mass = np.zeros((len(chance), least + 1))
    mass[:, 0] = 1.0
    for column in chance.T:
        moved = mass[:, :-1] * column[:, None]
        reached = mass[:, -1] + moved[:, -1]
        mass[:, :-1] *= 1 - column[:, None]
        mass[:, 1:-1] += moved[:, :-1]
        mass[:, -1] = reached
    return mass[:, -1]


def reviews_by_grader(book: Gradebook) -> list[Integers]:
    """The indexes of each grader's reviews."""
    order = np.argsort(book.review_grader, kind="stable")
    return np.split(order, np.searchsorted(book.review_grader[order], np.arange(1, book.n_graders)))


def _modes(levels: NDArray[np.int16]) -> Integers:
    """(components,) the most frequent level of each."""
    columns = [column[column != MISSING] for column in levels.T]
    return np.array([np.bincount(column).argmax() if len(column) else MISSING for column in columns])


def _fellows(book: Gradebook) -> tuple[Integers, Integers]:
    """Every ordered pair of reviews of one work that grade the same components."""
    order = np.argsort(book.review_submission, kind="stable")
    size = np.bincount(book.review_submission, minlength=book.n_submissions)
    start = np.cumsum(size) - size
    first, second = [], []
    for number in np.unique(size[size > 1]):
        one, two = np.nonzero(~np.eye(int(number), dtype=bool))
        begin = start[size == number][:, None]
        first.append(order[(begin + one).ravel()])
        second.append(order[(begin + two).ravel()])
    none = [np.empty(0, np.int64)]
    review, fellow = np.concatenate(none + first), np.concatenate(none + second)
    alike = ((book.levels[review] == MISSING) == (book.levels[fellow] == MISSING)).all(axis=1)
    return review[alike], fellow[alike]
