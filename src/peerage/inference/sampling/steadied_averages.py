"""Averages over few draws, steadied by what was known before.

After new grades, what they do not touch changes little: its earlier averages are precise and slightly out of date,
those over the new draws are up to date and noisy. What is reported is m₀ + w·(m₁ − m₀), with m₀ before and m₁ now. One
weight serves all that is not touched, w = 1 − 4·σ²/(m₁ − m₀)², or 0 where that is negative: the averages stay as they
were unless they have changed, all together, by more than twice the standard error σ of the new ones, and the weight
tends to 1 as the change grows or as more draws are made. The parts in which the draws are made tell the variance of m₁.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.sampling.chains import Samples

Floats = NDArray[np.float64]

STANDARD_ERRORS = 2
"""How many standard errors of the new averages a change must exceed to count."""


class Matches(NamedTuple):
    """Where each cell and each review stood before; -1 for what is new or touched by new grades."""

    cell: NDArray[np.intp]
    review: NDArray[np.intp]


def steadied(before: Samples, parts: Sequence[Samples], matches: Matches) -> Samples:
    """Successive draws as one, the averages of what is not touched drawn towards those of ``before``."""
    samples = reduce(Samples.followed_by, parts)
    known = matches.cell >= 0
    share = weight(before.level_mass[matches.cell[known]], np.array([part.level_mass[known] for part in parts]))
    return replace(
        samples,
        level_mass=_mixed(before.level_mass, samples.level_mass, matches.cell, share),
        effortful=_mixed(before.effortful, samples.effortful, matches.review, share),
        influence=_mixed(before.influence, samples.influence, matches.review, share),
    )


def weight(before: Floats, parts: Floats) -> float:
    """How far to go from earlier averages to the mean of those over parts (the first axis) of the new draws."""
    if len(parts) == 1:
        return 1.0
    change = ((parts.mean(axis=0) - before) ** 2).sum()
    variance = parts.var(axis=0, ddof=1).sum() / len(parts)
    noise = STANDARD_ERRORS**2 * variance
    return float(1 - noise / change) if change > noise else 0.0


def _mixed(before: Floats, now: Floats, place: NDArray[np.intp], share: float) -> Floats:
    known = np.flatnonzero(place >= 0)
    mixed = now.copy()
    mixed[known] = (1 - share) * before[place[known]] + share * now[known]
    return mixed
