"""Where chains start: what they believe of the class before their first sweep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.features.heaping import draw_shares
from peerage.inference.layout import Layout
from peerage.inference.numerics.hyperparameters import (
    ALIKE,
    CLASSWIDE,
    DRIFT,
    EFFORT,
    HABIT,
    HALO,
    MEAN_BIAS,
    MERIT,
    MU_L,
    N_CLASSWIDE,
    RELIABILITY,
    SHAPE,
    SIGMA_S,
    TAU_L,
    draw_hyperprior,
    draw_shared_errors,
    of_components,
)

LOW_EFFORT_STARTS = ((0.8, 1.0, 0.0), (0.6, 3.9, 0.0), (0.8, 1.0, -1.5), (0.6, 3.9, 0.0))
"""With what chains start in turn: mean effort, and low-effort reports' precision and centre less the mean report."""

NEARLY_ALL = 0.9
"""The share of equal pairs of reports from which it may be that everybody saw the same, or that nobody looked."""

TRUSTING = {"effort": 0.92, "reliability": 10.0, "sigma_s": 0.3}
"""With what every second chain starts then."""


def is_trusting(layout: Layout, chain: int) -> bool:
    """Whether a chain starts in the belief that all reports were made with effort, and are precise.

    Where nearly all reports on the same work are equal, chains that start in the usual belief take one grader after
    another for somebody with a habit, and never come back. Which reading predicts better is found out later
    (:mod:`~peerage.inference.sampling.mirror_modes`).
    """
    return bool(layout.model.learned and chain % 2 == 1 and layout.agreement >= NEARLY_ALL)


def first_hyperparameters(
    layout: Layout, rng: np.random.Generator, chain: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where a chain's hyperparameters start, and the first widths of their moves; nothing if they are fixed.

    Chains start apart in what they think of low effort, lest all of them settle in a mirror image that calls
    those who do not try reliable, or take praise for careless where blame may as well be.
    """
    if not layout.model.learned:
        return np.zeros(0), np.zeros(0)
    n_components = len(layout.book.rubric)
    theta = draw_hyperprior(n_components, rng, spread=0.3)
    centre = of_components(MU_L, n_components)
    theta[N_CLASSWIDE : N_CLASSWIDE + n_components] = layout.mean_reports + 0.2 * rng.standard_normal(n_components)
    theta[centre] = layout.mean_reports + 0.2 * rng.standard_normal(n_components)
    theta[MEAN_BIAS] = 0.0
    if not layout.model.reliability:
        theta[SHAPE] = ALIKE
    effort, precision, offset = LOW_EFFORT_STARTS[chain % len(LOW_EFFORT_STARTS)]
    if is_trusting(layout, chain):
        effort, theta[RELIABILITY] = TRUSTING["effort"], np.log(TRUSTING["reliability"])
        theta[of_components(SIGMA_S, n_components)] = np.log(TRUSTING["sigma_s"])
    theta[EFFORT] = np.log(effort / (1 - effort))
    theta[TAU_L] = min(np.log(precision), layout.largest_tau_l)
    theta[centre] += offset
    for index, is_on in ((MERIT, layout.has_merit), (HALO, layout.has_halo)):
        if is_on:
            theta[index] = 0.5 * rng.standard_normal() - 0.5
    if layout.has_halo:
        draw_shared_errors(n_components, rng, theta)
    if layout.n_habits:
        theta[HABIT] = -2.5 + 0.5 * rng.standard_normal()
    if layout.walks.on:
        theta[DRIFT] += 0.3 * CLASSWIDE[DRIFT].spread * rng.standard_normal()
    draw_shares(layout.roundings, rng, theta)
    return theta, np.full(len(theta), 0.2)
