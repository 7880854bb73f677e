"""What the Gibbs samplers of PG2 to PG5 share: sparse indexes, running means, and draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from peerage.inference.numerics.arrays import starts_of
from peerage.inference.numerics.jit import jit
from peerage.methods.item_reports import Indexes, ItemReports
from peerage.methods.method_contract import Floats, Solution

DRIFTING = 0.5
"""How many standard deviations, in the root mean square, the halves of a run may differ in before it is unfinished.

Halves of 100 independent draws differ by 0.14.
"""


class LinkedReports(NamedTuple):
    """Who reported what about which item, also by item and by grader, and who wrote what, as offsets and places."""

    item: Indexes
    grader: Indexes
    value: Floats
    item_start: Indexes
    item_rows: Indexes
    grader_start: Indexes
    grader_rows: Indexes
    author_start: Indexes
    author_of: Indexes
    wrote: Indexes


def linked(reports: ItemReports) -> LinkedReports:
    """The reports of a class as kernels see them; ``author_of`` lists, item by item, the graders who wrote it."""
    return LinkedReports(
        reports.item,
        reports.grader,
        reports.value,
        *_grouped(reports.item, reports.n_items),
        *_grouped(reports.grader, reports.n_graders),
        starts_of(reports.written, reports.n_items),
        reports.written_by[np.argsort(reports.written, kind="stable")],
        np.bincount(reports.written_by, minlength=reports.n_graders).astype(np.int64),
    )


def run(
    reports: ItemReports, sweep: Callable[[], tuple[Floats, Floats, Floats]], sweeps: int, burn_in: float = 0.3
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


@jit(makes_arrays=True)
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


@jit(makes_arrays=True)
def own_grades(grade: Floats, reports: LinkedReports) -> Floats:
    """(graders,) the mean grade of what each wrote; the lowest of all for who wrote nothing, as the authors have it."""
    total = np.zeros(len(reports.wrote))
    for item in range(len(grade)):
        for place in range(reports.author_start[item], reports.author_start[item + 1]):
            total[reports.author_of[place]] += grade[item]
    lowest = grade.min()
    for grader in range(len(total)):
        wrote = reports.wrote[grader]
        total[grader] = total[grader] / wrote if wrote > 0 else lowest
    return total


@jit
def evidence(
    item: int, reports: LinkedReports, precision: Floats, bias: Floats, prior: float, centre: float
) -> tuple[float, float]:
    """What prior and reports say of an item's true grade: the precision, and precision times mean."""
    weight, total = prior, prior * centre
    for place in range(reports.item_start[item], reports.item_start[item + 1]):
        row = reports.item_rows[place]
        who = reports.grader[row]
        weight += precision[who]
        total += precision[who] * (reports.value[row] - bias[who])
    return weight, total


@jit
def put_normal(weight: float, total: float, grid: Floats, log_mass: Floats) -> None:
    """Fill ``log_mass`` with a normal density's on a grid, up to a constant."""
    for point in range(len(grid)):
        log_mass[point] = -0.5 * weight * (grid[point] - total / weight) ** 2


@jit
def put_grade(item: int, drawn: float, reports: LinkedReports, grade: Floats, own: Floats) -> None:
    """Give an item a true grade, and let its authors' own grades follow."""
    for place in range(reports.author_start[item], reports.author_start[item + 1]):
        who = reports.author_of[place]
        own[who] += (drawn - grade[item]) / reports.wrote[who]
    grade[item] = drawn


@jit
def draw_bias(
    who: int, reports: LinkedReports, grade: Floats, precision: float, prior: float, rng: np.random.Generator
) -> float:
    """A grader's bias given true grades and the precision of the grader's reports; its prior has mean 0."""
    total = 0.0
    begin, end = reports.grader_start[who], reports.grader_start[who + 1]
    for place in range(begin, end):
        row = reports.grader_rows[place]
        total += precision * (reports.value[row] - grade[reports.item[row]])
    weight = prior + (end - begin) * precision
    return float(total / weight + rng.standard_normal() / np.sqrt(weight))


@jit
def squared_errors(who: int, reports: LinkedReports, grade: Floats, bias: float) -> float:
    """The sum of the squared errors of a grader's reports."""
    squares = 0.0
    for place in range(reports.grader_start[who], reports.grader_start[who + 1]):
        row = reports.grader_rows[place]
        squares += (reports.value[row] - grade[reports.item[row]] - bias) ** 2
    return squares


def _grouped(owner: Indexes, count: int) -> tuple[Indexes, Indexes]:
    return starts_of(owner, count), np.argsort(owner, kind="stable").astype(np.int64)
