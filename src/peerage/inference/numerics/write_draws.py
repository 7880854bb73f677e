"""Where a chain stands, written to a row of its kept draws."""

from __future__ import annotations

from typing import Any

from peerage.inference.numerics.arrays import DrawRows
from peerage.inference.numerics.jit import jit


@jit
def write_draws(row: int, state: Any, draws: DrawRows) -> None:
    """Copy the state of a sampler, whichever it is, into a row of the draws."""
    for cell in range(len(state.true_grade)):
        draws.true_grade[row, cell] = state.true_grade[cell]
    for grader in range(draws.effort.shape[1]):
        draws.reliability[row, grader] = state.reliability[grader]
        draws.bias[row, grader] = state.bias[grader]
        draws.effort[row, grader] = state.effort[grader]
    effortful = 0
    for review in range(len(state.effortful)):
        effortful += state.effortful[review]
    draws.effortful_count[row] = effortful
    for index in range(len(state.hyper)):
        draws.hyper[row, index] = state.hyper[index]
