"""The best weights of a few graders, found by looking at all that could be best.

A depth-first search gives the graders weights one after the other, the nearest to the desired weight first. It leaves
out whatever cannot beat the best weights found so far: even if each component's average could be moved on its own, by
the weights that are still to be given, to the most probable grade within its reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.problem import MILLION, PERCENT, WHOLE, Integers, Limits, WeightProblem
from peerage.inference.jit import jit

EFFORT = 20_000_000
"""How many products a search may take, in round numbers, before it is given up."""

_TIE = 1e-12


def search(problem: WeightProblem, limits: Limits, penalty: float) -> tuple[Integers | None, bool]:
    """The best weights found, if there are any, and whether the search was finished, so that they are the best."""
    # Those who matter most come first: their weights decide most.
    order = np.argsort(-problem.desired, kind="stable")
    low, high, may_be_zero = problem.ranges(limits)
    excess = np.ascontiguousarray(problem.excess[:, order])
    nodes = EFFORT // (problem.n_graders * (1 + len(excess)))
    found, weights, finished = _search(
        problem.desired[order],
        low[order],
        high[order],
        may_be_zero[order],
        excess,
        np.argsort(excess, axis=1),
        problem.first,
        problem.mass,
        np.ascontiguousarray(problem.covers[:, order]),
        penalty / MILLION,
        nodes,
    )
    if not found:
        return None, finished
    restored = np.empty_like(weights)
    restored[order] = weights
    return restored, finished


@jit
def _search(
    desired: Integers,
    low: Integers,
    high: Integers,
    may_be_zero: NDArray[np.bool_],
    excess: Integers,
    ascending: NDArray[np.intp],
    first: Integers,
    mass: NDArray[np.float64],
    covers: NDArray[np.bool_],
    price: float,
    max_nodes: int,
) -> tuple[bool, Integers, bool]:
    n, n_questions, n_components = len(desired), len(excess), len(first) - 1
    choices, costs, n_choices = _choices(desired, low, high, may_be_zero)
    # The least and the most that the graders from here on can take, and what is desired for them.
    least, most, wanted = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    floor, ceiling = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for v in range(n - 1, -1, -1):
        if n_choices[v] == 0:
            return False, desired, True
        floor[v], ceiling[v] = choices[v, : n_choices[v]].min(), choices[v, : n_choices[v]].max()
        least[v], most[v], wanted[v] = least[v + 1] + floor[v], most[v + 1] + ceiling[v], wanted[v + 1] + desired[v]

    sums = np.zeros((n + 1, n_questions), np.int64)
    lower, upper = np.zeros((n + 1, n_components), np.int64), np.zeros((n + 1, n_components), np.int64)
    for c in range(n_components):
        upper[0, c] = first[c + 1] - first[c]
    rest, cost, bound = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.full(n + 1, np.inf)
    position, weights, best_weights = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    rest[0] = WHOLE
    best, found, nodes, v = -np.inf, False, 0, 0
    while v >= 0:
        if position[v] == n_choices[v]:
            v -= 1
            continue
        weight, spent = choices[v, position[v]], cost[v] + costs[v, position[v]]
        position[v] += 1
        if bound[v] - price * spent <= best + _TIE:
            # The choices that follow cost more still.
            position[v] = n_choices[v]
            continue
        left = rest[v] - weight
        if left < least[v + 1] or left > most[v + 1]:
            continue
        to_spend = price * (spent + abs(left * PERCENT - wanted[v + 1]))
        if bound[v] - to_spend <= best + _TIE:
            continue
        nodes += 1
        if nodes > max_nodes:
            return found, best_weights, False
        weights[v] = weight
        for q in range(n_questions):
            sums[v + 1, q] = sums[v, q] + weight * excess[q, v]
        bound[v + 1] = 0.0
        spare = left - least[v + 1]
        for c in range(n_components):
            start, low_level, high_level = first[c], lower[v, c], upper[v, c]
            while high_level > low_level:
                q = start + high_level - 1
                if sums[v + 1, q] + _extreme(excess[q], ascending[q], floor, ceiling, v + 1, spare, True) >= 0:
                    break
                high_level -= 1
            while low_level < high_level:
                q = start + low_level
                if sums[v + 1, q] + _extreme(excess[q], ascending[q], floor, ceiling, v + 1, spare, False) < 0:
                    break
                low_level += 1
            lower[v + 1, c], upper[v + 1, c] = low_level, high_level
            bound[v + 1] += mass[start + c + low_level : start + c + high_level + 1].max()
        if bound[v + 1] - to_spend <= best + _TIE:
            continue
        if v + 1 < n:
            v += 1
            rest[v], cost[v], position[v] = left, spent, 0
        elif _all_covered(covers, weights):
            best, found = bound[n] - to_spend, True
            best_weights[:] = weights
    return found, best_weights, True


@jit
def _choices(
    desired: Integers, low: Integers, high: Integers, may_be_zero: NDArray[np.bool_]
) -> tuple[Integers, Integers, Integers]:
    """Each grader's possible weights, the nearest to the desired one first, their distances, and how many."""
    n = len(desired)
    choices, costs = np.zeros((n, WHOLE + 1), np.int64), np.zeros((n, WHOLE + 1), np.int64)
    counts = np.zeros(n, np.int64)
    for v in range(n):
        count = 0
        for weight in range(WHOLE + 1):
            if low[v] <= weight <= high[v] or (weight == 0 and may_be_zero[v]):
                choices[v, count] = weight
                count += 1
        distance = np.abs(choices[v, :count] * PERCENT - desired[v])
        nearest = np.argsort(distance)
        choices[v, :count] = choices[v, :count][nearest]
        costs[v, :count] = distance[nearest]
        counts[v] = count
    return choices, costs, counts


@jit
def _extreme(
    excess: Integers,
    ascending: NDArray[np.intp],
    floor: Integers,
    ceiling: Integers,
    begin: int,
    spare: int,
    largest: bool,
) -> int:
    """The largest or smallest sum to which the graders from ``begin`` on can add, ``spare`` above their floors."""
    total, n = 0, len(excess)
    for i in range(n):
        v = ascending[n - 1 - i] if largest else ascending[i]
        if v >= begin:
            extra = min(spare, ceiling[v] - floor[v])
            total += (floor[v] + extra) * excess[v]
            spare -= extra
    return total


@jit
def _all_covered(covers: NDArray[np.bool_], weights: Integers) -> bool:
    uncovered = 0
    for i in range(len(covers)):
        uncovered += not np.any(covers[i] & (weights > 0))
    return uncovered == 0
