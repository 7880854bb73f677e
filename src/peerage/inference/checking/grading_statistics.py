"""How a class grades: agreement, straight-lining, halo, severity and drift, each as one number made from all reports.

A report's *deviation* is its difference, on the scale of 0 to 5, from the mean of all reports on that component of that
submission; it has one if somebody else graded that component too. A statistic is NaN where the class has
nothing that it could be made from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_HABITS = "agreement", "same grade throughout", "halo", "severity", "drift"
_SUMS = 6
"""How many sums by grader, by sitting or by level the statistics take."""


@by_reference
class Reviews(NamedTuple):
    """Whose reports these are: reports sorted by review, and a list of them by cell.

    ``sitting`` numbers the pairs of a grader and an assignment.
    """

    review_start: Integers
    grader: NDArray[np.int32]
    sitting: Integers
    component: NDArray[np.int32]
    cell_start: Integers
    cell_reports: Integers
    scaled: Floats

    @classmethod
    def of(cls, layout: Layout) -> Reviews:
        """The reports of a class; ``scaled`` is (components, levels), each grade's value on the model's scale."""
        cell, components = layout.reports.report_cell, layout.book.rubric.components
        scaled = np.zeros((len(components), layout.max_levels))
        for index, component in enumerate(components):
            scaled[index, : component.n_levels] = component.scaled
        grader = layout.reports.review_grader[layout.report_review]
        assignment = np.unique(np.array(layout.book.assignments), return_inverse=True)[1][layout.cell_submission[cell]]
        return cls(
            layout.reports.review_reports,
            grader,
            np.unique(grader * np.int64(len(layout.cell_submission)) + assignment, return_inverse=True)[1],
            layout.report_component,
            np.cumsum(np.bincount(cell + 1, minlength=layout.n_cells + 1)),
            np.argsort(cell, kind="stable"),
            scaled,
        )


def habits(reviews: Reviews, levels: Integers) -> dict[str, float]:
    """All statistics of (reports,) levels.

    A grader's severity is the mean of the grader's deviations, and drift is how far its means by assignment are from
    that. Halo is the correlation of what severity leaves, in units of each grader's own spread, lest the noisiest
    graders decide it.
    """
    values = reviews.scaled[reviews.component, levels]
    found, deviation, rest = np.full(len(_HABITS), np.nan), np.full(len(values), np.nan), np.empty(len(values))
    sums = np.zeros((_SUMS, 1 + max(reviews.grader.max(), reviews.sitting.max(), levels.max())))
    _fill(found, reviews, levels, values, deviation, rest, sums)
    return dict(zip(_HABITS, found.tolist(), strict=True))


def frequencies(reviews: Reviews, levels: Integers) -> Floats:
    """(components, levels): the share of each grade of each component in all grades."""
    n_components, n_levels = reviews.scaled.shape
    counts = np.bincount(reviews.component * n_levels + levels, minlength=n_components * n_levels)
    return np.asarray(counts.reshape(n_components, n_levels) / len(levels))


def spreads(reviews: Reviews, levels: Integers) -> Floats:
    """(graders,): the standard deviation of a grader's grades within a component, NaN without two of one component."""
    n_components = len(reviews.scaled)
    values, group = reviews.scaled[reviews.component, levels], reviews.grader * n_components + reviews.component
    size = int(reviews.grader.max() + 1) * n_components
    counts = np.bincount(group, minlength=size)
    means = np.bincount(group, values, size) / np.maximum(counts, 1)
    squares = np.bincount(group, (values - means[group]) ** 2, size).reshape(-1, n_components).sum(axis=1)
    freedom = np.maximum(counts - 1, 0).reshape(-1, n_components).sum(axis=1)
    return np.asarray(np.sqrt(squares / np.where(freedom > 0, freedom, np.nan)))


@jit
def _fill(
    found: Floats, reviews: Reviews, levels: Integers, values: Floats, deviation: Floats, rest: Floats, sums: Floats
) -> None:
    """Fill in all statistics, in their order, and on the way (reports,) deviations and what severity leaves of them."""
    start, grader = reviews.review_start, reviews.grader
    found[0] = _agreement(reviews.cell_start, reviews.cell_reports, levels, sums[0])
    found[1] = _same_throughout(start, values)
    _fill_deviations(reviews.cell_start, reviews.cell_reports, values, deviation)
    found[3] = _severity(grader, deviation, rest, sums[1], sums[2], sums[3])
    found[2] = _correlation(start, rest)
    found[4] = _drift(grader, reviews.sitting, deviation, sums[1], sums[2], sums[4], sums[5])


