"""PG3 (Piech et al. 2013): graders whose own grade is better grade more precisely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.method_contract import Floats
from peerage.methods.models.gibbs import (
    draw_bias,
    draw_place,
    evidence,
    own_grades,
    put_grade,
    put_normal,
    squared_errors,
)
from peerage.methods.models.own_grade_solver import Chain, OwnGradeSolver, Sweep

_BEYOND = 12.0
"""How far the grid goes beyond the ends of the scale."""

_LEAST = 1e-6
"""The least precision of a grader whose own grade is so low that the line would give none."""


@dataclass(frozen=True)
class PG3(OwnGradeSolver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), report g ~ N(s_u + b_v, 1/(θ₁ s_v + θ₀)).

    s_v is the grader's own true grade. True grades are drawn on a grid, in steps of 0.2 and half a scale's width beyond
    each end, from

        N(x; μ, 1/γ) ∏_v N(g_uv; x + b_v, 1/(θ₁ s_v + θ₀)) ∏_j N(g_ju; s_j + b_u, 1/(θ₁ x + θ₀)),

    where j runs over what the author of u graded.

    With ``slips`` the updates are those of Mi and Yeung's program, on which their published 3.20 rests: the gradee's
    own grade stands where the graders' belong, the squared errors of the author's reports enter with the wrong sign
    and factor, grades are whole numbers, and a bias is drawn with the root of its precision for a standard deviation.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG3(name="pg3").aggregate(book).iterations
    300
    """

    slope: float = 0.01
    intercept: float = 0.1
    grade_precision: float = 0.1
    bias_precision: float = 0.1

    citation: ClassVar[str] = "Piech et al. (2013), model PG3; constants of Mi and Yeung (2015)"

    def begin(self, chain: Chain) -> Sweep:
        """The sweep of this model, or the authors' own."""
        constants = np.array([self.slope, self.intercept, self.grade_precision, self.bias_precision])
        low, high = self.scale
        grid = np.arange(low, high + 1) if self.slips else np.arange(low - _BEYOND, high + _BEYOND, 0.2)
        kernel = _sweep_with_slips if self.slips else _sweep
        return lambda: kernel(chain, constants, grid)


@jit(makes_arrays=True)
def _sweep(chain: Chain, constants: Floats, grid: Floats) -> Floats:
    """Draw all true grades, from the product in PG3's docstring, and biases; the precision of each grader afterwards.

    Of its second half, a point of the grid needs only how many reports an author made and the sum of their squared
    errors, so these are found before the loop over points. A grader's precision follows each new own grade at once.
    """
    reports, centre, grade, bias, rng = chain
    slope, intercept, grade_precision, bias_precision = constants
    own = own_grades(grade, reports)
    precision = np.maximum(slope * own + intercept, _LEAST)
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        weight, total = evidence(index, reports, precision, bias, grade_precision, centre)
        put_normal(weight, total, grid, log_mass)
        for place in range(reports.author_start[index], reports.author_start[index + 1]):
            who = reports.author_of[place]
            squares = squared_errors(who, reports, grade, bias[who])
            count = reports.grader_start[who + 1] - reports.grader_start[who]
            for point in range(len(grid)):
                mine = own[who] + (grid[point] - grade[index]) / reports.wrote[who]
                sharp = max(slope * mine + intercept, _LEAST)
                log_mass[point] += 0.5 * count * np.log(sharp) - 0.5 * sharp * squares
        put_grade(index, grid[draw_place(log_mass, rng)], reports, grade, own)
        for place in range(reports.author_start[index], reports.author_start[index + 1]):
            who = reports.author_of[place]
            precision[who] = max(slope * own[who] + intercept, _LEAST)
    for who in range(len(bias)):
        bias[who] = draw_bias(who, reports, grade, precision[who], bias_precision, rng)
    return np.asarray(precision)


@jit(makes_arrays=True)
def _sweep_with_slips(chain: Chain, constants: Floats, grid: Floats) -> Floats:
    """Mi and Yeung's updates, as their program has them: PG3's docstring lists where they differ from the model's.

    All terms of a true grade that do not depend on its value are added up before the loop over the grid's points.
    """
    reports, centre, grade, bias, rng = chain
    slope, intercept, grade_precision, bias_precision = constants
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        authors = range(reports.author_start[index], reports.author_start[index + 1])
        sharp = slope * (grade[index] if len(authors) > 0 else grade.min()) + intercept
        weight, total, reports_made = grade_precision, grade_precision * centre, 0
        for place in range(reports.item_start[index], reports.item_start[index + 1]):
            row = reports.item_rows[place]
            weight += slope * grade[index] + intercept
            total += sharp * (reports.value[row] - bias[reports.grader[row]])
        for place in authors:
            who = reports.author_of[place]
            for other in range(reports.grader_start[who], reports.grader_start[who + 1]):
                row = reports.grader_rows[other]
                total += slope * (reports.value[row] - bias[who] - grade[reports.item[row]]) ** 2
                reports_made += 1
        for point in range(len(grid)):
            log_mass[point] = 0.5 * reports_made * np.log(slope * grid[point] + intercept)
            log_mass[point] -= 0.5 * weight * (grid[point] - total / weight) ** 2
        grade[index] = grid[draw_place(log_mass, rng)]
    own = own_grades(grade, reports)
    for who in range(len(bias)):
        total = 0.0
        begin, end = reports.grader_start[who], reports.grader_start[who + 1]
        for place in range(begin, end):
            row = reports.grader_rows[place]
            total += (slope * grade[reports.item[row]] + intercept) * (reports.value[row] - grade[reports.item[row]])
        weight = bias_precision + (end - begin) * (slope * own[who] + intercept)
        bias[who] = total / weight + rng.standard_normal() * np.sqrt(weight)
    return np.asarray(slope * own + intercept)
