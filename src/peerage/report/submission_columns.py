"""The submissions as compact columns, from which the page's script builds the table and whatever is opened."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, ROLE_WORDS, ROLES
from peerage.report.report_source import Floats, ReportSource
from peerage.report.totals_before_after import TotalsBeforeAfter
from peerage.results.schema import CHECKS, EXPLANATIONS, WEIGHTS
from peerage.rubric import Component, tidy

BARS = 25
"""A component with more grades than this is shown in so many bars, each for several neighbouring grades."""

LISTED = 10_000
"""How many submissions a page lists at most: a browser has to hold them all."""

_PARTS = re.compile(r"(?<=[.;]) ")

Indexes = NDArray[np.intp]


@dataclass(frozen=True)
class SubmissionData:
    """What the page knows about submissions. A list holds one entry for each submission, cell or review.

    Attributes
    ----------
    components: for each component its name and the labels of its bars
    assignments, graders: names, to which others refer by index; graders with their roles
    parts: the distinct parts of all sentences
    submissions: ``id``, ``assignment``, ``authors``, ``before``, ``after``, ``lower``, ``upper``, ``certainty``, and
        where its rows end among the cells and the reviews (``cells``, ``reviews``)
    cells: for each submission's components ``component``, ``grade``, ``expected``, ``lower``, ``upper``, ``before``,
        ``bar`` (that of the grade), ``mass`` (the bars' probabilities in percent) and ``sentence`` (indexes of parts)
    reviews: ``grader``, ``grades`` (in the order of the components), and, in percent, ``effort`` and, if grades are
        explained, ``weight`` and ``deserved``; the one that counts most comes first; where there are comments,
        ``comment`` and ``flag``, whom it names
    """

    components: list[dict[str, Any]]
    assignments: list[str]
    graders: list[tuple[str, str]]
    parts: list[str]
    submissions: dict[str, list[Any]]
    cells: dict[str, list[Any]]
    reviews: dict[str, list[Any]]


def listed_submissions(source: ReportSource, marks: TotalsBeforeAfter) -> Indexes:
    """The submissions that the page lists: all, or those to check, those that changed most and the least certain."""
    names = source.book.submissions
    if len(names) <= LISTED:
        return np.arange(len(names))
    checked = source.table(CHECKS)
    to_check = set() if checked is None else set(checked["submission"])
    first = [index for index, name in enumerate(names) if name in to_check]
    change = np.nan_to_num(np.abs(marks.after - marks.before))
    most_changed, least_certain = np.argsort(-change, kind="stable"), np.argsort(_certainty(source), kind="stable")
    order = dict.fromkeys([*first, *most_changed[: LISTED // 2].tolist(), *least_certain.tolist()])
    return np.sort(np.array(list(order)[: max(LISTED, len(first))], dtype=np.intp))


def submission_data(source: ReportSource, marks: TotalsBeforeAfter, listed: Indexes) -> SubmissionData:
    """The columns for some submissions of a fit."""
    book = source.book
    assignments = list(dict.fromkeys(filter(None, book.assignments)))
    place = {name: index for index, name in enumerate(assignments)}
    cells = np.flatnonzero(np.isin(source.cell_submission, listed))
    cells_end = np.searchsorted(source.cell_submission[cells], listed, side="right")
    parts, sentences = _factored(source, cells)
    reviews, reviews_end = _reviews(source, listed)
    return SubmissionData(
        components=[{"name": entry.name, "bars": _labels(entry)} for entry in book.rubric.components],
        assignments=assignments,
        graders=[(name, ROLE_WORDS[ROLES[role]]) for name, role in zip(book.graders, book.roles, strict=True)],
        parts=parts,
        submissions={
            "id": [book.submissions[index] for index in listed],
            "assignment": [place.get(book.assignments[index]) for index in listed],
            "authors": [list(book.authors[index]) for index in listed],
            "before": _short(marks.before[listed]),
            "after": _short(marks.after[listed]),
            "lower": _short(marks.lower[listed]),
            "upper": _short(marks.upper[listed]),
            "certainty": _percents(_certainty(source)[listed]),
            "cells": cells_end.tolist(),
            "reviews": reviews_end.tolist(),
        },
        cells=_cells(source, cells) | {"sentence": sentences},
        reviews=reviews,
    )


def _certainty(source: ReportSource) -> Floats:
    """(submissions,) the mean probability of the components' most likely grades."""
    sums = np.bincount(source.cell_submission, source.cells["confidence"].to_numpy(float))
    return np.asarray(sums / np.bincount(source.cell_submission))


def bars_of(component: Component) -> NDArray[np.intp]:
    """(levels,) the bar that each grade belongs to."""
    count = min(component.n_levels, BARS)
    return np.arange(component.n_levels) * count // component.n_levels


def _labels(component: Component) -> list[str]:
    bars = bars_of(component)
    ends = [(component.grades[inside[0]], component.grades[inside[-1]]) for inside in _groups(bars)]
    return [f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in ends]


def _groups(bars: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    return [np.flatnonzero(bars == bar) for bar in range(bars[-1] + 1)]


def _cells(source: ReportSource, places: Indexes) -> dict[str, list[Any]]:
    cells, components = source.cells.iloc[places], source.book.rubric.components
    component_of = source.cell_component[places]
    mass: list[list[int]] = [[]] * len(cells)
    bar = np.zeros(len(cells), np.intp)
    for index, component in enumerate(components):
        mine = np.flatnonzero(component_of == index)
        bars = bars_of(component)
        bar[mine] = bars[component.level_of(cells["grade"].to_numpy(float)[mine])]
        levels = source.posterior.level_masses[places[mine], : component.n_levels].astype(float)
        summed = np.stack([levels[:, inside].sum(axis=1) for inside in _groups(bars)], axis=1)
        for cell, row in zip(mine, np.rint(100 * summed).astype(int).tolist(), strict=True):
            mass[cell] = row
    return {
        "component": component_of.tolist(),
        "grade": [tidy(grade) for grade in cells["grade"]],
        "expected": _short(cells["expected"].to_numpy(float)),
        "lower": _short(cells["lower"].to_numpy(float)),
        "upper": _short(cells["upper"].to_numpy(float)),
        "before": _short(cells["peer_mean"].to_numpy(float)),
        "bar": bar.tolist(),
        "mass": mass,
    }


def _reviews(source: ReportSource, listed: Indexes) -> tuple[dict[str, list[Any]], Indexes]:
    """The columns of all reviews of some submissions that hold a grade, and where each submission's end."""
    book = source.book
    held = np.flatnonzero((book.levels != MISSING).any(axis=1) & np.isin(book.review_submission, listed))
    columns = {"effort": source.posterior.reviews()["effort_probability"].to_numpy(float)[held]}
    weights = source.table(WEIGHTS)
    if weights is not None:
        reviews = zip(book.review_submission[held], book.review_grader[held], strict=True)
        pairs = [(book.submissions[submission], book.graders[grader]) for submission, grader in reviews]
        rows = [source.weight_rows.get(pair, -1) for pair in pairs]
        for name, column in (("weight", "weight"), ("deserved", "desired_weight")):
            columns[name] = np.append(weights[column].to_numpy(float), 0.0)[rows]
    first = -columns["weight"] if "weight" in columns else np.zeros(len(held))
    order = np.lexsort((book.review_grader[held], first, book.review_submission[held]))
    held = held[order]
    ends = np.searchsorted(book.review_submission[held], listed, side="right")
    shown = [dict(enumerate(map(tidy, component.grades))) for component in book.rubric.components]
    grades = [[names.get(level) for names, level in zip(shown, row, strict=True)] for row in book.levels[held].tolist()]
    named: dict[str, list[Any]] = {"grader": book.review_grader[held].tolist(), "grades": grades}
    if book.comments:
        named["comment"] = list(book.comments_of(held))
        named["flag"] = [source.named[review].words for review in held]
    return named | {name: _percents(values[order]) for name, values in columns.items()}, ends


def _factored(source: ReportSource, cells: Indexes) -> tuple[list[str], list[list[int]]]:
    """The sentences' distinct parts, the commonest first, and each sentence as indexes of its parts.

    Sentences are most of what there is to tell, and much of each is found in others.
    """
    table = source.table(EXPLANATIONS)
    sentences: Iterable[str] = [] if table is None else table["sentence"].iloc[cells].tolist()
    split = [_PARTS.split(sentence) for sentence in sentences]
    common = Counter(part for parts in split for part in parts).most_common()
    place = {part: index for index, (part, _) in enumerate(common)}
    return list(place), [[place[part] for part in parts] for parts in split]


def _short(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else tidy(round(value, 2)) for value in values.tolist()]


def _percents(values: Floats) -> list[int]:
    return [int(value) for value in np.rint(100 * values)]
