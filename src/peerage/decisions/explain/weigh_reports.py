"""The weights of one submission's reports, in each form of grades that are made of reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from peerage.decisions.explain import weight_integer_program
from peerage.decisions.explain.nearest_average import nearest_weights
from peerage.decisions.explain.submission_cases import Case
from peerage.decisions.explain.weight_problem import Integers, WeightLimits, WeightProblem
from peerage.decisions.explain.weight_search import search
from peerage.rubric import Rubric

Form = Literal["explained", "average", "mean"]
FORMS = get_args(Form)
"""Averages rounded to a legal grade, averages near the expected grade, and plain means."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """Whole weights, percents but for a mean's, the limits that they obey, and whether no others are better."""

    weights: Integers
    limits: WeightLimits
    proven: bool


@dataclass(frozen=True)
class Asked:
    """What is asked of the weights of every submission: their form, limits and penalty, under a rubric."""

    form: Form
    limits: WeightLimits
    penalty: float
    rubric: Rubric

    def weigh(self, case: Case) -> Weighing:
        """Give the graders of a submission their weights."""
        if self.form == "explained":
            return weigh(case.problem(self.rubric), self.limits, self.penalty)
        if self.form == "mean":
            return Weighing(np.ones(len(case.reviews), np.int64), self.limits, True)
        reported, expected = case.on_the_models_scale(self.rubric)
        return Weighing(nearest_weights(reported, expected, case.desired, self.penalty), self.limits, True)


def weigh(problem: WeightProblem, limits: WeightLimits, penalty: float) -> Weighing:
    """The best weights of explained grades, within limits that are widened only if they must be."""
    weights, proven = _best(problem, limits, penalty)
    if weights is not None:
        return Weighing(weights, limits, proven)
    wider, nearest = weight_integer_program.relax(problem, limits)
    weights, proven = _best(problem, wider, penalty)
    return Weighing(nearest, wider, False) if weights is None else Weighing(weights, wider, proven)


def _best(problem: WeightProblem, limits: WeightLimits, penalty: float) -> tuple[Integers | None, bool]:
    """Search first, which is fast for a few graders; what it cannot finish is left to the solver."""
    found, finished = search(problem, limits, penalty)
    if finished:
        return found, True
    solved, proven = weight_integer_program.solve(problem, limits, penalty)
    if solved is None or found is None:
        return (found if solved is None else solved), proven and solved is not None
    better = max(solved, found, key=lambda weights: problem.objective(weights, penalty))
    return better, proven
