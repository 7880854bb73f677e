"""The weights of one submission's reports: the best there are, within limits that are widened only if they must be."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.decisions.explain import weight_program
from peerage.decisions.explain.weight_problem import Integers, Limits, WeightProblem
from peerage.decisions.explain.weight_search import search


@dataclass(frozen=True, eq=False)
class Weighing:
    """Weights in whole percents, the limits that they obey, and whether no others are better."""

    weights: Integers
    limits: Limits
    proven: bool


def weigh(problem: WeightProblem, limits: Limits, penalty: float) -> Weighing:
    """Give a submission's graders their weights."""
    weights, proven = _best(problem, limits, penalty)
    if weights is not None:
        return Weighing(weights, limits, proven)
    wider, nearest = weight_program.relax(problem, limits)
    weights, proven = _best(problem, wider, penalty)
    return Weighing(nearest, wider, False) if weights is None else Weighing(weights, wider, proven)


def _best(problem: WeightProblem, limits: Limits, penalty: float) -> tuple[Integers | None, bool]:
    """Search first, which is fast for a few graders; what it cannot finish is left to the solver."""
    found, finished = search(problem, limits, penalty)
    if finished:
        return found, True
    solved, proven = weight_program.solve(problem, limits, penalty)
    if solved is None or found is None:
        return (found if solved is None else solved), proven and solved is not None
    better = max(solved, found, key=lambda weights: problem.objective(weights, penalty))
    return better, proven
