"""Priors that change with the learned hyperparameters, where components share merit and halo."""

from __future__ import annotations

import math

from peerage.inference.censored.cell_products import Int
from peerage.inference.censored.learning_graders import refresh_biases, refresh_low_effort, refresh_reliabilities
from peerage.inference.numerics.arrays import F32, F64, I32, I64, Beliefs, Learning, Scratch
from peerage.inference.numerics.grid_masses import ROOT_HALF
from peerage.inference.numerics.hyperparameters import HALO, MERIT, RELIABILITY, effort_prior, mu_s, sigma_s
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.likelihood import BLOCK
from peerage.inference.shared.shared_arrays import Given, Sharing

_WIDTHS = 6.2
"""Standard deviations beyond which a true grade's prior mass is left out: less than one part in a billion."""

_SMOOTH = 4.0
"""How many steps a standard deviation must have for cells to be narrow beside it."""

_ROOT_TWO_PI = 0.3989422804014327


@jit
def share_of(coordinate: float) -> float:
    """A share from its logit."""
    return 1.0 / (1.0 + math.exp(-coordinate))


@jit
def odds_index(theta: F64, sharing: Sharing) -> int:
    """Where the odds of halo's share are on their grid."""
    log_odds = sharing.log_odds
    place = (theta[HALO] - log_odds[0]) / (log_odds[1] - log_odds[0])
    return int(min(max(math.floor(place + 0.5), 0), len(log_odds) - 1))


@jit
def halo_row(reliability: Int, odds: int, sharing: Sharing) -> int:
    """The row of halo's prior masses for a reliability and a share; 0 where nothing is shared."""
    return int(reliability - odds + len(sharing.log_odds) - 1) if sharing.is_on else 0


@jit
def grade_prior(component: int, merit: float, theta: F64) -> tuple[float, float]:
    """Mean and standard deviation of a true grade given its submission's merit (equation S1)."""
    sd, shared = sigma_s(theta, component), share_of(theta[MERIT])
    return mu_s(theta, component) + sd * math.sqrt(shared) * merit, sd * math.sqrt(1.0 - shared)


@jit
def below(edge: float, mean: float, sd: float) -> float:
    """The normal probability of lying below an edge."""
    return 0.5 * math.erfc((mean - edge) / sd * ROOT_HALF)


@jit
def fill_grade_prior(edges: F64, mean: float, sd: float, out: F32, support: I64) -> None:
    """The prior mass of each cell, and where it is worth multiplying: a whole number of the processor's vectors."""
    size, step = len(out), edges[1] - edges[0]
    first = min(max(int((mean - _WIDTHS * sd - edges[0]) / step), 0), size - 1)
    last = min(max(int((mean + _WIDTHS * sd - edges[0]) / step) + 1, first + 1), size)
    for i in range(size):
        out[i] = 0.0
    if sd > _SMOOTH * step and first > 0 and last < size:
        _fill_smooth(edges, mean, sd, first, last, out)
    else:
        reached = 0.0
        for i in range(first, last):
            passed = below(edges[i + 1], mean, sd) if i < last - 1 else 1.0
            out[i] = passed - reached
            reached = passed
    width = (last - first + BLOCK - 1) // BLOCK * BLOCK
    support[0] = max(min(first, size - width), 0)
    support[1] = min(support[0] + width, size)


@jit
def _fill_smooth(edges: F64, mean: float, sd: float, first: int, last: int, out: F32) -> None:
    """Masses of cells much narrower than the prior: the density at the centre, corrected for its curvature.

    With z the centre in standard deviations and a = (step/sd)²/24, a cell's mass is its density times its width times
    1 + a(z² − 1), to fourth order. From the cell next to the mean outwards each density is the one before times a
    factor, which itself changes by a factor: exponentials of every cell would take longer than all else.
    """
    step = edges[1] - edges[0]
    middle = min(max(int((mean - edges[0]) / step), first), last - 1)
    width = step / sd
    bend, curve = math.exp(-width * width), width * width / 24.0
    for direction in (1, -1):
        z = direction * (edges[middle] + 0.5 * step - mean) / sd
        value = math.exp(-0.5 * z * z) * width * _ROOT_TWO_PI
        factor = math.exp(-0.5 * width * (2.0 * z + width))
        i = middle
        while first <= i < last:
            out[i] = value * (1.0 + curve * (z * z - 1.0))
            value *= factor
            factor *= bend
            z += width
            i += direction


@jit
def refresh_grades(learning: Learning, sharing: Sharing, beliefs: Beliefs, theta: F64) -> None:
    """The priors of true grades, for each component and merit."""
    edges = learning.true_grade_edges
    for component in range(beliefs.true_grade.shape[0]):
        fill_component(
            component, edges, sharing.merit, theta, beliefs.true_grade[component], beliefs.support[component]
        )


@jit
def fill_component(component: int, edges: F64, merit: F64, theta: F64, masses: F32, support: I64) -> None:
    """The prior of a component's true grades for each merit (equation S1)."""
    for k in range(len(merit)):
        mean, sd = grade_prior(component, merit[k], theta)
        fill_grade_prior(edges, mean, sd, masses[k], support[k])


@jit
def refresh(given: Given, theta: F64, habit: I32, scratch: Scratch) -> None:
    """Make all priors on the grids anew."""
    learning, sharing, beliefs = given.learning, given.sharing, given.beliefs
    if sharing.is_on:
        theta[HALO] = sharing.log_odds[odds_index(theta, sharing)]
    refresh_grades(learning, sharing, beliefs, theta)
    refresh_low_effort(given, theta, habit, scratch.low_effort)
    refresh_reliabilities(learning, beliefs, theta, scratch)
    refresh_biases(learning, beliefs, theta, scratch)
    beliefs.effort[0], beliefs.effort[1] = effort_prior(theta)


@jit
def node_spacing(theta: F64, n_components: float, step: float, sharing: Sharing) -> int:
    """How many steps apart the values of halo are that a review's efforts are weighed with (equation S7).

    Not much more than the standard deviation that a typical review leaves to its halo if all else is known: closer
    nodes would tell no more.
    """
    if not sharing.is_on:
        return 1
    odds = math.exp(theta[HALO])
    precision = math.exp(theta[RELIABILITY]) * (1.0 + odds)
    return max(int(2.0 / math.sqrt(precision * (n_components + 1.0 / odds)) / step), 1)
