"""PG4 (Mi and Yeung 2015): a grader's reliability has a Gamma distribution whose shape is the grader's own grade."""

from __future__ import annotations

import math
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


@dataclass(frozen=True)
class PG4(OwnGradeSolver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), τ_v ~ Gamma(s_v, β), report g ~ N(s_u + b_v, 1/τ_v).

    s_v is the grader's own true grade. True grades lie on a grid from 1 to 25 by 0.1, where the shape is positive:
    N(x; μ, 1/γ) ∏_v N(g_uv; x + b_v, 1/τ_v) × Gamma(τ of the author; x, β).

    With ``slips``, as in the authors' program, a work whose author graded nobody is drawn as if its author had graded
    and had the lowest reliability of all.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG4(name="pg4").aggregate(book).iterations
    300
    """

    grade_precision: float = 0.04
    bias_precision: float = 0.04
    rate: float = 600.0

    citation: ClassVar[str] = "Mi and Yeung (2015), Probabilistic graphical models for boosting peer grading, model PG4"

    def begin(self, chain: Chain) -> Sweep:
        """The sweep of this model."""
        constants = np.array([self.grade_precision, self.bias_precision, self.rate])
        grid = np.arange(self.scale[0], self.scale[1] + 0.05, 0.1)
        reliability = np.full(len(chain.bias), chain.centre / self.rate)
        return lambda: _sweep(chain, constants, grid, reliability, self.slips)


@jit(makes_arrays=True)
def _sweep(chain: Chain, constants: Floats, grid: Floats, reliability: Floats, slips: bool) -> Floats:
    """Draw all true grades, then each grader's bias and reliability; the precision of each grader's reports.

    A true grade is drawn from the product in PG4's docstring: a normal density from prior and reports, found once for
    the whole grid, then a Gamma density for each author. A bias is normal, and a reliability Gamma(s_v + n/2, β + half
    the squared errors of the n reports).
    """
    reports, centre, grade, bias, rng = chain
    grade_precision, bias_precision, rate = constants
    own = own_grades(grade, reports)
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        weight, total = evidence(index, reports, reliability, bias, grade_precision, centre)
        put_normal(weight, total, grid, log_mass)
        authors = range(reports.author_start[index], reports.author_start[index + 1])
        for place in authors:
            who = reports.author_of[place]
            for point in range(len(grid)):
                shape = own[who] + (grid[point] - grade[index]) / reports.wrote[who]
                log_mass[point] += shape * np.log(rate * reliability[who]) - math.lgamma(shape)
        if slips and len(authors) == 0:
            lowest = np.log(rate * reliability.min())
            for point in range(len(grid)):
                log_mass[point] += grid[point] * lowest - math.lgamma(grid[point])
        put_grade(index, grid[draw_place(log_mass, rng)], reports, grade, own)
    own = own_grades(grade, reports)
    for who in range(len(bias)):
        bias[who] = draw_bias(who, reports, grade, reliability[who], bias_precision, rng)
        count = reports.grader_start[who + 1] - reports.grader_start[who]
        squares = squared_errors(who, reports, grade, bias[who])
        drawn = rng.standard_gamma(own[who] + 0.5 * count) / (rate + 0.5 * squares)
        reliability[who] = max(drawn, 1e-12)
    return reliability
