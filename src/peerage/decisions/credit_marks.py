"""Marks for peer grading: one part for reviews that were done, one for how good they are.

The part for quality depends on dependability: what the grader's reports tell about the work. By default it is the
median of what is believed, so that with few reviews it is near that of a typical grader of the class, and moves away
from there as more is seen. Who gives the same grades to everything gets nothing for either part.

A class may ask for a sceptical estimate instead. Then the prior of reliability is replaced by one that expects
little: a Lomax distribution, which is highest at zero and falls from there, at first as an exponential would, but
with a long tail, so that clear evidence convinces. Its scale is such that the optimistic quantile of a grader of whom
nothing is known lies at half of the zero mark. So everybody begins at zero, and whoever grades better than the zero
mark gains by grading more: with each review scepticism yields to what is seen. If everybody began at the zero mark
itself, the optimism that yields too would count for more, and students just above that mark would lose by grading on.

A change of one grader's prior needs no other fit: each draw is weighed by the sceptical density of the grader's
reliability over the density that the fit took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.decisions.credit_prior import GraderPrior, fit_prior
from peerage.decisions.posterior_needs import has_fixed_reliability
from peerage.decisions.required_reviews import RequiredReviews
from peerage.errors import ModelError, Problem
from peerage.gradebook.book import ROLES, STUDENT, Gradebook
from peerage.inference.posterior import Posterior
from peerage.rubric import tidy
from peerage.support.words.whole_numbers import at_least
from peerage.support.words.wording import counted, quoted

COMPLETION = 0.5
"""The part of the mark that is for doing the reviews."""

MEDIAN, OPTIMISTIC = 0.5, 0.75
"""The quantile of dependability that is marked, and the one of a sceptical estimate."""

MINIMUM_REVIEWS = 3
"""With fewer reviews, a student gets no mark."""

BEGINNING = 0.5
"""Where a grader of whom nothing is known begins, as a share of the zero mark."""

TAIL = 4.0
"""The index of the sceptical prior, which exceeds x times its scale with a probability of (1 + x)^−index."""

FEWEST_EFFECTIVE = 25
"""A mark that rests on fewer effective draws is said to be imprecise."""

TOO_LITTLE = "too little to tell"
IMPRECISE = "imprecise: fit again with more draws"
SAME = "gives the same grades to everything"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CreditScale:
    """Marks by dependability: straight lines between some points, level beyond the first and the last.

    >>> CreditScale.parse("0.2:0, 1:80, 2:100").marks(np.array([0.1, 0.6, 5.0]))
    array([  0.,  40., 100.])
    """

    points: tuple[tuple[float, float], ...] = ((0.2, 0.0), (0.5, 60.0), (1.0, 85.0), (2.0, 100.0))

    def __post_init__(self) -> None:
        values = np.array(self.points, dtype=float).reshape(-1, 2)
        if len(values) < 2 or not np.isfinite(values).all():
            raise ModelError("a scale of marks needs two points or more, such as 0.2:0, 1:80, 2:100")
        if values[0, 0] <= 0 or values[0, 1] != 0:
            raise ModelError("a scale of marks begins with the dependability above zero that is worth 0, such as 0.2:0")
        if (np.diff(values[:, 0]) <= 0).any() or (np.diff(values[:, 1]) < 0).any():
            raise ModelError("in a scale of marks, dependability must rise and marks must not fall")
        if values[-1, 1] <= 0:
            raise ModelError("a scale of marks must end with a mark above zero, such as 2:100")

    @classmethod
    def parse(cls, text: str) -> CreditScale:
        """Read ``0.2:0, 1:80, 2:100``: each dependability and what it is worth."""
        try:
            pairs = [tuple(map(float, part.split(":"))) for part in text.split(",")]
            return cls(tuple((dependability, mark) for dependability, mark in pairs))
        except ValueError:
            raise ModelError(f"{text!r} is not a scale of marks; write it as 0.2:0, 1:80, 2:100") from None

    def __str__(self) -> str:
        return ", ".join(f"{tidy(dependability)}:{tidy(mark)}" for dependability, mark in self.points)

    @property
    def zero(self) -> float:
        """The dependability up to which the mark is zero."""
        return max(dependability for dependability, mark in self.points if mark == 0)

    def marks(self, dependability: Floats) -> Floats:
        """What each dependability is worth."""
        known, marks = np.array(self.points).T
        return np.asarray(np.interp(dependability, known, marks))


def credit(
    posterior: Posterior,
    scale: CreditScale | str | None = None,
    *,
    completion: float = COMPLETION,
    sceptical: bool = False,
    required_reviews: int | str = 0,
    minimum_reviews: int = MINIMUM_REVIEWS,
    optimistic: float = OPTIMISTIC,
) -> pd.DataFrame:
    """Mark students for their peer grading: grader, n_graded, estimate, credit, note.

    Where ``credit`` is missing, ``note`` says why.

    Parameters
    ----------
    posterior: the fit
    scale: marks by dependability, as text or :class:`CreditScale`
    completion: the part of the mark that is for doing the reviews; the rest is for their quality
    sceptical: whether graders have to show that they grade well before they get marks for quality
    required_reviews: how many reviews a student owes: ``12`` in all, ``"each=3"`` for each assignment, or
        ``"week1=2, week2=4"``; each that is not done takes away its share of the mark, and authors who graded nothing
        have a row too
    minimum_reviews: with fewer reviews there is too little to tell, and no mark; where reviews are required, there is a
        mark all the same
    optimistic: the quantile of dependability that a sceptical estimate is

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> marks = pg.credit(pg.fit(book, chains=2, draws=50, seed=0), "0.2:0, 1:80, 2:100")
    >>> list(marks.columns)
    ['grader', 'n_graded', 'estimate', 'credit', 'note']
    """
    scale = CreditScale() if scale is None else CreditScale.parse(scale) if isinstance(scale, str) else scale
    minimum_reviews = at_least(0, minimum_reviews=minimum_reviews)
    if not 0 < optimistic < 1:
        raise ModelError(f"optimistic is a probability between 0 and 1, not {optimistic!r}")
    check_completion(completion)
    book = posterior.book
    students = np.flatnonzero(book.roles == STUDENT)
    estimate, effective = _sceptical(posterior, scale, optimistic) if sceptical else _believed(posterior)
    n_graded = np.bincount(book.review_grader, minlength=book.n_graders)
    owed, done = RequiredReviews.parse(required_reviews).of(book)
    idle = _authors_without_reviews(book) if owed else []
    none = np.zeros(len(idle))
    table = pd.DataFrame(
        {
            "grader": np.array([*(book.graders[index] for index in students), *idle], dtype=object),
            "n_graded": np.append(n_graded[students], none.astype(n_graded.dtype)),
            "estimate": np.append(estimate[students], none + np.nan),
        }
    )
    imprecise = np.append(effective[students] < FEWEST_EFFECTIVE, none > 0)
    constant = table["grader"].isin(posterior.constant["grader"]).to_numpy()
    counted_done = np.append(done[students], none).astype(float)
    marks = _with_marks(table, imprecise, scale, owed, counted_done, minimum_reviews)
    share = counted_done / owed if owed else np.ones(len(table))
    done_part = np.where(constant, 0.0, share) * scale.points[-1][1]
    marks["credit"] = completion * done_part + (1 - completion) * marks["credit"]
    return marks.assign(note=marks["note"].where(~constant | marks["credit"].isna(), SAME))


def check_completion(completion: float) -> None:
    """Refuse a part of the mark that is none."""
    if not 0 <= completion <= 1:
        raise ModelError(f"the part for doing reviews is a share between 0 and 1, not {completion!r}")


def _believed(posterior: Posterior) -> tuple[Floats, Floats]:
    """(graders,) each: the median of dependability, and how many draws it rests on."""
    draws = posterior.dependability.reshape(-1, posterior.book.n_graders).astype(float)
    return np.quantile(draws, MEDIAN, axis=0), np.full(draws.shape[1], float(len(draws)))


def _sceptical(posterior: Posterior, scale: CreditScale, optimistic: float) -> tuple[Floats, Floats]:
    """(graders,) each: the optimistic quantile under a prior that expects little, and its effective draws."""
    prior = fit_prior(posterior)
    unit = sceptical_scale(BEGINNING * scale.zero, prior.efforts, optimistic)
    return estimates_under(posterior, lambda x: log_sceptical(x, unit), prior, optimistic)


def sceptical_scale(beginning: float, efforts: Floats, optimistic: float) -> float:
    """The scale of the sceptical prior, from where the optimistic quantile of reliability times effort begins."""
    from scipy.optimize import brentq  # of which nothing else needs to be loaded

    quantile = brentq(lambda x: np.mean(1 - (1 + x / efforts) ** -TAIL) - optimistic, 0.0, 1e6)
    return beginning / float(quantile)


def log_sceptical(reliability: Floats, scale: float) -> Floats:
    """The log of the sceptical prior's density."""
    return np.asarray(np.log(TAIL / scale) - (TAIL + 1) * np.log1p(reliability / scale))


