"""How a class grades: agreement, straight-lining, halo, severity and drift, each as one number made from all reports.

A report's *deviation* is its difference, on the scale of 0 to 5, from the mean of all reports on that component of that
submission; it has one if somebody else graded that component too. A statistic is NaN where the class has
nothing that it could be made from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.numerics.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
    deviation = _deviations(reviews.cell_start, reviews.cell_reports, values)
    severity, rest = _severity_and_rest(reviews.grader, deviation)
    return {
        "agreement": _agreement(reviews.cell_start, reviews.cell_reports, levels),
        "same grade throughout": _same_throughout(reviews.review_start, values),
        "halo": _correlation(reviews.review_start, rest),
        "severity": severity,
        "drift": _drift(reviews.grader, reviews.sitting, deviation),
    }


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


@jit(makes_arrays=True)
def _agreement(cell_start: Integers, cell_reports: Integers, levels: Integers) -> float:
    """How often two graders of a cell agree; every cell counts the same, however many graders it has."""
    seen = np.zeros(levels.max() + 1, np.int64)
    total, cells = 0.0, 0
    for cell in range(len(cell_start) - 1):
        reports = cell_reports[cell_start[cell] : cell_start[cell + 1]]
        if len(reports) < 2:
            continue
        pairs = 0
        for report in reports:
            pairs += seen[levels[report]]
            seen[levels[report]] += 1
        for report in reports:
            seen[levels[report]] = 0
        total += 2.0 * pairs / (len(reports) * (len(reports) - 1))
        cells += 1
    return total / cells if cells else np.nan


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
    return same / reviews if reviews else np.nan


@jit(makes_arrays=True)
def _deviations(cell_start: Integers, cell_reports: Integers, values: Floats) -> Floats:
    """(reports,) deviations, NaN where a cell has one report."""
    out = np.full(len(values), np.nan)
    for cell in range(len(cell_start) - 1):
        reports = cell_reports[cell_start[cell] : cell_start[cell + 1]]
        if len(reports) > 1:
            mean = 0.0
            for report in reports:
                mean += values[report] / len(reports)
            for report in reports:
                out[report] = values[report] - mean
    return out


@jit(makes_arrays=True)
def _severity_and_rest(grader: NDArray[np.int32], deviation: Floats) -> tuple[float, Floats]:
    """The spread of graders' severities, and (reports,) what these leave, in units of each grader's spread."""
    counts, sums, squares = np.zeros((3, grader.max() + 1))
    for report, value in enumerate(deviation):
        if not np.isnan(value):
            counts[grader[report]] += 1
            sums[grader[report]] += value
    severity = sums / np.maximum(counts, 1.0)
    rest = deviation - severity[grader]
    for report, value in enumerate(rest):
        if not np.isnan(value):
            squares[grader[report]] += value**2
    spread = np.sqrt(squares / np.maximum(counts, 1.0))
    for report in range(len(rest)):
        if spread[grader[report]] > 0:
            rest[report] /= spread[grader[report]]
    total = counts.sum()
    return np.sqrt(np.sum(counts * severity**2) / total) if total > 0 else np.nan, rest


@jit(makes_arrays=True)
def _drift(grader: NDArray[np.int32], sitting: Integers, deviation: Floats) -> float:
    """The spread of graders' mean deviations on an assignment around their mean; NaN if nobody graded in two."""
    counts, sums = np.zeros(grader.max() + 1), np.zeros(grader.max() + 1)
    counts_there, sums_there, whose = (
        np.zeros(sitting.max() + 1),
        np.zeros(sitting.max() + 1),
        np.zeros(sitting.max() + 1),
    )
    for report, value in enumerate(deviation):
        if not np.isnan(value):
            counts[grader[report]] += 1
            sums[grader[report]] += value
            counts_there[sitting[report]] += 1
            sums_there[sitting[report]] += value
            whose[sitting[report]] = grader[report]
    total, squares = 0.0, 0.0
    for place in range(len(counts_there)):
        mine = int(whose[place])
        if 0 < counts_there[place] < counts[mine]:
            squares += counts_there[place] * (sums_there[place] / counts_there[place] - sums[mine] / counts[mine]) ** 2
            total += counts_there[place]
    return np.sqrt(squares / total) if total > 0 else np.nan


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
            if not np.isnan(values[report]):
                total += values[report]
                squares += values[report] ** 2
                size += 1
        if size > 1:
            products += total**2 - squares
            alike += (size - 1) * squares
            reviews += 1
    return np.nan if reviews == 0 else products / alike if alike > 0 else 0.0
