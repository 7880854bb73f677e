"""The grids of merit, halo and the share of halo, and what is believed of them beforehand (docs/model.md).

Merit Q has 32 values a quarter apart, with the masses of a standard normal. Halo η has the step of true grades and
biases, so that s + b + η lies on the lattice of the likelihood tables. Its prior depends on κ/p only. The odds κ of
halo's share are on a logarithmic grid with the ratio of the grid of reliabilities, so that κ/p has few values and one
table holds the prior masses for all of them. The cells at the ends of each grid take in all that lies beyond.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit

from peerage.inference.layout import Layout
from peerage.inference.numerics.likelihood import LOG_FLOOR, Grid, log_normal_cell_masses
from peerage.inference.shared.shared_arrays import Sharing

Floats = NDArray[np.float64]

MERIT_PRIOR = (1.5, 1.5)
HALO_PRIOR = (1.2, 2.0)
"""The Beta hyperpriors of the shares of merit and of halo."""

N_MERITS, MERIT_STEP = 32, 0.25
N_SHARES = 224
SMALLEST_ODDS = 0.002
"""The odds κ of halo's share on their grid go from here by the ratio of reliabilities to about 100."""


def sharing_of(layout: Layout) -> Sharing:
    """The grids that a class needs; those of what is not shared have one cell."""
    grids, has_halo = layout.grids, layout.has_halo
    merit = MERIT_STEP * (np.arange(float(N_MERITS)) - (N_MERITS - 1) / 2) if layout.has_merit else np.zeros(1)
    edges = np.concatenate([[-np.inf], (merit[1:] + merit[:-1]) / 2, [np.inf]])
    step = float(grids.true_grade.points[1] - grids.true_grade.points[0])
    halo = halo_table(grids.reliability, step, grids.reach if has_halo else 0)
    return Sharing(
        has_merit=layout.has_merit,
        is_on=has_halo,
        merit=merit,
        log_merit=log_normal_cell_masses(edges, 0.0, 1.0),
        halo=np.exp(halo.log_mass).astype(np.float32),
        log_halo=halo.log_mass.astype(np.float32),
        log_halo_by_row=np.ascontiguousarray(halo.log_mass.T).astype(np.float32),
        log_odds=halo.log_odds,
        log_share=halo.log_share,
        has_halo=np.isnan(layout.known.reliability) & has_halo,
    )


class HaloTable(NamedTuple):
    """Log odds of halo's share, their log prior masses, and (rows, values of η) log prior masses of halo."""

    log_odds: Floats
    log_share: Floats
    log_mass: Floats


@lru_cache(maxsize=4)
def _halo_table(first: float, last: float, count: int, step: float, reach: int) -> HaloTable:
    ratio = (np.log(last) - np.log(first)) / (count - 1)
    log_odds = np.log(SMALLEST_ODDS) + ratio * np.arange(float(N_SHARES))
    edges = np.concatenate([[0.0], expit((log_odds[1:] + log_odds[:-1]) / 2), [1.0]])
    log_share = np.log(np.diff(betainc(*HALO_PRIOR, edges)))
    row = np.arange(float(count + N_SHARES - 1)) - (N_SHARES - 1)
    sd = np.exp(0.5 * (np.log(SMALLEST_ODDS) - np.log(first) - ratio * row))
    ends = np.concatenate([[-np.inf], step * (np.arange(2.0 * reach) - reach + 0.5), [np.inf]])
    masses = log_normal_cell_masses(ends, np.zeros(len(row)), sd)
    return HaloTable(log_odds, log_share, np.maximum(masses, LOG_FLOOR))


def halo_table(reliability: Grid, step: float, reach: int) -> HaloTable:
    """The table for a grid of reliabilities, with η up to ``reach`` steps to either side."""
    points = reliability.points
    return _halo_table(float(points[0]), float(points[-1]), len(points), step, reach)
