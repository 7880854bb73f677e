"""PG4 (Mi and Yeung 2015): a grader's reliability has a Gamma distribution whose shape is the grader's own grade."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.contract import Floats, Solution, Solver
from peerage.methods.models.gibbs import Links, draw_place, links, own_grades, run
from peerage.methods.needs import AUTHORS, Need
from peerage.methods.reports import Indexes, Reports


@dataclass(frozen=True)
class PG4(Solver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), τ_v ~ Gamma(s_v, β), report g ~ N(s_u + b_v, 1/τ_v).

    s_v is the grader's own true grade, the mean of several; who wrote nothing has the lowest of all. True grades lie
    on a grid from 1 to 25 by 0.1, where the shape is positive: N(x; μ, 1/γ) ∏_v N(g_uv; x + b_v, 1/τ_v) × Gamma(τ of
    the author; x, β). The constants are Mi and Yeung's, on a scale of 1 to 25; their μ = 11 belongs to one class, so
    that μ is the class's mean unless it is given.

    With ``slips``, as in the authors' program, a work whose author graded nobody is drawn as if its author had graded
    and had the lowest reliability of all.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG4(name="pg4").aggregate(book).iterations
    300
    """

    sweeps: int = 300
    mean: float | None = None
    grade_precision: float = 0.04
    bias_precision: float = 0.04
    rate: float = 600.0
    slips: bool = False

    citation: ClassVar[str] = "Mi and Yeung (2015), Probabilistic graphical models for boosting peer grading, model PG4"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS,)
    scale: ClassVar[tuple[float, float]] = (1.0, 25.0)

    def solve(self, reports: Reports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        constants = np.array([centre, self.grade_precision, self.bias_precision, self.rate])
        grid = np.arange(self.scale[0], self.scale[1] + 0.05, 0.1)
        grade, bias = np.full(reports.n_items, centre), np.zeros(reports.n_graders)
        reliability = np.full(reports.n_graders, centre / self.rate)
        indexes = links(reports)

        def sweep() -> tuple[Floats, Floats, Floats]:
            _sweep(
                reports.item, reports.grader, reports.value, indexes, constants, grid, self.slips, grade, bias,
                reliability, rng,
            )  # fmt: skip
            return grade, reliability, bias

        return run(reports, sweep, self.sweeps)


@jit
def _sweep(
    item: Indexes,
    grader: Indexes,
    value: Floats,
    indexes: Links,
    constants: Floats,
    grid: Floats,
    slips: bool,
    grade: Floats,
    bias: Floats,
    reliability: Floats,
    rng: np.random.Generator,
) -> None:
    """Draw all true grades, then each grader's bias and reliability."""
    centre, grade_precision, bias_precision, rate = constants
    own = own_grades(grade, indexes)
    log_mass = np.empty(len(grid))
    for index in range(len(grade)):
        weight, total = grade_precision, grade_precision * centre
        for place in range(indexes.item_start[index], indexes.item_start[index + 1]):
            who = grader[indexes.item_rows[place]]
            weight += reliability[who]
            total += reliability[who] * (value[indexes.item_rows[place]] - bias[who])
        for point in range(len(grid)):
            log_mass[point] = -0.5 * weight * (grid[point] - total / weight) ** 2
        authors = range(indexes.author_start[index], indexes.author_start[index + 1])
        for place in authors:
            who = indexes.author_of[place]
            for point in range(len(grid)):
                shape = own[who] + (grid[point] - grade[index]) / indexes.wrote[who]
                log_mass[point] += shape * np.log(rate * reliability[who]) - math.lgamma(shape)
        if slips and len(authors) == 0:
            lowest = np.log(rate * reliability.min())
            for point in range(len(grid)):
                log_mass[point] += grid[point] * lowest - math.lgamma(grid[point])
        drawn = grid[draw_place(log_mass, rng)]
        for place in authors:
            own[indexes.author_of[place]] += (drawn - grade[index]) / indexes.wrote[indexes.author_of[place]]
        grade[index] = drawn
    own = own_grades(grade, indexes)
    for who in range(len(bias)):
        begin, end = indexes.grader_start[who], indexes.grader_start[who + 1]
        total, squares = 0.0, 0.0
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            total += reliability[who] * (value[row] - grade[item[row]])
        weight = bias_precision + (end - begin) * reliability[who]
        bias[who] = total / weight + rng.standard_normal() / np.sqrt(weight)
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            squares += (value[row] - grade[item[row]] - bias[who]) ** 2
        drawn = rng.standard_gamma(own[who] + 0.5 * (end - begin)) / (rate + 0.5 * squares)
        reliability[who] = max(drawn, 1e-12)
