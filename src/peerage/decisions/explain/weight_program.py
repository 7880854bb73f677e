"""The paper's mixed-integer program, for submissions with many graders, and the smallest change of limits that helps.

The solver works in floating point with tolerances. Weights are rounded to the whole percents that they are and checked
in whole numbers before they are used, so an answer always obeys the limits and explains its grades exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array, eye_array, hstack

from peerage.decisions.explain.quiet import quiet
from peerage.decisions.explain.weight_problem import PERCENT, WHOLE, Floats, Integers, Limits, WeightProblem

MAX_NODES = 2_000
"""How many branches the solver may look at: a number, not a time, so that every machine gives the same grades."""

_SCALE = 1000.0
"""The solver stops within 1e-6 of the best objective; an objective in thousandths makes that a billionth."""

_REAL, _INTEGER, _SEMI_INTEGER = 0, 1, 3
_OPTIMAL, _INFEASIBLE = 0, 2


def solve(problem: WeightProblem, limits: Limits, penalty: float) -> tuple[Integers | None, bool]:
    """The best weights found, if there are any, and whether the solver proved that there are no better ones.

    The variables are the weights, their distances from the desired weights, and the answers to the questions.
    """
    n, n_questions = problem.n_graders, len(problem.excess)
    low, high, may_be_zero = problem.ranges(limits)
    never = low > high
    if (never & ~may_be_zero).any():
        return None, True
    high = np.where(never, 0, high)
    optional = may_be_zero & ~never & (low > 1)
    lowest = np.where(optional | ~may_be_zero, low, 0)
    is_end = np.isin(np.arange(len(problem.mass) - 1), problem.first[1:-1] + np.arange(len(problem.first) - 2))
    answer = _run(
        _SCALE * np.concatenate([np.zeros(n), np.full(n, penalty / WHOLE), -np.diff(problem.mass)[~is_end]]),
        np.concatenate(
            [np.where(optional, _SEMI_INTEGER, _INTEGER), np.full(n, _REAL), np.full(n_questions, _INTEGER)]
        ),
        Bounds(
            np.concatenate([lowest, np.zeros(n + n_questions)]),
            np.concatenate([high, np.full(n, WHOLE), np.ones(n_questions)]),
        ),
        [
            *_rules(problem, n + n_questions),
            *_distances(problem),
            *_answers(problem, np.where(may_be_zero, 0, low), high),
        ],
    )
    weights = _weights(answer, n)
    if weights is None or not problem.admits(weights, limits):
        return None, answer.status == _INFEASIBLE
    return weights, answer.status == _OPTIMAL


def relax(problem: WeightProblem, limits: Limits) -> tuple[Limits, Integers]:
    """Limits that admit weights, and such weights: first a smaller least weight, then the smallest possible shift."""
    smaller = replace(limits, least=min(limits.least, max(1, WHOLE // problem.n_graders)))
    weights = _nearest(problem, smaller.least)
    needed = int(np.abs(weights * PERCENT - problem.desired).max())
    return replace(smaller, shift=max(limits.shift, needed)), weights


def _nearest(problem: WeightProblem, least: int) -> Integers:
    """Weights whose largest difference from a desired weight is as small as can be.

    The variables are the weights, whether they are above zero, and the largest difference.
    """
    n = problem.n_graders
    weight, switch, none, one = eye_array(n), eye_array(n), csr_array((n, n)), np.ones((n, 1))
    target = problem.desired / PERCENT
    answer = _run(
        np.append(np.zeros(2 * n), _SCALE),
        np.append(np.full(2 * n, _INTEGER), _REAL),
        Bounds(np.zeros(2 * n + 1), np.concatenate([np.full(n, WHOLE), np.ones(n), [WHOLE]])),
        [
            *_rules(problem, n + 1),
            LinearConstraint(_beside(weight, none, -one), ub=target),
            LinearConstraint(_beside(weight, none, one), lb=target),
            LinearConstraint(_beside(weight, -least * switch, 0 * one), lb=0),
            LinearConstraint(_beside(weight, -WHOLE * switch, 0 * one), ub=0),
        ],
    )
    weights = _weights(answer, n)
    if weights is None:
        raise RuntimeError(f"no weights were found for {n} graders: {answer.message}")
    return weights


def _rules(problem: WeightProblem, n_others: int) -> Iterator[LinearConstraint]:
    """Weights add up to the whole, and somebody who graded a component counts."""
    yield LinearConstraint(_beside(np.ones((1, problem.n_graders)), csr_array((1, n_others))), WHOLE, WHOLE)
    if len(problem.covers):
        yield LinearConstraint(_beside(problem.covers.astype(float), csr_array((len(problem.covers), n_others))), lb=1)


def _distances(problem: WeightProblem) -> Iterator[LinearConstraint]:
    """A distance is at least the difference between the weight and the desired weight, whatever its sign."""
    one, none = eye_array(problem.n_graders), csr_array((problem.n_graders, len(problem.excess)))
    target = problem.desired / PERCENT
    yield LinearConstraint(_beside(one, -one, none), ub=target)
    yield LinearConstraint(_beside(one, one, none), lb=target)


def _answers(problem: WeightProblem, floor: Integers, high: Integers) -> Iterator[LinearConstraint]:
    """An answer is 1 if the average reaches the cut-point, and 0 if it does not."""
    n_questions, n = problem.excess.shape
    if not n_questions:
        return
    unit = 1 / np.abs(problem.excess).max(axis=1)
    excess = problem.excess * unit[:, None]
    # An average below a cut-point is below it by a whole unit at least; half of it is room for the solver's tolerance.
    below = unit / 2
    top, bottom = _greatest(excess, floor, high), -_greatest(-excess, floor, high)
    none, one = csr_array((n_questions, n)), eye_array(n_questions)
    yield LinearConstraint(_beside(excess, none, one * bottom[:, None]), lb=bottom)
    yield LinearConstraint(_beside(excess, none, one * -(top + below)[:, None]), ub=-below)


def _greatest(excess: Floats, floor: Integers, high: Integers) -> Floats:
    """(questions,): the largest Σ W · excess of weights between floor and high that add up to the whole."""
    order = np.argsort(-excess, axis=1)
    room = np.cumsum((high - floor)[order], axis=1)
    extra = np.diff(np.minimum(room, WHOLE - floor.sum()), axis=1, prepend=0)
    return np.asarray(excess @ floor + (np.take_along_axis(excess, order, axis=1) * extra).sum(axis=1))


def _beside(*blocks: Any) -> Any:
    """One matrix of several that stand side by side."""
    return csr_array(hstack(blocks))


def _run(objective: Floats, kinds: Integers, bounds: Bounds, constraints: list[LinearConstraint]) -> OptimizeResult:
    with quiet():
        return milp(
            objective,
            integrality=kinds,
            bounds=bounds,
            constraints=constraints,
            options={"mip_rel_gap": 0.0, "node_limit": MAX_NODES},
        )


def _weights(answer: OptimizeResult, n: int) -> Integers | None:
    return None if answer.x is None else np.rint(answer.x[:n]).astype(np.int64)
