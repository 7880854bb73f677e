"""Grades that explain themselves: rounded weighted averages of what was reported.

For each submission, weights are chosen near those that the graders' reliability and effort on this very submission
deserve, such that the rounded averages are as probable as possible. This is the paper's mixed-integer program, solved
for weights in whole percents (:mod:`~peerage.decisions.explain.weight_problem` has the arithmetic).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from peerage.decisions.explain import sentences
from peerage.decisions.explain.cases import Case, cases_of, holding_a_grade
from peerage.decisions.explain.sentences import Voice, reason_for_zero
from peerage.decisions.explain.weight_problem import MILLION, WHOLE, Limits, WeightProblem
from peerage.decisions.explain.weights import Weighing, weigh
from peerage.errors import ModelError, Problem
from peerage.gradebook.book import STUDENT
from peerage.inference.posterior import Posterior
from peerage.support.executor import Executor, open_executor
from peerage.support.stopping import check_stopped
from peerage.support.wording import counted, quoted

SHIFT, LEAST, PENALTY = 0.09, 0.1, 0.01
"""The paper's S, T and P."""

_AT_A_TIME = 5000
"""How many submissions are posed and weighed before they are put into words and forgotten."""

_BATCH = 100
"""How many submissions are weighed at a time; most take less than a millisecond."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """Final grades, and how they follow from the reports.

    Attributes
    ----------
    grades: submission, component, grade, most_likely, average; what was not averaged has no average
    weights: submission, grader, weight, desired_weight, effort_probability; a submission's weights add up to 1; if
        biases are taken off the reports, also bias, on the model's 0–5 scale
    sentences: submission, component, sentence
    relaxed: submission, largest_shift, least_weight: where weights had to be allowed to shift more or to be smaller
    unproven: submissions for which better weights may exist
    settings: what was asked for
    """

    grades: pd.DataFrame
    weights: pd.DataFrame
    sentences: pd.DataFrame
    relaxed: pd.DataFrame
    unproven: tuple[str, ...]
    settings: dict[str, float]

    @property
    def n_different(self) -> int:
        """How many grades are not the most likely ones."""
        return int((self.grades["grade"] != self.grades["most_likely"]).sum())

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Where the weights are not what was asked for, and what to do about it."""
        found = []
        if len(self.relaxed):
            limits = "the weights of {} obey wider limits than asked for, because no others exist: {}"
            names = self.relaxed["submission"]
            found.append(
                Problem(limits.format(counted(len(names), "submission"), quoted(names)), "run.json says how wide")
            )
        if self.unproven:
            number = counted(len(self.unproven), "submission")
            what = (
                f"the weights of {number} may not be the best ones, because very many graded: {quoted(self.unproven)}"
            )
            found.append(Problem(what, "the grades follow from the weights all the same"))
        return tuple(found)

    def __repr__(self) -> str:
        return f"Explanation({len(self.grades):,} grades; {self.n_different:,} are not the most likely ones)"


def explain(
    posterior: Posterior,
    *,
    largest_shift: float = SHIFT,
    least_weight: float = LEAST,
    penalty: float = PENALTY,
    adjust_bias: bool = False,
    name_graders: bool = False,
    staff_final: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
) -> Explanation:
    """Find grades that are rounded weighted averages of the reports, and say how.

    Parameters
    ----------
    posterior: the fit
    largest_shift: how much a weight may differ from the desired one (the paper's S)
    least_weight: what a weight is at least, unless it is zero (T)
    penalty: what a difference from the desired weights costs, in probability of a grade (P)
    adjust_bias: take each grader's estimated bias off the reports before they are averaged
    name_graders: call graders by their ids in the sentences, not "Reviewer 1"
    staff_final: where staff graded a component, their reports alone count
    workers, scheduler: how many threads look for weights here, or the address of a Dask scheduler whose workers do

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> explanation = pg.explain(pg.fit(book, chains=2, draws=50, seed=0))
    >>> list(explanation.weights.columns[:3])
    ['submission', 'grader', 'weight']
    """
    settings = {"largest_shift": largest_shift, "least_weight": least_weight, "penalty": penalty}
    for name, value in settings.items():
        if not 0 <= value <= 1:
            raise ModelError(f"{name} must lie between 0 and 1, not {value}")
    limits = Limits.of(largest_shift, least_weight)
    told = _Told(posterior, limits, name_graders, staff_final)
    with open_executor(workers, scheduler) as executor:
        for case, weighing in _weighed(executor, cases_of(posterior, adjust_bias, staff_final), limits, penalty):
            told.tell(case, weighing)
    cells = posterior.submissions()[["submission", "component", "most_likely"]]
    grades = cells.assign(average=told.averages)
    grades.insert(2, "grade", told.grades)
    return Explanation(
        grades=grades,
        weights=_weights(posterior, told, adjust_bias),
        sentences=cells[["submission", "component"]].assign(sentence=np.array(told.sentences, dtype=object)),
        relaxed=pd.DataFrame(told.relaxed, columns=["submission", "largest_shift", "least_weight"]),
        unproven=tuple(told.unproven),
        settings={**settings, "adjust_bias": adjust_bias, "name_graders": name_graders, "staff_final": staff_final},
    )