def estimates_under(
    posterior: Posterior, log_density: Callable[[Floats], Floats], prior: GraderPrior, level: float
) -> tuple[Floats, Floats]:
    """(graders,) each: a quantile of dependability under another prior of reliability, and its effective draws."""
    n_graders = posterior.book.n_graders
    reliability = posterior.draws["reliability"].reshape(-1, n_graders).astype(float)
    log_weight = log_density(reliability) - prior.log_density(reliability)
    log_weight[:, has_fixed_reliability(posterior)] = 0.0
    weight = np.exp(log_weight - log_weight.max(axis=0))
    effective = weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0)
    return weighted_quantile(posterior.dependability.reshape(-1, n_graders).astype(float), weight, level), effective


def weighted_quantile(values: Floats, weights: Floats, level: float) -> Floats:
    """A quantile of each column, whose entries have weights."""
    order = np.argsort(values, axis=0)
    reached = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    place = (reached < level * reached[-1]).sum(axis=0)
    return np.asarray(np.take_along_axis(values, np.take_along_axis(order, place[None], axis=0), axis=0)[0])


def _authors_without_reviews(book: Gradebook) -> list[str]:
    graders = set(book.graders)
    return [name for name in dict.fromkeys(name for names in book.authors for name in names) if name not in graders]


