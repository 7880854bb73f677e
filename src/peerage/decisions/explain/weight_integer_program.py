"""The paper's mixed-integer program, for submissions with many graders, and the smallest change of limits that helps.

The solver works in floating point with tolerances. Weights are rounded to the whole percents that they are and checked
in whole numbers before they are used, so an answer always obeys the limits and explains its grades exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from peerage.decisions.explain.highs_solver import (
    INTEGER,
    REAL,
    SEMI_INTEGER,
    Constraints,
    ProgramSolution,
    minimise,
)
from peerage.decisions.explain.weight_problem import PERCENT, WHOLE, Floats, Integers, WeightLimits, WeightProblem

_SCALE = 1000.0
"""The solver stops within 1e-6 of the best objective; an objective in thousandths makes that a billionth."""


def solve(problem: WeightProblem, limits: WeightLimits, penalty: float) -> tuple[Integers | None, bool]:
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
    solution = minimise(
        _SCALE * np.concatenate([np.zeros(n), np.full(n, penalty / WHOLE), -np.diff(problem.mass)[~is_end]]),
        np.concatenate([np.where(optional, SEMI_INTEGER, INTEGER), np.full(n, REAL), np.full(n_questions, INTEGER)]),
        np.concatenate([lowest, np.zeros(n + n_questions)]),
        np.concatenate([high, np.full(n, WHOLE), np.ones(n_questions)]),
        [
            *_rules(problem, n + n_questions),
            *_distances(problem),
            *_answers(problem, np.where(may_be_zero, 0, low), high),
        ],
    )
    weights = _weights(solution, n)
    if weights is None:
        return None, solution.proven
    return (weights, solution.proven) if problem.admits(weights, limits) else (None, False)


def relax(problem: WeightProblem, limits: WeightLimits) -> tuple[WeightLimits, Integers]:
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
    solution = minimise(
        np.append(np.zeros(2 * n), _SCALE),
        np.append(np.full(2 * n, INTEGER), REAL),
        np.zeros(2 * n + 1),
        np.concatenate([np.full(n, WHOLE), np.ones(n), [WHOLE]]),
        [
            *_rules(problem, n + 1),
            Constraints(_beside(weight, none, -one), upper=target),
            Constraints(_beside(weight, none, one), lower=target),
            Constraints(_beside(weight, -least * switch, 0 * one), lower=0),
            Constraints(_beside(weight, -WHOLE * switch, 0 * one), upper=0),
        ],
    )
    weights = _weights(solution, n)
    if weights is None:
        raise RuntimeError(f"no weights were found for {n} graders")
    return weights


def _rules(problem: WeightProblem, n_others: int) -> Iterator[Constraints]:
    """Weights add up to the whole, and somebody who graded a component counts."""
    yield Constraints(_beside(np.ones((1, problem.n_graders)), csr_array((1, n_others))), WHOLE, WHOLE)
    if len(problem.covers):
        yield Constraints(_beside(problem.covers.astype(float), csr_array((len(problem.covers), n_others))), lower=1)


def _distances(problem: WeightProblem) -> Iterator[Constraints]:
    """A distance is at least the difference between the weight and the desired weight, whatever its sign."""
    one, none = eye_array(problem.n_graders), csr_array((problem.n_graders, len(problem.excess)))
    target = problem.desired / PERCENT
    yield Constraints(_beside(one, -one, none), upper=target)
    yield Constraints(_beside(one, one, none), lower=target)


def _answers(problem: WeightProblem, floor: Integers, high: Integers) -> Iterator[Constraints]:
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
    yield Constraints(_beside(excess, none, one * bottom[:, None]), lower=bottom)
    yield Constraints(_beside(excess, none, one * -(top + below)[:, None]), upper=-below)


def _greatest(excess: Floats, floor: Integers, high: Integers) -> Floats:
    """(questions,): the largest Σ W · excess of weights between floor and high that add up to the whole."""
    order = np.argsort(-excess, axis=1)
    room = np.cumsum((high - floor)[order], axis=1)
    extra = np.diff(np.minimum(room, WHOLE - floor.sum()), axis=1, prepend=0)
    return np.asarray(excess @ floor + (np.take_along_axis(excess, order, axis=1) * extra).sum(axis=1))


def _beside(*blocks: Any) -> Any:
    """One matrix of several that stand side by side."""
    return csr_array(hstack(blocks))


def _weights(solution: ProgramSolution, n: int) -> Integers | None:
    return None if solution.values is None else np.rint(solution.values[:n]).astype(np.int64)