def _weighed(
    executor: Executor, cases: Iterator[Case], limits: Limits, penalty: float
) -> Iterator[tuple[Case, Weighing | None]]:
    """All cases in their order with their weights, if there are reviews; of a large class, some at a time."""
    while some := list(islice(cases, _AT_A_TIME)):
        problems = [case.problem for case in some if len(case.reviews)]
        weighings = _weigh_all(executor, problems, limits, penalty)
        yield from ((case, next(weighings) if len(case.reviews) else None) for case in some)


def _weigh_all(
    executor: Executor, problems: Sequence[WeightProblem], limits: Limits, penalty: float
) -> Iterator[Weighing]:
    """The weights of all problems, in their order."""
    batches = [problems[start : start + _BATCH] for start in range(0, len(problems), _BATCH)]
    weighings = dict(executor.map(_weigh_some, (limits, penalty), batches))
    return (weighing for index in range(len(batches)) for weighing in weighings[index])


def _weigh_some(asked: tuple[Limits, float], problems: Sequence[WeightProblem]) -> list[Weighing]:
    weighings = []
    for problem in problems:
        check_stopped()
        weighings.append(weigh(problem, *asked))
    return weighings


class _Row(NamedTuple):
    """A decided grade: of which component, its level, the average, and the words."""

    component: int
    level: int
    average: float
    sentence: str


class _Told:
    """Puts cases into words, and collects what was decided, without what it was decided from.

    ``grades``, ``averages`` and ``sentences`` are by submission and component, ``weight``, ``desired`` and ``bias`` by
    review.
    """

    def __init__(self, posterior: Posterior, limits: Limits, name_graders: bool, staff_final: bool) -> None:
        self.book, self.limits = posterior.book, limits
        self.effort = posterior.reviews()["effort_probability"].to_numpy()
        self.name_graders, self.staff_final = name_graders, staff_final
        self.grades: list[float] = []
        self.averages: list[float] = []
        self.sentences: list[str] = []
        self.weight, self.desired, self.bias = np.zeros((3, self.book.n_reviews))
        self.relaxed: list[tuple[str, float, float]] = []
        self.unproven: list[str] = []

    def tell(self, case: Case, weighing: Weighing | None) -> None:
        """Take in the next submission."""
        rows = self._otherwise(case)
        if weighing is not None:
            rows += self._averaged(case, weighing)
            self.weight[case.reviews] = weighing.weights / WHOLE
            self.desired[case.reviews] = case.problem.desired / MILLION
            self.bias[case.reviews] = case.bias / 10
            name, limits = self.book.submissions[case.submission], weighing.limits
            if limits != self.limits:
                self.relaxed.append((name, limits.shift / MILLION, limits.least / WHOLE))
            if not weighing.proven:
                self.unproven.append(name)
        for row in sorted(rows):
            self.grades.append(self.book.rubric.components[row.component].grades[row.level])
            self.averages.append(row.average)
            self.sentences.append(row.sentence)

    def _averaged(self, case: Case, weighing: Weighing) -> list[_Row]:
        """The grades that are averages."""
        voices = self._voices(case, weighing)
        rows = []
        for index, level in zip(case.averaged, case.problem.levels(weighing.weights), strict=True):
            component = self.book.rubric.components[index]
            average = float(sentences.average(component, index, voices))
            sentence = sentences.averaged(component, index, int(level), voices, int(case.n_replaced[index]))
            rows.append(_Row(index, int(level), average, sentence))
        return rows

    def _otherwise(self, case: Case) -> list[_Row]:
        """The grades that are not."""
        told = ((case.fixed, sentences.fixed), (case.ungraded, sentences.ungraded), (case.crowded, sentences.crowded))
        return [
            _Row(index, level, np.nan, words(self.book.rubric.components[index], level))
            for levels, words in told
            for index, level in levels.items()
        ]

    def _voices(self, case: Case, weighing: Weighing) -> list[Voice]:
        """The reviews by descending weight. Equal weights come in the order of what is told, not of who they are."""
        weights, desired, least = weighing.weights, case.problem.desired, weighing.limits.least
        least_counting = int(desired[weights > 0].min())
        told = []
        rows = zip(
            weights.tolist(), desired.tolist(), case.bias.tolist(), case.levels.tolist(), case.reviews, strict=True
        )
        for weight, wanted, bias, levels, review in rows:
            reason = "" if weight else reason_for_zero(wanted, least_counting, self.effort[review], least)
            told.append((-weight, reason, tuple(levels), bias, int(self.book.review_grader[review])))
        return [
            Voice(self._name(number, grader), -negated, reason, levels, bias)
            for number, (negated, reason, levels, bias, grader) in enumerate(sorted(told), start=1)
        ]

    def _name(self, number: int, grader: int) -> str:
        name = self.book.graders[grader] if self.name_graders else f"Reviewer {number}"
        return f"{name} (staff)" if self.staff_final and self.book.roles[grader] != STUDENT else name


def _weights(posterior: Posterior, told: _Told, adjusted: bool) -> pd.DataFrame:
    """A row for each review that holds a grade, submission by submission; what staff replaced counts nothing."""
    book = posterior.book
    reviews = holding_a_grade(book, book.levels)
    known = posterior.reviews().iloc[reviews].reset_index(drop=True)
    table = known[["submission", "grader"]].assign(
        weight=told.weight[reviews],
        desired_weight=told.desired[reviews],
        effort_probability=known["effort_probability"],
    )
    return table.assign(bias=told.bias[reviews]) if adjusted else table
