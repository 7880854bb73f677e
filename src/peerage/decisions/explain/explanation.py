"""Grades that explain themselves: weighted averages of what was reported.

*Explained* grades are the paper's: weights near those that the graders deserve on this very submission, such that the
rounded averages are as probable as possible (:mod:`~peerage.decisions.explain.weight_problem` has the arithmetic).
*Averages* are not rounded to a legal grade, and follow the expected grade
(:mod:`~peerage.decisions.explain.nearest_average`). The plain *mean* is told in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from peerage.decisions.explain.cases_in_words import Telling
from peerage.decisions.explain.corrections import Correction, Subtracted, checked
from peerage.decisions.explain.kept_weights import KeptWeights
from peerage.decisions.explain.submission_cases import Case, cases_of, holding_a_grade
from peerage.decisions.explain.weigh_reports import FORMS, Asked, Form, Weighing
from peerage.decisions.explain.weight_limits import Weighting
from peerage.decisions.explain.weight_problem import WeightLimits
from peerage.errors import ModelError, Problem
from peerage.gradebook.book import Gradebook
from peerage.inference.posterior import Posterior
from peerage.support.tasks.executor import Executor, open_executor
from peerage.support.tasks.stop_requests import check_stopped
from peerage.support.words.wording import counted, quoted

DECIMALS, MOST_DECIMALS = 1, 6
"""With how many decimals averages are given, if nothing else is asked for, and at most."""

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
        biases are subtracted from the reports, also bias, on the scale of 0 to 5
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
    settings: dict[str, Any]

    @property
    def n_different(self) -> int:
        """How many grades are not the most likely ones."""
        return int((self.grades["grade"] != self.grades["most_likely"]).sum())

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Where the weights are not what was asked for, and what to do about it."""
        found = []
        if len(self.relaxed):
            limits = "the weights of {} needed wider limits than asked for, because none exist within those: {}"
            names = self.relaxed["submission"]
            shift, least = self.relaxed["largest_shift"].max(), self.relaxed["least_weight"].min()
            wide = f"weights differ there by up to {shift:.2f} from those deserved, and are at least {least:.2f}"
            found.append(Problem(limits.format(counted(len(names), "submission"), quoted(names)), wide))
        if self.unproven:
            number = counted(len(self.unproven), "submission")
            unproven = quoted(self.unproven)
            what = f"the weights of {number} may not be the best ones, because very many people graded: {unproven}"
            found.append(Problem(what, "the grades follow from the weights all the same"))
        return tuple(found)

    def __repr__(self) -> str:
        return f"Explanation({len(self.grades):,} grades; {self.n_different:,} are not the most likely ones)"


