"""Rounding at several units, written out from the documentation: equation (G1) for short scales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from peerage.inference.numerics.hyperparameters import ROUNDED

Floats = NDArray[np.float64]

UNITS = (1.0, 0.5, 0.25, None)
"""The units of a short scale from the coarsest; at last, any legal grade."""

FINE = tuple(np.round(np.arange(0, 4.001, 0.1), 6).tolist())
"""Grades from 0 to 4 by 0.1, of which quarters are no multiples: who grades in quarters may give any."""


def unit_shares(theta: Floats) -> Floats:
    """(…, unit) the shares of all units from coordinates of hyperparameters."""
    shares = expit(theta[..., ROUNDED : ROUNDED + 3])
    return np.concatenate([shares, 1 - shares.sum(axis=-1, keepdims=True)], axis=-1)


def on_grid(grades: Floats, unit: float | None) -> NDArray[np.intp]:
    """The levels of multiples of a unit and of both ends; all of them if multiples are not all legal."""
    legal = {round(grade, 6) for grade in grades.tolist()}
    if unit is None or any(round(step * unit, 6) not in legal for step in range(int(grades[-1] / unit) + 1)):
        return np.arange(len(grades))
    whole = np.array([abs(grade / unit - round(grade / unit)) < 1e-6 for grade in grades])
    whole[[0, -1]] = True
    return np.flatnonzero(whole)


def rounded(values: Floats, grades: Floats, unit: float | None) -> NDArray[np.intp]:
    """The levels nearest to values on the model's scale, of those on a unit's grid; half rounds up."""
    levels = on_grid(grades, unit)
    scaled = grades[levels] * 5 / grades[-1]
    return np.asarray(levels[np.searchsorted((scaled[1:] + scaled[:-1]) / 2, values, side="right")])


def bins(grades: Floats, unit: float | None) -> tuple[Floats, Floats]:
    """(levels,) each: the ends of the bins of a unit's grid; empty for a grade that is not on it."""
    levels = on_grid(grades, unit)
    scaled = grades[levels] * 5 / grades[-1]
    cuts = (scaled[1:] + scaled[:-1]) / 2
    low, high = np.zeros(len(grades)), np.zeros(len(grades))
    low[levels], high[levels] = np.append(-np.inf, cuts), np.append(cuts, np.inf)
    return low, high
