"""PG5 (Mi and Yeung 2015): a grader's reliability is normal around the grader's own grade."""

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
    squared_errors,
)
from peerage.methods.models.own_grade_solver import Chain, OwnGradeSolver, Sweep


@dataclass(frozen=True)
class PG5(OwnGradeSolver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), τ_v ~ N(s_v, 1/β), report g ~ N(s_u + b_v, λ/τ_v).

    s_v is the grader's own true grade. True grades and biases have normal conditional distributions; reliabilities are
    drawn on a grid, 0.2 to 60 by 0.2.

    With ``slips``, as in the authors' program, the grid begins at 5, and a work whose author graded nobody is drawn
    as if its author had graded and had the lowest reliability of all.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG5(name="pg5").aggregate(book).iterations
    300
    """

    grade_precision: float = 0.04
    bias_precision: float = 0.1
    link_precision: float = 0.04
    divisor: float = 700.0

    citation: ClassVar[str] = "Mi and Yeung (2015), Probabilistic graphical models for boosting peer grading, model PG5"

    def begin(self, chain: Chain) -> Sweep:
        """The sweep of this model."""
        constants = np.array([self.grade_precision, self.bias_precision, self.link_precision, self.divisor])
        grid = np.arange(5.0 if self.slips else 0.2, 60.1, 0.2)
        reliability = np.full(len(chain.bias), max(chain.centre, grid[0]))
        return lambda: _sweep(chain, constants, grid, reliability, self.slips)


@jit(makes_arrays=True)
def _sweep(chain: Chain, constants: Floats, grid: Floats, reliability: Floats, slips: bool) -> Floats:
    """Draw all true grades, then each grader's bias and reliability; the precision of each grader's reports.

    By the model in PG5's docstring, a true grade is normal given the reports on it and its authors' reliabilities. The
    density of a reliability, N(s_v, 1/β) times that of the reports, has no known form: hence the loop over a grid,
    before which the squared errors are added up.
    """
    reports, centre, grade, bias, rng = chain
    grade_precision, bias_precision, link_precision, divisor = constants
    own, precision = own_grades(grade, reports), reliability / divisor
    for index in range(len(grade)):
        weight, total = evidence(index, reports, precision, bias, grade_precision, centre)
        authors = range(reports.author_start[index], reports.author_start[index + 1])
        for place in authors:
            # τ ~ N(own grade, 1/β), and the own grade is the mean of several, of which this is one.
            who = reports.author_of[place]
            share = 1.0 / reports.wrote[who]
            weight += link_precision * share**2
            total += link_precision * share * (reliability[who] - own[who] + share * grade[index])
        if slips and len(authors) == 0:
            weight += link_precision
            total += link_precision * reliability.min()
        drawn = total / weight + rng.standard_normal() / np.sqrt(weight)
        put_grade(index, drawn, reports, grade, own)
    own = own_grades(grade, reports)
    log_mass = np.empty(len(grid))
    for who in range(len(bias)):
        bias[who] = draw_bias(who, reports, grade, precision[who], bias_precision, rng)
        count = reports.grader_start[who + 1] - reports.grader_start[who]
        squares = squared_errors(who, reports, grade, bias[who])
        for point in range(len(grid)):
            log_mass[point] = -0.5 * link_precision * (grid[point] - own[who]) ** 2
            log_mass[point] += 0.5 * count * np.log(grid[point]) - 0.5 * grid[point] / divisor * squares
        reliability[who] = grid[draw_place(log_mass, rng)]
    return np.asarray(reliability / divisor)