def _with_marks(
    table: pd.DataFrame, imprecise: NDArray[np.bool_], scale: CreditScale, owed: int, done: Floats, minimum: int
) -> pd.DataFrame:
    """The table with marks and notes, for students who have ``done`` so many of the reviews that they owe.

    A required review that was not done counts as one without effort, and so with no dependability. Besides, a mark is
    at most its share of what it would be with all reviews done, so that the best cannot leave some out for nothing.
    """
    number, estimate = table["n_graded"].to_numpy(), table["estimate"].fillna(0.0).to_numpy()
    share = done / owed if owed else np.ones(len(table))
    marks = np.minimum(scale.marks(share * estimate), share * scale.marks(estimate))
    too_few = (number < minimum) & (owed == 0)
    conditions = [done < owed, too_few, imprecise]
    notes = [f"{count:.0f} of {owed} required reviews" for count in done], TOO_LITTLE, IMPRECISE
    return table.assign(credit=np.where(too_few, np.nan, marks), note=np.select(conditions, notes, "").astype(object))


def credit_columns(posterior: Posterior, marks: pd.DataFrame) -> pd.DataFrame:
    """Note and mark of every grader, in the gradebook's order; staff have no mark."""
    book = posterior.book
    places = marks.set_index("grader").reindex(list(book.graders))
    notes = np.where(book.roles == STUDENT, places["note"], np.array(ROLES, dtype=object)[book.roles])
    return pd.DataFrame({"credit_note": notes, "credit": places["credit"].to_numpy()})


def idle_authors(marks: pd.DataFrame) -> Iterator[Problem]:
    """Authors who owe reviews and did none: no table of graders has them."""
    names = marks.loc[marks["estimate"].isna(), "grader"]
    if len(names):
        who = f"{counted(len(names), 'author')} graded nothing: {quoted(names)}"
        remedy = "they are listed with the marks for peer grading, not with the graders"
        yield Problem(f"{who}; their mark for peer grading is 0", remedy)
