"""Weights whose averages come as near as they can to the expected grades.

An average that is not rounded to a legal grade can follow the expected grade closely: that nearly always lies between
the lowest and the highest report. One vector of whole percents serves all components of a submission. It minimises

    mean over components of (average − expected grade)² + penalty · share of the weight that moved,

on the model's scale of 0 to 5, where the share that moved is half the sum of |weight − desired weight|. Percents are
moved from one report to another, the best move first, in steps from 32 down to 1, until no move helps. Every component
keeps at least one report that counts, so there is always an answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.explain.weight_problem import MILLION, WHOLE, Floats, Integers
from peerage.inference.numerics.jit import jit

_STEPS = np.array([32, 16, 8, 4, 2, 1])
_GAIN = 1e-12
"""What a move has to gain at least, so that rounding errors do not move percents to and fro."""


def nearest_weights(values: Floats, expected: Floats, desired: Integers, penalty: float) -> Integers:
    """Whole percents for the reports of a submission.

    Parameters
    ----------
    values: (reports, components) on the model's scale, NaN where a component was not graded; each was by somebody
    expected: (components,) the expected grades on the same scale
    desired: (reports,) desired weights in millionths
    penalty: what it costs to move all of the weight
    """
    graded = ~np.isnan(values)
    reports = _Reports(np.where(graded, values, 0.0), graded, expected, np.asarray(desired * (WHOLE / MILLION), float))
    weights = _everybody_heard(_whole_percents(reports.wanted), graded)
    return np.asarray(_settle(weights, reports, penalty))


class _Reports(NamedTuple):
    """What is averaged: (reports, components) values, zero where there is none, and the percents that are wanted."""

    values: Floats
    graded: NDArray[np.bool_]
    expected: Floats
    wanted: Floats


def _whole_percents(wanted: Floats) -> Integers:
    """Percents rounded such that they add up to 100: those that lose most by rounding down are rounded up."""
    weights = np.floor(wanted).astype(np.int64)
    missing = WHOLE - int(weights.sum())
    weights[np.argsort(weights - wanted, kind="stable")[:missing]] += 1
    return weights


def _everybody_heard(weights: Integers, graded: NDArray[np.bool_]) -> Integers:
    """The weights, with a percent taken from the heaviest for each component that nobody who counts has graded."""
    for column in graded.T:
        if not weights[column].any():
            weights[weights.argmax()] -= 1
            weights[column.argmax()] += 1
    return weights


@jit(makes_arrays=True)
def _settle(weights: Integers, reports: _Reports, penalty: float) -> Integers:
    """Minimise the sum above by moving percents, the best move first, while that helps.

    The weight and the weighted sum of each component are kept up to date, so that what a move does is known without
    going through all reports.
    """
    n_reports, n_components = reports.values.shape
    total, weighted = np.zeros(n_components), np.zeros(n_components)
    for report in range(n_reports):
        for component in range(n_components):
            total[component] += weights[report] * reports.graded[report, component]
            weighted[component] += weights[report] * reports.values[report, component]
    for step in _STEPS:
        while True:
            best, giver, taker = -_GAIN, -1, -1
            for one in range(n_reports):
                if weights[one] < step:
                    continue
                for other in range(n_reports):
                    change = _distance_change(one, other, step, reports, total, weighted)
                    change += penalty * _share_change(one, other, step, reports.wanted, weights)
                    if change < best:
                        best, giver, taker = change, one, other
            if giver < 0:
                break
            weights[giver] -= step
            weights[taker] += step
            for component in range(n_components):
                total[component] += step * _more(reports.graded, giver, taker, component)
                weighted[component] += step * (reports.values[taker, component] - reports.values[giver, component])
    return weights


@jit
def _more(graded: NDArray[np.bool_], giver: int, taker: int, component: int) -> int:
    """How many more graders of a component are heard, 1, 0 or -1, if weight moves from one to another."""
    return int(graded[taker, component]) - int(graded[giver, component])


@jit
def _share_change(giver: int, taker: int, step: int, wanted: Floats, weights: Integers) -> float:
    """What a move does to the share of the weight that moved."""
    given, taken = weights[giver] - wanted[giver], weights[taker] - wanted[taker]
    return float(abs(given - step) - abs(given) + abs(taken + step) - abs(taken)) / (2 * WHOLE)


@jit
def _distance_change(giver: int, taker: int, step: int, reports: _Reports, total: Floats, weighted: Floats) -> float:
    """What a move does to the mean squared distance from the expected grades; infinite if it silences a component."""
    change = 0.0
    n_components = len(reports.expected)
    for component in range(n_components):
        heard = total[component] + step * _more(reports.graded, giver, taker, component)
        if heard < 0.5:
            return np.inf
        moved = step * (reports.values[taker, component] - reports.values[giver, component])
        after = (weighted[component] + moved) / heard - reports.expected[component]
        before = weighted[component] / total[component] - reports.expected[component]
        change += after**2 - before**2
    return change / n_components
