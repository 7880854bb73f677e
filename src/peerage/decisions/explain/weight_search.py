"""The best weights of a few graders, found by looking at all that could be best.

A depth-first search gives the graders weights one after the other, the nearest to the desired weight first. It leaves
out whatever cannot beat the best weights found so far: even if each component's average could be moved on its own, by
the weights that are still to be given, to the most probable grade within its reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.explain.weight_problem import (
    MILLION,
    PERCENT,
    WHOLE,
    Floats,
    Integers,
    WeightLimits,
    WeightProblem,
)
from peerage.inference.numerics.jit import jit, needs_compilation

EFFORT = 20_000_000
"""How many products a search may take, in round numbers, before it is given up."""

_TIE = 1e-12


class _Tree(NamedTuple):
    """What the search walks through, as arrays.

    choices, costs: (graders, choices) possible weights and their distances from the desired one, the nearest first
    n_choices: (graders,) how many there are
    floor, ceiling: (graders,) the lowest and the highest
    least, most, wanted: (graders + 1,) the sums of floors, of ceilings and of desired weights from a grader on
    excess, first, mass, covers: as in the problem
    ascending: (questions, graders) graders by their excess
    """

    choices: Integers
    costs: Integers
    n_choices: Integers
    floor: Integers
    ceiling: Integers
    least: Integers
    most: Integers
    wanted: Integers
    excess: Integers
    first: Integers
    mass: Floats
    covers: NDArray[np.bool_]
    ascending: NDArray[np.intp]


def search(problem: WeightProblem, limits: WeightLimits, penalty: float) -> tuple[Integers | None, bool]:
    """The best weights found, if there are any, and whether the search was finished, so that they are the best."""
    # Those who matter most come first: their weights decide most.
    order = np.argsort(-problem.desired, kind="stable")
    tree = _plant(problem, limits, order)
    if not tree.n_choices.all():
        return None, True
    nodes = EFFORT // (problem.n_graders * (1 + len(problem.excess)))
    found, weights, finished = _walk(tree, penalty / MILLION, nodes)
    return (weights[np.argsort(order)] if found else None), finished


def must_compile() -> bool:
    """Whether the first search will take some seconds to be compiled."""
    return needs_compilation(_walk)


def _plant(problem: WeightProblem, limits: WeightLimits, order: NDArray[np.intp]) -> _Tree:
    """The tree of a problem whose graders come in some order."""
    desired, excess = problem.desired[order], np.ascontiguousarray(problem.excess[:, order])
    low, high, may_be_zero = (limit[order, None] for limit in problem.ranges(limits))
    weight = np.arange(WHOLE + 1)
    possible = ((low <= weight) & (weight <= high)) | ((weight == 0) & (may_be_zero != 0))
    costs = np.abs(weight * PERCENT - desired[:, None])
    choices = np.argsort(np.where(possible, costs, 2 * MILLION), axis=1, kind="stable")
    floor, ceiling = possible.argmax(axis=1), WHOLE - possible[:, ::-1].argmax(axis=1)
    least, most, wanted = (np.append(np.cumsum(part[::-1])[::-1], 0) for part in (floor, ceiling, desired))
    return _Tree(
        choices,
        np.take_along_axis(costs, choices, axis=1),
        possible.sum(axis=1),
        floor,
        ceiling,
        least,
        most,
        wanted,
        excess,
        problem.first,
        problem.mass,
        np.ascontiguousarray(problem.covers[:, order]),
        np.argsort(excess, axis=1, kind="stable"),
    )


@jit(makes_arrays=True)
def _walk(tree: _Tree, price: float, max_nodes: int) -> tuple[bool, Integers, bool]:
    """Whether weights were found, the best of them, and whether the walk came to its end.

    ``price`` is the penalty of a millionth. Row v of an array is about the weights before grader v.
    """
    n, n_questions, n_components = len(tree.n_choices), len(tree.excess), len(tree.first) - 1
    sums = np.zeros((n + 1, n_questions), np.int64)
    lower, upper = np.zeros((n + 1, n_components), np.int64), np.zeros((n + 1, n_components), np.int64)
    for c in range(n_components):
        upper[0, c] = tree.first[c + 1] - tree.first[c]
    rest, cost, bound = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.full(n + 1, np.inf)
    position, weights, best_weights = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    rest[0] = WHOLE
    best, found, nodes, v = -np.inf, False, 0, 0
    while v >= 0:
        if position[v] == tree.n_choices[v]:
            v -= 1
            continue
        weight, spent = tree.choices[v, position[v]], cost[v] + tree.costs[v, position[v]]
        position[v] += 1
        if bound[v] - price * spent <= best + _TIE:
            # The choices that follow cost more still.
            position[v] = tree.n_choices[v]
            continue
        left = rest[v] - weight
        if left < tree.least[v + 1] or left > tree.most[v + 1]:
            continue
        to_spend = price * (spent + abs(left * PERCENT - tree.wanted[v + 1]))
        if bound[v] - to_spend <= best + _TIE:
            continue
        nodes += 1
        if nodes > max_nodes:
            return found, best_weights, False
        weights[v] = weight
        for q in range(n_questions):
            sums[v + 1, q] = sums[v, q] + weight * tree.excess[q, v]
        for c in range(n_components):
            lower[v + 1, c], upper[v + 1, c] = lower[v, c], upper[v, c]
        bound[v + 1] = _within_reach(tree, sums[v + 1], v + 1, left - tree.least[v + 1], lower[v + 1], upper[v + 1])
        if bound[v + 1] - to_spend <= best + _TIE:
            continue
        if v + 1 < n:
            v += 1
            rest[v], cost[v], position[v] = left, spent, 0
        elif _all_covered(tree.covers, weights):
            best, found = bound[n] - to_spend, True
            for grader in range(n):
                best_weights[grader] = weights[grader]
    return found, best_weights, True


@jit
def _within_reach(tree: _Tree, sums: Integers, begin: int, spare: int, lower: Integers, upper: Integers) -> float:
    """Narrow down the levels that each component can still reach, and add up the highest probabilities among them."""
    total = 0.0
    for c in range(len(tree.first) - 1):
        start = tree.first[c]
        while upper[c] > lower[c]:
            q = start + upper[c] - 1
            if sums[q] + _extreme(tree, q, begin, spare, True) >= 0:
                break
            upper[c] -= 1
        while upper[c] > lower[c]:
            q = start + lower[c]
            if sums[q] + _extreme(tree, q, begin, spare, False) < 0:
                break
            lower[c] += 1
        highest = 0.0
        for level in range(lower[c], upper[c] + 1):
            highest = max(highest, tree.mass[start + c + level])
        total += highest
    return total


@jit
def _extreme(tree: _Tree, q: int, begin: int, spare: int, largest: bool) -> int:
    """The largest or smallest sum to which the graders from ``begin`` on can add, ``spare`` above their floors."""
    total, n = 0, len(tree.floor)
    for i in range(n):
        v = tree.ascending[q, n - 1 - i] if largest else tree.ascending[q, i]
        if v >= begin:
            extra = min(spare, tree.ceiling[v] - tree.floor[v])
            total += (tree.floor[v] + extra) * tree.excess[q, v]
            spare -= extra
    return total


@jit
def _all_covered(covers: NDArray[np.bool_], weights: Integers) -> bool:
    """Whether each component that some did not grade was graded by somebody who has weight."""
    uncovered = 0
    for i in range(len(covers)):
        share = 0
        for v in range(len(weights)):
            share += weights[v] * covers[i, v]
        uncovered += share == 0
    return uncovered == 0
