"""Priors from the learned hyperparameters. Equations are those of docs/model.md."""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.features.heaping import CoarseBins
from peerage.inference.latent.latent_arrays import Beliefs, Errors, Given, Learning, Levels, Places
from peerage.inference.numerics.arrays import F64, Flags
from peerage.inference.numerics.hyperparameters import (
    DRIFT,
    EPSILON,
    ERROR,
    HALO_HERE,
    MACHINE_SHAPE,
    MACHINES,
    MERIT,
    N_CLASSWIDE,
    N_PER_COMPONENT,
    N_UNITS,
    RELIABILITY,
    RELIABILITY_TA,
    ROUNDED,
    SCALE,
    SHAPE,
    TA_SHAPE,
    TAS,
    TAU_L,
    bias_prior,
    effort_prior,
    mu_l,
    mu_s,
    place_of,
    sigma_s,
)
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import ROOT_HALF
from peerage.rubric import MODEL_MAXIMUM


@jit
def share_of(coordinate: float) -> float:
    """A share from its logit."""
    return 1.0 / (1.0 + math.exp(-coordinate))


@jit
def refresh_merit(beliefs: Beliefs, theta: F64) -> None:
    """The share of merit, q of equation (S3)."""
    beliefs.merit[0] = share_of(theta[MERIT])


@jit
def error_parts(theta: F64, component: int) -> tuple[float, float]:
    """The precision of a component's own errors beside the reliability, and the loading of halos: equation (S2)."""
    odds = math.exp(theta[place_of(theta, HALO_HERE, component)])
    size = math.exp(theta[place_of(theta, ERROR, component)])
    return (1.0 + odds) / (size * size), size * math.sqrt(odds / (1.0 + odds))


