"""PG2 (Piech et al. 2013): PG1 with biases that drift from assignment to assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peerage.inference.numerics.jit import jit
from peerage.methods.item_reports import Indexes, ItemReports
from peerage.methods.method_contract import Floats, Solution, Solver
from peerage.methods.method_needs import ASSIGNMENTS, Need
from peerage.methods.models.gibbs import LinkedReports, linked, run


@dataclass(frozen=True)
class PG2(Solver):
    """True grade s_u ~ N(μ, 1/γ), reliability τ_v ~ Gamma(α, β), report g ~ N(s_u + b_vt, 1/τ_v) on assignment t.

    Biases walk: b_v1 ~ N(0, 1/η), b_vt ~ N(b_v,t−1, 1/ω). All conditional distributions are known, and are drawn from
    in turn. Assignments follow one another as in the file. Piech et al. publish no constants for this model: μ is the
    class's mean, γ, α, β and η are Peerage's for PG1, and a bias moves by 0.3 (1/√ω) between assignments.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=2, components=1)
    >>> PG2(name="pg2").aggregate(book).iterations
    1000
    """

    sweeps: int = 1000
    grade_precision: float = 0.8**-2
    bias_precision: float = 1.0
    step_precision: float = 0.3**-2
    shape: float = 2.0
    rate: float = 2.0

    citation: ClassVar[str] = "Piech et al. (2013), Tuned models of peer assessment in MOOCs, model PG2"
    needs: ClassVar[tuple[Need, ...]] = (ASSIGNMENTS,)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        constants = np.array(
            [
                reports.value.mean(),
                self.grade_precision,
                self.bias_precision,
                self.step_precision,
                self.shape,
                self.rate,
            ]
        )
        grade = np.full(reports.n_items, constants[0])
        reliability = np.ones(reports.n_graders)
        bias = np.zeros((reports.n_graders, int(reports.assignment.max()) + 1))
        seen = linked(reports)

        def sweep() -> tuple[Floats, Floats, Floats]:
            _sweep(seen, reports.assignment, constants, grade, reliability, bias, rng)
            return grade, reliability, bias.mean(axis=1)

        return run(reports, sweep, self.sweeps)


@jit(makes_arrays=True)
def _sweep(
    reports: LinkedReports,
    assignment: Indexes,
    constants: Floats,
    grade: Floats,
    reliability: Floats,
    bias: Floats,
    rng: np.random.Generator,
) -> None:
    """Draw all true grades, then each grader's biases and reliability, from the conditional distributions of PG2.

    Given graders, true grades are independent of each other. A grader's biases follow in the order of assignments, each
    given the one before and the one after; sums by assignment are made first, so that reports are visited once for all.
    """
    centre, grade_precision, bias_precision, step_precision, shape, rate = constants
    for index in range(len(grade)):
        precision, total = grade_precision, grade_precision * centre
        for place in range(reports.item_start[index], reports.item_start[index + 1]):
            row = reports.item_rows[place]
            who = reports.grader[row]
            precision += reliability[who]
            total += reliability[who] * (reports.value[row] - bias[who, assignment[index]])
        grade[index] = total / precision + rng.standard_normal() / np.sqrt(precision)
    last = bias.shape[1] - 1
    count, sums = np.zeros(last + 1), np.zeros(last + 1)
    for who in range(len(reliability)):
        count[:], sums[:] = 0.0, 0.0
        begin, end = reports.grader_start[who], reports.grader_start[who + 1]
        for place in range(begin, end):
            row = reports.grader_rows[place]
            count[assignment[reports.item[row]]] += 1
            sums[assignment[reports.item[row]]] += reports.value[row] - grade[reports.item[row]]
        for time in range(last + 1):
            precision = reliability[who] * count[time] + (bias_precision if time == 0 else step_precision)
            total = reliability[who] * sums[time]
            if time > 0:
                total += step_precision * bias[who, time - 1]
            if time < last:
                precision += step_precision
                total += step_precision * bias[who, time + 1]
            bias[who, time] = total / precision + rng.standard_normal() / np.sqrt(precision)
        squares = 0.0
        for place in range(begin, end):
            row = reports.grader_rows[place]
            squares += (reports.value[row] - grade[reports.item[row]] - bias[who, assignment[reports.item[row]]]) ** 2
        reliability[who] = rng.standard_gamma(shape + 0.5 * (end - begin)) / (rate + 0.5 * squares)
