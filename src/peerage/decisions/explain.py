"""Grades that explain themselves: rounded weighted averages of what was reported.

For each submission, weights are chosen near those that the graders' reliability and effort on this very submission
deserve, such that the rounded averages are as probable as possible. This is the paper's mixed-integer program, solved
for weights in whole percents (:mod:`~peerage.decisions.problem` has the arithmetic).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from peerage.decisions import sentences
from peerage.decisions.cases import Case, cases_of, holding_a_grade
from peerage.decisions.problem import MILLION, WHOLE, Limits, WeightProblem
from peerage.decisions.sentences import Voice, reason_for_zero
from peerage.decisions.weights import Weighing, weigh
from peerage.errors import ModelError, Problem
from peerage.executor import Executor, open_executor
from peerage.gradebook import STUDENT
from peerage.inference.posterior import Posterior
from peerage.wording import counted, quoted

SHIFT, LEAST, PENALTY = 0.09, 0.1, 0.01
"""The paper's S, T and P."""

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
    cases = list(cases_of(posterior, adjust_bias, staff_final))
    reviewed = [case for case in cases if len(case.reviews)]
    problems = [case.problem for case in reviewed]
    with open_executor(workers, scheduler) as executor:
        weighed = list(zip(reviewed, _weigh_all(executor, problems, limits, penalty), strict=True))
    told = _Telling(posterior, name_graders, staff_final)
    by_submission = {case.submission: told.averaged(case, weighing) for case, weighing in weighed}
    rows = [row for case in cases for row in sorted(by_submission.get(case.submission, []) + told.otherwise(case))]
    return Explanation(
        grades=_grades(posterior, rows),
        weights=_weights(posterior, weighed, adjust_bias),
        sentences=_sentences(posterior, rows),
        relaxed=_relaxed(posterior, weighed, limits),
        unproven=tuple(
            posterior.book.submissions[case.submission] for case, weighing in weighed if not weighing.proven
        ),
        settings={**settings, "adjust_bias": adjust_bias, "name_graders": name_graders, "staff_final": staff_final},
    )


def _weigh_all(
    executor: Executor, problems: Sequence[WeightProblem], limits: Limits, penalty: float
) -> Iterator[Weighing]:
    """The weights of all problems, in their order."""
    batches = [problems[start : start + _BATCH] for start in range(0, len(problems), _BATCH)]
    weighings = dict(executor.map(_weigh_some, (limits, penalty), batches))
    return (weighing for index in range(len(batches)) for weighing in weighings[index])


def _weigh_some(asked: tuple[Limits, float], problems: Sequence[WeightProblem]) -> list[Weighing]:
    return [weigh(problem, *asked) for problem in problems]


@dataclass(frozen=True, order=True)
class _Row:
    """A decided grade: of which component, its level, the average, and the words."""

    submission: int
    component: int
    level: int
    average: float
    sentence: str


class _Telling:
    """Puts cases into words."""

    def __init__(self, posterior: Posterior, name_graders: bool, staff_final: bool) -> None:
        self.book = posterior.book
        self.effort = posterior.reviews()["effort_probability"].to_numpy()
        self.name_graders, self.staff_final = name_graders, staff_final

    def averaged(self, case: Case, weighing: Weighing) -> list[_Row]:
        """The grades that are averages."""
        voices = self._voices(case, weighing)
        rows = []
        for index, level in zip(case.averaged, case.problem.levels(weighing.weights), strict=True):
            component = self.book.rubric.components[index]
            average = float(sentences.average(component, index, voices))
            sentence = sentences.averaged(component, index, int(level), voices, int(case.n_replaced[index]))
            rows.append(_Row(case.submission, index, int(level), average, sentence))
        return rows

    def otherwise(self, case: Case) -> list[_Row]:
        """The grades that are not."""
        told = ((case.fixed, sentences.fixed), (case.ungraded, sentences.ungraded), (case.crowded, sentences.crowded))
        return [
            _Row(case.submission, index, level, np.nan, words(self.book.rubric.components[index], level))
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


def _grades(posterior: Posterior, rows: Sequence[_Row]) -> pd.DataFrame:
    components = posterior.book.rubric.components
    table = posterior.submissions()[["submission", "component", "most_likely"]]
    table.insert(2, "grade", [components[row.component].grades[row.level] for row in rows])
    table["average"] = [row.average for row in rows]
    return table


def _sentences(posterior: Posterior, rows: Sequence[_Row]) -> pd.DataFrame:
    table = posterior.submissions()[["submission", "component"]]
    return table.assign(sentence=np.array([row.sentence for row in rows], dtype=object))


def _weights(posterior: Posterior, weighed: Sequence[tuple[Case, Weighing]], adjusted: bool) -> pd.DataFrame:
    """A row for each review that holds a grade, submission by submission; what staff replaced counts nothing."""
    book = posterior.book
    weight, desired, bias = np.zeros((3, book.n_reviews))
    for case, weighing in weighed:
        weight[case.reviews] = weighing.weights / WHOLE
        desired[case.reviews] = case.problem.desired / MILLION
        bias[case.reviews] = case.bias / 10
    reviews = holding_a_grade(book, book.levels)
    known = posterior.reviews().iloc[reviews].reset_index(drop=True)
    table = known[["submission", "grader"]].assign(
        weight=weight[reviews], desired_weight=desired[reviews], effort_probability=known["effort_probability"]
    )
    return table.assign(bias=bias[reviews]) if adjusted else table


def _relaxed(posterior: Posterior, weighed: Sequence[tuple[Case, Weighing]], limits: Limits) -> pd.DataFrame:
    rows = [
        (posterior.book.submissions[case.submission], weighing.limits.shift / MILLION, weighing.limits.least / WHOLE)
        for case, weighing in weighed
        if weighing.limits != limits
    ]
    return pd.DataFrame(rows, columns=["submission", "largest_shift", "least_weight"])
