"""PG5 (Mi and Yeung 2015): a grader's reliability is normal around the grader's own grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.contract import Floats, Solution, Solver
from peerage.methods.models.gibbs import Links, draw_place, links, own_grades, run
from peerage.methods.needs import AUTHORS, Need
from peerage.methods.reports import Indexes, Reports


@dataclass(frozen=True)
class PG5(Solver):
    """True grade s_u ~ N(μ, 1/γ), bias b_v ~ N(0, 1/η), τ_v ~ N(s_v, 1/β), report g ~ N(s_u + b_v, λ/τ_v).

    s_v is the grader's own true grade, the mean of several; who wrote nothing has the lowest of all. True grades and
    biases have normal conditional distributions; reliabilities are drawn on a grid, 0.2 to 60 by 0.2. The constants
    are Mi and Yeung's, on a scale of 1 to 25; their μ = 11 belongs to one class, so that μ is the class's mean unless
    it is given.

    With ``slips``, as in the authors' program, the grid begins at 5, and a work whose author graded nobody is drawn
    as if its author had graded and had the lowest reliability of all.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG5(name="pg5").aggregate(book).iterations
    300
    """

    sweeps: int = 300
    mean: float | None = None
    grade_precision: float = 0.04
    bias_precision: float = 0.1
    link_precision: float = 0.04
    divisor: float = 700.0
    slips: bool = False

    citation: ClassVar[str] = "Mi and Yeung (2015), Probabilistic graphical models for boosting peer grading, model PG5"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS,)
    scale: ClassVar[tuple[float, float]] = (1.0, 25.0)

    def solve(self, reports: Reports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        centre = float(reports.value.mean()) if self.mean is None else self.mean
        constants = np.array([centre, self.grade_precision, self.bias_precision, self.link_precision, self.divisor])
        grid = np.arange(5.0 if self.slips else 0.2, 60.1, 0.2)
        grade, bias = np.full(reports.n_items, centre), np.zeros(reports.n_graders)
        reliability = np.full(reports.n_graders, max(centre, grid[0]))
        indexes = links(reports)

        def sweep() -> tuple[Floats, Floats, Floats]:
            _sweep(
                reports.item, reports.grader, reports.value, indexes, constants, grid, self.slips, grade, bias,
                reliability, rng,
            )  # fmt: skip
            return grade, reliability / self.divisor, bias

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
    centre, grade_precision, bias_precision, link_precision, divisor = constants
    own = own_grades(grade, indexes)
    for index in range(len(grade)):
        weight, total = grade_precision, grade_precision * centre
        for place in range(indexes.item_start[index], indexes.item_start[index + 1]):
            who = grader[indexes.item_rows[place]]
            weight += reliability[who] / divisor
            total += reliability[who] / divisor * (value[indexes.item_rows[place]] - bias[who])
        authors = range(indexes.author_start[index], indexes.author_start[index + 1])
        for place in authors:
            # τ ~ N(own grade, 1/β), and the own grade is the mean of several, of which this is one.
            who = indexes.author_of[place]
            share = 1.0 / indexes.wrote[who]
            weight += link_precision * share**2
            total += link_precision * share * (reliability[who] - own[who] + share * grade[index])
        if slips and len(authors) == 0:
            weight += link_precision
            total += link_precision * reliability.min()
        drawn = total / weight + rng.standard_normal() / np.sqrt(weight)
        for place in authors:
            own[indexes.author_of[place]] += (drawn - grade[index]) / indexes.wrote[indexes.author_of[place]]
        grade[index] = drawn
    own = own_grades(grade, indexes)
    log_mass = np.empty(len(grid))
    for who in range(len(bias)):
        begin, end = indexes.grader_start[who], indexes.grader_start[who + 1]
        total, squares = 0.0, 0.0
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            total += reliability[who] / divisor * (value[row] - grade[item[row]])
        weight = bias_precision + (end - begin) * reliability[who] / divisor
        bias[who] = total / weight + rng.standard_normal() / np.sqrt(weight)
        for place in range(begin, end):
            row = indexes.grader_rows[place]
            squares += (value[row] - grade[item[row]] - bias[who]) ** 2
        for point in range(len(grid)):
            log_mass[point] = -0.5 * link_precision * (grid[point] - own[who]) ** 2
            log_mass[point] += 0.5 * (end - begin) * np.log(grid[point]) - 0.5 * grid[point] / divisor * squares
        reliability[who] = grid[draw_place(log_mass, rng)]
