"""What the Gibbs samplers of PG2 to PG5 share: sparse indexes, running means, and a draw from log masses on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.contract import Floats, Solution
from peerage.methods.reports import Indexes, Reports

DRIFTING = 0.5
"""How many standard deviations, in the root mean square, the halves of a run may differ in before it is unfinished.

Halves of 100 independent draws differ by 0.14.
"""


class Links(NamedTuple):
    """Reports by item and by grader, and who wrote what, as offsets and places."""

    item_start: Indexes
    item_rows: Indexes
    grader_start: Indexes
    grader_rows: Indexes
    author_start: Indexes
    author_of: Indexes
    wrote: Indexes


def links(reports: Reports) -> Links:
    """The indexes of a class; ``author_of`` lists, item by item, the graders who wrote it."""
    return Links(
        *_grouped(reports.item, reports.n_items),
        *_grouped(reports.grader, reports.n_graders),
        _starts(reports.written, reports.n_items),
        reports.written_by[np.argsort(reports.written, kind="stable")],
        np.bincount(reports.written_by, minlength=reports.n_graders).astype(np.int64),
    )


def run(
    reports: Reports, sweep: Callable[[], tuple[Floats, Floats, Floats]], sweeps: int, burn_in: float = 0.3
) -> Solution:
    """Means and standard deviations of what sweeps give: true grades, precisions of graders, and biases."""
    discarded = int(burn_in * sweeps)
    kept = sweeps - discarded
    halves, squares = np.zeros((2, reports.n_items)), np.zeros(reports.n_items)
    precision, bias = np.zeros(reports.n_graders), np.zeros(reports.n_graders)
    for number in range(sweeps):
        grade, weight, shift = sweep()
        if number >= discarded:
            halves[2 * (number - discarded) // kept] += grade
            squares += grade**2
            precision += weight
            bias += shift
    first = (kept + 1) // 2
    mean = halves.sum(axis=0) / kept
    sd = np.sqrt(np.maximum(squares / kept - mean**2, 0))
    apart = (halves[0] / first - halves[1] / max(kept - first, 1)) / np.maximum(sd, 1e-9)
    known = reports.per_item > 0
    return Solution(
        np.where(known, mean, np.nan),
        np.where(known, sd, np.nan),
        precision / kept,
        bias / kept,
        converged=bool(np.sqrt(np.mean(apart[known] ** 2)) <= DRIFTING),
        iterations=sweeps,
    )


@jit
def draw_place(log_mass: Floats, rng: np.random.Generator) -> int:
    """A place drawn with probability ∝ exp(log mass)."""
    top = log_mass.max()
    total = 0.0
    for index in range(len(log_mass)):
        total += np.exp(log_mass[index] - top)
    wanted = rng.random() * total
    running = 0.0
    for index in range(len(log_mass)):
        running += np.exp(log_mass[index] - top)
        if running >= wanted:
            return index
    return len(log_mass) - 1


@jit
def own_grades(grade: Floats, reports_links: Links) -> Floats:
    """(graders,) the mean grade of what each wrote; the lowest of all for who wrote nothing, as the authors have it."""
    total = np.zeros(len(reports_links.wrote))
    for item in range(len(grade)):
        for place in range(reports_links.author_start[item], reports_links.author_start[item + 1]):
            total[reports_links.author_of[place]] += grade[item]
    lowest = grade.min()
    for grader in range(len(total)):
        wrote = reports_links.wrote[grader]
        total[grader] = total[grader] / wrote if wrote > 0 else lowest
    return total


def _grouped(owner: Indexes, count: int) -> tuple[Indexes, Indexes]:
    return _starts(owner, count), np.argsort(owner, kind="stable").astype(np.int64)


def _starts(owner: Indexes, count: int) -> Indexes:
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
