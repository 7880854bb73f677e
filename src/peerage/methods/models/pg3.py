"""PG3 (Piech et al. 2013): graders whose own grade is better grade more precisely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.contract import Floats, Solution, Solver
from peerage.methods.models.gibbs import Links, draw_place, links, own_grades, run
from peerage.methods.needs import AUTHORS, Need
from peerage.methods.reports import Indexes, Reports

_BEYOND = 12.0
"""How far the grid goes beyond the ends of the scale."""

_LEAST = 1e-6
"""The least precision of a grader whose own grade is so low that the line would give none."""


@dataclass(frozen=True)
class PG3(Solver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), report g ~ N(s_u + b_v, 1/(θ₁ s_v + θ₀)).

    s_v is the grader's own true grade, the mean of several; who wrote nothing has the lowest of all. True grades are
    drawn on a grid, in steps of 0.2 and half a scale's width beyond each end, from

        N(x; μ, 1/γ) ∏_v N(g_uv; x + b_v, 1/(θ₁ s_v + θ₀)) ∏_j N(g_ju; s_j + b_u, 1/(θ₁ x + θ₀)),

    where j runs over what the author of u graded.

    The constants are Mi and Yeung's, on a scale of 1 to 25; their μ = 11 belongs to one class, so that μ is the class's
    mean unless it is given.

    With ``slips`` the updates are those of Mi and Yeung's program, on which their published 3.20 rests: the gradee's
    own grade stands where the graders' belong, the squared errors of the author's reports enter with the wrong sign
    and factor, grades are whole numbers, and a bias is drawn with the root of its precision for a standard deviation.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG3(name="pg3").aggregate(book).iterations
    300
    """

    sweeps: int = 300
    mean: float | None = None
    slope: float = 0.01
    intercept: float = 0.1
    grade_precision: float = 0.1
    bias_precision: float = 0.1
    slips: bool = False

    citation: ClassVar[str] = "Piech et al. (2013), model PG3; constants of Mi and Yeung (2015)"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS,)
    scale: ClassVar[tuple[float, float]] = (1.0, 25.0)

    def solve(self, reports: Reports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        constants = np.array([centre, self.slope, self.intercept, self.grade_precision, self.bias_precision])
        low, high = self.scale
        grid = np.arange(low, high + 1) if self.slips else np.arange(low - _BEYOND, high + _BEYOND, 0.2)
        grade, bias = np.full(reports.n_items, centre), np.zeros(reports.n_graders)
        indexes, kernel = links(reports), _sweep_with_slips if self.slips else _sweep

        def sweep() -> tuple[Floats, Floats, Floats]:
            precision = kernel(reports.item, reports.grader, reports.value, indexes, constants, grid, grade, bias, rng)
            return grade, precision, bias

        return run(reports, sweep, self.sweeps)


@jit
def _sweep(
    item: Indexes,
    grader: Indexes,
    value: Floats,
    indexes: Links,
    constants: Floats,
    grid: Floats,
    grade: Floats,
    bias: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Draw all true grades and biases; the precision of each grader afterwards."""
    centre, slope, intercept, grade_precision, bias_precision = constants
    own = own_grades(grade, indexes)
    precision = np.maximum(slope * own + intercept, _LEAST)
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        weight, total = grade_precision, grade_precision * centre
        for place in range(indexes.item_start[index], indexes.item_start[index + 1]):
            row = indexes.item_rows[place]
            weight += precision[grader[row]]
            total += precision[grader[row]] * (value[row] - bias[grader[row]])
        for point in range(len(grid)):
            log_mass[point] = -0.5 * weight * (grid[point] - total / weight) ** 2
        for place in range(indexes.author_start[index], indexes.author_start[index + 1]):
            who = indexes.author_of[place]
            begin, end = indexes.grader_start[who], indexes.grader_start[who + 1]
            squares = 0.0
            for other in range(begin, end):
                row = indexes.grader_rows[other]
                squares += (value[row] - grade[item[row]] - bias[who]) ** 2
            for point in range(len(grid)):
                mine = own[who] + (grid[point] - grade[index]) / indexes.wrote[who]
                sharp = max(slope * mine + intercept, _LEAST)
                log_mass[point] += 0.5 * (end - begin) * np.log(sharp) - 0.5 * sharp * squares
        drawn = grid[draw_place(log_mass, rng)]
        for place in range(indexes.author_start[index], indexes.author_start[index + 1]):
            who = indexes.author_of[place]
            own[who] += (drawn - grade[index]) / indexes.wrote[who]
            precision[who] = max(slope * own[who] + intercept, _LEAST)
        grade[index] = drawn
    for who in range(len(bias)):
        total = 0.0
        begin, end = indexes.grader_start[who], indexes.grader_start[who + 1]
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            total += precision[who] * (value[row] - grade[item[row]])
        weight = bias_precision + (end - begin) * precision[who]
        bias[who] = total / weight + rng.standard_normal() / np.sqrt(weight)
    return np.asarray(precision)


@jit
def _sweep_with_slips(
    item: Indexes,
    grader: Indexes,
    value: Floats,
    indexes: Links,
    constants: Floats,
    grid: Floats,
    grade: Floats,
    bias: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Mi and Yeung's updates, as their program has them."""
    centre, slope, intercept, grade_precision, bias_precision = constants
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        authors = range(indexes.author_start[index], indexes.author_start[index + 1])
        sharp = slope * (grade[index] if len(authors) > 0 else grade.min()) + intercept
        weight, total, reports_made = grade_precision, grade_precision * centre, 0
        for place in range(indexes.item_start[index], indexes.item_start[index + 1]):
            row = indexes.item_rows[place]
            weight += slope * grade[index] + intercept
            total += sharp * (value[row] - bias[grader[row]])
        for place in authors:
            who = indexes.author_of[place]
            for other in range(indexes.grader_start[who], indexes.grader_start[who + 1]):
                row = indexes.grader_rows[other]
                total += slope * (value[row] - bias[who] - grade[item[row]]) ** 2
                reports_made += 1
        for point in range(len(grid)):
            log_mass[point] = 0.5 * reports_made * np.log(slope * grid[point] + intercept)
            log_mass[point] -= 0.5 * weight * (grid[point] - total / weight) ** 2
        grade[index] = grid[draw_place(log_mass, rng)]
    own = own_grades(grade, indexes)
    for who in range(len(bias)):
        total = 0.0
        begin, end = indexes.grader_start[who], indexes.grader_start[who + 1]
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            total += (slope * grade[item[row]] + intercept) * (value[row] - grade[item[row]])
        weight = bias_precision + (end - begin) * (slope * own[who] + intercept)
        bias[who] = total / weight + rng.standard_normal() * np.sqrt(weight)
    return np.asarray(slope * own + intercept)
