"""A mixed-integer program and its solver, HiGHS, which is asked directly because some of SciPy's copies print."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, vstack

Floats = NDArray[np.float64]

MAX_NODES = 2_000
"""How many branches the solver may look at: a number, not a time, so that every machine gives the same grades."""

REAL, INTEGER, SEMI_INTEGER = 0, 1, 3
"""Kinds of variables; a semi-integer one is zero or lies between its bounds."""

_KINDS = {
    REAL: highspy.HighsVarType.kContinuous,
    INTEGER: highspy.HighsVarType.kInteger,
    SEMI_INTEGER: highspy.HighsVarType.kSemiInteger,
}


class Constraints(NamedTuple):
    """Constraints: lower ≤ matrix · variables ≤ upper."""

    matrix: Any
    lower: ArrayLike = -np.inf
    upper: ArrayLike = np.inf


class ProgramSolution(NamedTuple):
    """The best values found, if there are any, and whether it is proven that there are no better ones, or none."""

    values: Floats | None
    proven: bool


def minimise(
    objective: Floats, kinds: NDArray[np.int64], lower: Floats, upper: Floats, rows: Iterable[Constraints]
) -> ProgramSolution:
    """The values between lower and upper bounds that obey all rows and make objective · values least."""
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.disableCallbacks()
    # One thread: others are busy with other programs.
    for name, value in {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_max_nodes": MAX_NODES}.items():
        solver.setOptionValue(name, value)
    solver.passModel(_program(objective, kinds, lower, upper, list(rows)))
    solver.run()
    status = solver.getModelStatus()
    found = solver.getInfo().primal_solution_status == int(highspy.SolutionStatus.kSolutionStatusFeasible)
    proven = status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)
    return ProgramSolution(np.array(solver.getSolution().col_value) if found else None, proven)


def _program(
    objective: Floats, kinds: NDArray[np.int64], lower: Floats, upper: Floats, rows: list[Constraints]
) -> highspy.HighsLp:
    matrix = csc_array(vstack([some.matrix for some in rows]))
    program = highspy.HighsLp()
    program.num_col_ = program.a_matrix_.num_col_ = len(objective)
    program.num_row_ = program.a_matrix_.num_row_ = matrix.shape[0]
    program.col_cost_ = objective
    program.col_lower_, program.col_upper_ = lower, upper
    program.row_lower_ = np.concatenate([np.broadcast_to(some.lower, some.matrix.shape[0]) for some in rows])
    program.row_upper_ = np.concatenate([np.broadcast_to(some.upper, some.matrix.shape[0]) for some in rows])
    program.integrality_ = [_KINDS[kind] for kind in kinds.tolist()]
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = matrix.indptr, matrix.indices
    program.a_matrix_.value_ = matrix.data
    return program