@jit
def _agreement(cell_start: Integers, cell_reports: Integers, levels: Integers, seen: Floats) -> float:
    """How often two graders of a cell agree; every cell counts the same, however many graders it has."""
    total, cells = 0.0, 0
    for cell in range(len(cell_start) - 1):
        first, end = cell_start[cell], cell_start[cell + 1]
        if end - first < 2:
            continue
        pairs = 0.0
        for place in range(first, end):
            level = levels[cell_reports[place]]
            pairs += seen[level]
            seen[level] += 1.0
        for place in range(first, end):
            seen[levels[cell_reports[place]]] = 0.0
        total += 2.0 * pairs / ((end - first) * (end - first - 1))
        cells += 1
    return total / cells if cells else math.nan


@jit
def _same_throughout(review_start: Integers, values: Floats) -> float:
    """The share, among reviews of several components, of those whose grades all lie at one place of their scales."""
    same, reviews = 0, 0
    for review in range(len(review_start) - 1):
        first, end = review_start[review], review_start[review + 1]
        if end - first > 1:
            alike = True
            for report in range(first + 1, end):
                alike &= abs(values[report] - values[first]) < 1e-9
            same += alike
            reviews += 1
    return same / reviews if reviews else math.nan


@jit
def _fill_deviations(cell_start: Integers, cell_reports: Integers, values: Floats, deviation: Floats) -> None:
    """Fill in deviations where a cell has several reports."""
    for cell in range(len(cell_start) - 1):
        first, end = cell_start[cell], cell_start[cell + 1]
        mean = 0.0
        for place in range(first, end):
            mean += values[cell_reports[place]] / (end - first)
        for place in range(first, end if end - first > 1 else first):
            deviation[cell_reports[place]] = values[cell_reports[place]] - mean


@jit
def _severity(
    grader: NDArray[np.int32], deviation: Floats, rest: Floats, counts: Floats, totals: Floats, squares: Floats
) -> float:
    """The spread of graders' severities; fills in what these leave, in units of each grader's spread, and the sums."""
    for report in range(len(deviation)):
        if not math.isnan(deviation[report]):
            counts[grader[report]] += 1.0
            totals[grader[report]] += deviation[report]
    for report in range(len(deviation)):
        mine = grader[report]
        rest[report] = deviation[report] - totals[mine] / max(counts[mine], 1.0)
        if not math.isnan(rest[report]):
            squares[mine] += rest[report] ** 2
    for report in range(len(deviation)):
        mine = grader[report]
        if squares[mine] > 0:
            rest[report] /= math.sqrt(squares[mine] / counts[mine])
    number, spread = 0.0, 0.0
    for mine in range(len(counts)):
        number += counts[mine]
        spread += totals[mine] ** 2 / max(counts[mine], 1.0)
    return math.sqrt(spread / number) if number > 0 else math.nan


@jit
def _drift(
    grader: NDArray[np.int32],
    sitting: Integers,
    deviation: Floats,
    counts: Floats,
    totals: Floats,
    counts_there: Floats,
    totals_there: Floats,
) -> float:
    """The spread of graders' mean deviations on an assignment around their mean; NaN if nobody graded in two."""
    for report in range(len(deviation)):
        if not math.isnan(deviation[report]):
            counts_there[sitting[report]] += 1.0
            totals_there[sitting[report]] += deviation[report]
    number, squares = 0.0, 0.0
    for report in range(len(deviation)):
        mine, there = grader[report], sitting[report]
        if 0.0 < counts_there[there] < counts[mine] and not math.isnan(deviation[report]):
            squares += (totals_there[there] / counts_there[there] - totals[mine] / counts[mine]) ** 2
            number += 1.0
    return math.sqrt(squares / number) if number > 0 else math.nan


@jit
def _correlation(review_start: Integers, values: Floats) -> float:
    """The correlation between a review's components of (reports,) values around 0, NaN where a report has none.

    Over a review's n components, the products of all pairs add up to ((Σx)² − Σx²) / 2, and what they would be if all
    components were alike to (n − 1) Σx² / 2.
    """
    products, alike, reviews = 0.0, 0.0, 0
    for review in range(len(review_start) - 1):
        total, squares, size = 0.0, 0.0, 0
        for report in range(review_start[review], review_start[review + 1]):
            if not math.isnan(values[report]):
                total += values[report]
                squares += values[report] ** 2
                size += 1
        if size > 1:
            products += total**2 - squares
            alike += (size - 1) * squares
            reviews += 1
    return math.nan if reviews == 0 else products / alike if alike > 0 else 0.0