@jit(makes_arrays=True)
def refresh_errors(places: Places, has_halo: Flags, errors: Errors, theta: F64) -> None:
    """What the errors of all whose reviews have a halo are made of: equation (S2).

    It is found once for each component and then written to each report, where kernels read it in a row.
    """
    parts = np.empty(((len(theta) - N_CLASSWIDE) // N_PER_COMPONENT, 2))
    for component in range(len(parts)):
        parts[component, 0], parts[component, 1] = error_parts(theta, component)
    for review in range(len(places.review_grader)):
        if has_halo[places.review_grader[review]]:
            for report in range(places.review_reports[review], places.review_reports[review + 1]):
                component = places.cell_component[places.report_cell[report]]
                own, loading = parts[component, 0], parts[component, 1]
                errors.own[report], errors.loading[report], errors.shared[report] = own, loading, own * loading


@jit
def refresh_grades(beliefs: Beliefs, theta: F64) -> None:
    """Mean and standard deviation of each component's true grades, equation (1)."""
    for component in range(len(beliefs.grade_mean)):
        beliefs.grade_mean[component] = mu_s(theta, component)
        beliefs.grade_sd[component] = sigma_s(theta, component)


@jit
def cell_prior(component: int, merit: float, share: float, means: F64, sds: F64) -> tuple[float, float]:
    """Precision and mean of a true grade given the merit of its submission and merit's share, equation (S1)."""
    sd = sds[component]
    return 1.0 / (sd * sd * (1.0 - share)), means[component] + sd * math.sqrt(share) * merit


@jit
def refresh_reliabilities(beliefs: Beliefs, theta: F64) -> None:
    """Shape and rate of each group's reliabilities, equation (1)."""
    for group in range(len(beliefs.reliability)):
        mean, shape = math.exp(theta[RELIABILITY]), math.exp(theta[SHAPE])
        if group == TAS:
            mean, shape = math.exp(theta[RELIABILITY_TA]), TA_SHAPE
        if group == MACHINES:
            mean, shape = 1.0, MACHINE_SHAPE
        beliefs.reliability[group, 0] = shape
        beliefs.reliability[group, 1] = shape / mean


@jit
def refresh_biases(learning: Learning, beliefs: Beliefs, theta: F64) -> None:
    """Mean and standard deviation of each group's biases, equation (1)."""
    for group in range(len(beliefs.bias)):
        mean, sd = bias_prior(group, learning.has_staff, learning.bias_spread, theta)
        beliefs.bias[group, 0], beliefs.bias[group, 1] = mean, sd


@jit
def refresh_rounding(coarse: CoarseBins, rounding: F64, theta: F64) -> None:
    """The probability of each grid of each component, ζ of equation (G1), from the shares of units."""
    rounding[:] = 0.0
    for component in range(len(coarse.kind)):
        begin = (N_UNITS + 1) * component
        rest, first = 1.0, ROUNDED + N_UNITS * coarse.kind[component]
        if coarse.kind[component] >= 0:
            for unit in range(N_UNITS):
                share = min(share_of(theta[first + unit]), rest)
                rounding[begin + coarse.grid_of[component, unit]] += share
                rest -= share
        rounding[begin] += rest


@jit
def low_effort_mass(low: float, high: float, centre: float, root: float) -> float:
    """Probability of a bin if no effort is made, equation (2), from the normal part's centre and root of precision."""
    below, above = (low - centre) * root * ROOT_HALF, (high - centre) * root * ROOT_HALF
    even = EPSILON * (min(high, MODEL_MAXIMUM) - max(low, 0.0)) / MODEL_MAXIMUM
    return (1.0 - EPSILON) * 0.5 * (math.erfc(-above) - math.erfc(-below)) + even


@jit
def fill_low_effort(component: int, levels: Levels, rounding: F64, theta: F64, out: F64) -> None:
    """Log probability of each level of a component if no effort is made and there is no habit: equations (2) and (G1).

    Below is that of each level or less, equation (F1), which reports on scales that are not heaped may say. Levels are
    visited in order, for each begins at the cut where the one before ends.
    """
    begun, last, or_less = levels.cut_start[component], levels.cut_start[component + 1], component + len(out) // 2
    centre, root = mu_l(theta, component), math.exp(0.5 * theta[TAU_L])
    previous, passed = 0.0, 0.0
    for place in range(begun, last + 1):
        reached, below = 1.0, MODEL_MAXIMUM
        if place < last:
            below = levels.cuts[place]
            reached = 0.5 * math.erfc(-(below - centre) * root * ROOT_HALF)
        even = EPSILON * (below - passed) / MODEL_MAXIMUM
        out[component, place - begun] = math.log((1.0 - EPSILON) * (reached - previous) + even)
        out[or_less, place - begun] = math.log((1.0 - EPSILON) * reached + EPSILON * below / MODEL_MAXIMUM)
        previous, passed = reached, below
    if levels.coarse.kind[component] >= 0:
        coarse, weights = levels.coarse, rounding
        for level in range(last + 1 - begun):
            code = component * out.shape[1] + level
            mass = weights[coarse.own[code]] * math.exp(out[component, level])
            for place in range(coarse.start[code], coarse.start[code + 1]):
                mass += weights[coarse.share[place]] * low_effort_mass(
                    coarse.low[place], coarse.high[place], centre, root
                )
            out[component, level] = math.log(mass)


@jit
def refresh(given: Given, theta: F64) -> None:
    """Fill in all priors: those of equations (1), (2), (S2), (S3), (L1), (W1) and (G1)."""
    learning, levels, beliefs = given.learning, given.levels, given.beliefs
    refresh_merit(beliefs, theta)
    if learning.has_halo:
        refresh_errors(given.places, given.graders.has_halo, beliefs.errors, theta)
    refresh_grades(beliefs, theta)
    refresh_reliabilities(beliefs, theta)
    refresh_biases(learning, beliefs, theta)
    beliefs.slope_sd[0], beliefs.step_sd[0] = math.exp(theta[SCALE]), math.exp(theta[DRIFT])
    refresh_rounding(levels.coarse, beliefs.rounding, theta)
    for component in range(len(beliefs.grade_mean)):
        fill_low_effort(component, levels, beliefs.rounding, theta, beliefs.low_effort)
    beliefs.effort[0], beliefs.effort[1] = effort_prior(theta)
