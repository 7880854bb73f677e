"""Whether two fits of a class that differ in their seeds give the same grades."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import peerage as pg

ERRORS = 4
"""A grade is a toss-up if its lead over the next is less than so many Monte-Carlo errors."""


def agreement(first: pg.Posterior, second: pg.Posterior) -> dict[str, float]:
    """The share of grades that are the same.

    ``most_likely`` and ``explained`` are of the legal grades that are no toss-ups, whose share is ``clear``;
    ``averages`` is the share of unrounded ones that differ by no more than one in the last of their decimals.
    """
    fits, clear = (first, second), clear_leads(first, second)
    likely, explained, averages = (
        np.array([grades(fit) for fit in fits]) for grades in (_most_likely, _explained, _averages)
    )
    return {
        "clear": float(clear.mean()),
        "most_likely": _same(likely, clear),
        "explained": _same(explained, clear),
        "averages": float((np.abs(averages[0] - averages[1]) < 0.1 + 1e-6).mean()),
    }


def clear_leads(first: pg.Posterior, second: pg.Posterior) -> NDArray[np.bool_]:
    """(cells,) whether the most probable grade leads by more than chance, by the draws of both fits."""
    mass = (first.samples.level_mass + second.samples.level_mass).astype(float) / 2
    following, leading = np.sort(mass, axis=1)[:, -2:].T
    cells = np.arange(len(mass))
    effective = sum(fit.margins.diagnose("true_grade", cells).ess_bulk for fit in (first, second))
    variance = (leading + following - (leading - following) ** 2) / effective
    return np.asarray(leading - following > ERRORS * np.sqrt(variance))


def _most_likely(fit: pg.Posterior) -> NDArray[np.float64]:
    return fit.submissions()["most_likely"].to_numpy(float)


def _explained(fit: pg.Posterior) -> NDArray[np.float64]:
    return pg.explain(fit, staff_final=True).grades["grade"].to_numpy(float)


def _averages(fit: pg.Posterior) -> NDArray[np.float64]:
    return pg.explain(fit, form="average", staff_final=True).grades["grade"].to_numpy(float)


def _same(grades: NDArray[np.float64], clear: NDArray[np.bool_]) -> float:
    return float((grades[0] == grades[1])[clear].mean()) if clear.any() else np.nan