def explain(
    posterior: Posterior,
    *,
    form: Form = "explained",
    decimals: int = DECIMALS,
    weighting: Weighting | None = None,
    correction: Correction = "none",
    adjust_bias: bool = False,
    name_graders: bool = False,
    staff_final: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    kept: KeptWeights | None = None,
) -> Explanation:
    """Find grades that are weighted averages of the reports, and say how.

    Parameters
    ----------
    form: ``explained`` for averages that are rounded to the nearest legal grade, as in the paper; ``average`` for
        averages that come as near as they can to the expected grade; ``mean`` for the plain mean of the reports
    decimals: with how many decimals an average or a mean is given
    weighting: how far weights may be from those that graders deserve, and what that costs
    correction: what is subtracted from the reports before they are averaged: ``none`` for nothing, ``bias`` for each
        grader's estimated bias, ``level`` for what students give more than staff, the same for everybody (averages
        only, and only where staff graded too)
    adjust_bias: the same as ``correction="bias"``
    name_graders: call graders by their ids in the sentences, not "Reviewer 1"
    staff_final: where staff graded a component, their reports alone count
    workers, scheduler: how many threads look for weights here, as many as the fit had unless given, or the address of a
        Dask scheduler whose workers do
    kept: weights that stay as they are, if the same was asked for when they were found

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> list(pg.explain(pg.fit(book, chains=2, draws=50, seed=0)).weights.columns[:3])
    ['submission', 'grader', 'weight']
    """
    _check_request(form, decimals)
    subtracted = Subtracted.of(posterior, checked(correction, adjust_bias, form))
    weighting = Weighting() if weighting is None else weighting
    limits = WeightLimits.of(weighting.largest_shift, weighting.least_weight)
    asked = Asked(form, limits, weighting.price(form), posterior.book.rubric)
    telling = Telling(posterior, asked, decimals, name_graders, staff_final, subtracted.correction)
    cases = cases_of(posterior, subtracted.tenths, staff_final)
    used = asdict(weighting) if form == "explained" else {"decimals": decimals}
    settings = {"form": form, **used, "penalty": asked.penalty, **subtracted.settings, **telling.settings}
    kept = _asked_before(kept, settings)
    with open_executor(posterior.workers if scheduler is None and workers is None else workers, scheduler) as executor:
        for case, weighing in _weighed(executor, cases, asked, posterior.book, kept):
            telling.tell(case, weighing)
    cells = posterior.submissions()[["submission", "component", "most_likely"]]
    grades = cells.assign(grade=telling.grades, average=telling.averages)
    return Explanation(
        grades=grades[["submission", "component", "grade", "most_likely", "average"]],
        weights=_weights(posterior, telling, subtracted.correction == "bias"),
        sentences=cells[["submission", "component"]].assign(sentence=np.array(telling.sentences, dtype=object)),
        relaxed=pd.DataFrame(telling.relaxed, columns=["submission", "largest_shift", "least_weight"]),
        unproven=tuple(telling.unproven),
        settings=settings,
    )


def _check_request(form: str, decimals: int) -> None:
    if form not in FORMS:
        raise ModelError(f"grades are made of reports in the forms {', '.join(FORMS)}, not {form!r}")
    if decimals not in range(MOST_DECIMALS + 1):
        raise ModelError(f"grades are given with 0 to {MOST_DECIMALS} decimals, not {decimals}")


def _asked_before(kept: KeptWeights | None, settings: dict[str, Any]) -> KeptWeights:
    """The kept weights, if the same was asked of them; none if biases are subtracted, which are not what they were."""
    if kept is None or kept.settings != settings or settings["correction"] == "bias":
        return KeptWeights()
    return kept


def _weighed(
    executor: Executor, cases: Iterator[Case], asked: Asked, book: Gradebook, kept: KeptWeights
) -> Iterator[tuple[Case, Weighing | None]]:
    """All cases in their order with their weights, if there are reviews; of a large class, some at a time."""
    while some := list(islice(cases, _AT_A_TIME)):
        stay = [kept.of(case, book, asked.limits) for case in some]
        anew = [case for case, settled in zip(some, stay, strict=True) if settled is None and len(case.reviews)]
        weighings = _weigh_all(executor, anew, asked)
        for case, settled in zip(some, stay, strict=True):
            yield settled or (case, next(weighings) if len(case.reviews) else None)


def _weigh_all(executor: Executor, cases: Sequence[Case], asked: Asked) -> Iterator[Weighing]:
    """The weights of all cases, in their order."""
    batches = [cases[start : start + _BATCH] for start in range(0, len(cases), _BATCH)]
    weighings = dict(executor.map(_weigh_some, asked, batches))
    return (weighing for index in range(len(batches)) for weighing in weighings[index])


def _weigh_some(asked: Asked, cases: Sequence[Case]) -> list[Weighing]:
    weighings = []
    for case in cases:
        check_stopped()
        weighings.append(asked.weigh(case))
    return weighings


def _weights(posterior: Posterior, telling: Telling, with_bias: bool) -> pd.DataFrame:
    """A row for each review that holds a grade, submission by submission; what staff replaced counts nothing."""
    book = posterior.book
    reviews = holding_a_grade(book, book.levels)
    known = posterior.reviews().iloc[reviews].reset_index(drop=True)
    table = known[["submission", "grader"]].assign(
        weight=telling.weight[reviews],
        desired_weight=telling.desired[reviews],
        effort_probability=known["effort_probability"],
    )
    return table.assign(bias=telling.subtracted[reviews]) if with_bias else table
