"""What peers alone say of work that staff graded, where reports before rounding are drawn: kernels.

For a draw of the graders, the reports of a submission's peers before rounding are drawn by sweeps over that submission,
of which staff's reviews are no part. Given them its true grades are normal together, merit and halos summed out, by
equation (D5) of docs/model.md. How probable that makes the staff's grades is a sum over particles: each report in turn
has a normal distribution given those before it, its bin some mass, and the report before rounding is drawn within.
These are equations (C1) and (C2).
"""

from __future__ import annotations

import math

import numpy as np

from peerage.inference.latent.given_reports.grade_updates import load_grades
from peerage.inference.latent.grader_by_grader.latent_heaping import draw_rounded, rounded_mass
from peerage.inference.latent.latent_arrays import Given, Levels, State, Work
from peerage.inference.latent.local_sweeps import Drawn, hold_graders, sweep_once
from peerage.inference.numerics.arrays import F64, Flags, Sums
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import below, bin_mass, draw_in_bin
from peerage.inference.numerics.vectors import copy_into

_PARTICLES = 3
"""Histories of the staff's reports before rounding, over which a probability is averaged."""

_LEAST, _SMALL = 1e-290, 1e-10
"""No probability is smaller; products of probabilities are turned into logarithms when all are smaller than this."""


@jit(makes_arrays=True)
def estimate_from_peers(
    rng: np.random.Generator,
    has_effort: bool,
    has_bias: bool,
    given: Given,
    state: State,
    sums: Sums,
    work: Work,
    drawn: Drawn,
    settling: int,
    kept: int,
    values: F64,
    expected: F64,
    log_mass: F64,
) -> None:
    """For each draw: (draws, cells) expected grades from the peers alone, (draws, submissions) what staff then gave.

    For each, so many pairs of sweeps are discarded, and averages are over so many more. ``values`` are the grades of
    each component. Staff are those whose reviews are ``unseen``. What they gave has the
    log probability of equation (C1).
    """
    places = given.places
    size, n_submissions = work.matrix.shape[0], log_mass.shape[1]
    mean, covariance, gain = np.zeros(size), np.zeros((size + 1, size + 1)), np.zeros(size + 1)
    particles, masses = np.zeros((_PARTICLES, size + 1)), np.zeros(_PARTICLES)
    logs = np.zeros((kept, n_submissions))
    for draw in range(len(expected)):
        for cell in range(expected.shape[1]):
            expected[draw, cell] = 0.0
        hold_graders(draw, rng, has_effort, has_bias, given, state, drawn)
        for index in range(-settling, kept):
            for _ in range(2):
                sweep_once(rng, False, has_effort, drawn.unseen, given, state, sums, work)
            for submission in range(n_submissions if index >= 0 else 0):
                first, last = places.submission_cells[submission], places.submission_cells[submission + 1]
                load_grades(submission, places, given.beliefs, state, work.matrix, work.vector)
                _solve(last - first, work.matrix, work.vector, mean, covariance)
                for cell in range(first, last):
                    place, component = cell - first, places.cell_component[cell]
                    root = 1.0 / math.sqrt(covariance[place, place])
                    grade = _expected(component, mean[place], root, given.levels, values[component])
                    expected[draw, cell] += grade / kept
                for particle in range(_PARTICLES):
                    copy_into(particles[particle, : last - first], mean[: last - first])
                logs[index, submission] = _log_mass(
                    submission, rng, drawn.unseen, given, state, covariance, particles, masses, gain
                )
        for submission in range(n_submissions):
            log_mass[draw, submission] = _log_mean(logs[:, submission])


@jit
def _solve(size: int, matrix: F64, vector: F64, mean: F64, covariance: F64) -> None:
    """Mean and covariance of a normal distribution, from its precision matrix (its lower half) and weighted mean."""
    for j in range(size):
        for i in range(j, size):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
        root = math.sqrt(matrix[j, j])
        for i in range(j, size):
            matrix[i, j] /= root
    for column in range(size):  # the inverse of the triangle, in place of the covariance's lower half
        for i in range(column, size):
            total = 1.0 if i == column else 0.0
            for k in range(column, i):
                total -= matrix[i, k] * covariance[k, column]
            covariance[i, column] = total / matrix[i, i]
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, size):
                total += covariance[k, i] * covariance[k, j]
            covariance[i, j] = total
    for i in range(size):
        mean[i] = 0.0
        for j in range(size):
            covariance[i, j] = covariance[max(i, j), min(i, j)]
            mean[i] += covariance[i, j] * vector[j]


@jit
def _expected(component: int, mean: float, root: float, levels: Levels, values: F64) -> float:
    """The expected legal grade of a true grade that is normal, as equation (D5) has it."""
    total, passed, first = 0.0, 0.0, levels.cut_start[component]
    count = levels.cut_start[component + 1] - first
    for level in range(count + 1):
        reached = below((levels.cuts[first + level] - mean) * root) if level < count else 1.0
        total += (reached - passed) * values[level]
        passed = reached
    return total


@jit
def _log_mass(
    submission: int,
    rng: np.random.Generator,
    unseen: Flags,
    given: Given,
    state: State,
    covariance: F64,
    particles: F64,
    masses: F64,
    gain: F64,
) -> float:
    """The log probability of all that staff gave a submission, whose true grades are normal: equation (C2).

    The last row and column are of the halo of the review at hand. How uncertain true grades are does not depend on what
    is reported, so that all particles have one covariance matrix. ``masses`` and ``gain`` are room to work in.
    """
    places, errors, halo, log_scale = given.places, given.beliefs.errors, covariance.shape[0] - 1, 0.0
    size = places.submission_cells[submission + 1] - places.submission_cells[submission]
    for particle in range(len(masses)):
        masses[particle] = 1.0
    for position in range(places.submission_start[submission], places.submission_start[submission + 1]):
        review = places.submission_reviews[position]
        grader = places.review_grader[review]
        if not unseen[grader]:
            continue
        _forget_halo(covariance, particles, gain)
        if given.graders.has_halo[grader]:
            covariance[halo, halo] = 1.0 / state.reliability[grader]
        for report in range(places.review_reports[review], places.review_reports[review + 1]):
            cell = places.report_cell[report]
            own, slope = cell - places.submission_cells[submission], state.slope[grader]
            loading = errors.loading[report]
            variance = 1.0 / (state.reliability[grader] * errors.own[report])
            variance += slope * (slope * covariance[own, own] + 2.0 * loading * covariance[own, halo])
            variance += loading * loading * covariance[halo, halo]
            gain[halo] = (slope * covariance[halo, own] + loading * covariance[halo, halo]) / variance
            for i in range(size):
                gain[i] = (slope * covariance[i, own] + loading * covariance[i, halo]) / variance
            offset = state.bias[grader] + (1.0 - slope) * places.cell_centre[cell]
            offset += state.drift[places.review_drift[review]]
            for particle in range(len(particles)):
                known = particles[particle]
                centre, root = slope * known[own] + loading * known[halo] + offset, 1.0 / math.sqrt(variance)
                mass, latent = _observe(rng, report, centre, root, given.levels, given.beliefs.rounding)
                masses[particle] *= max(mass, _LEAST)
                for i in range(size):
                    known[i] += gain[i] * (latent - centre)
                known[halo] += gain[halo] * (latent - centre)
            log_scale += _rescaled(masses)
            for i in range(halo + 1):
                for j in range(halo + 1):
                    covariance[i, j] -= variance * gain[i] * gain[j]
    mean = 0.0
    for mass in masses:
        mean += mass / len(masses)
    return log_scale + math.log(mean)


@jit
def _rescaled(masses: F64) -> float:
    """Divide masses by their largest if that is very small; returns the logarithm of what they were divided by."""
    top = 0.0
    for mass in masses:
        top = max(top, mass)
    if top >= _SMALL:
        return 0.0
    for particle in range(len(masses)):
        masses[particle] /= top
    return math.log(top)


@jit
def _forget_halo(covariance: F64, particles: F64, gain: F64) -> None:
    """Begin a review, whose halo, in the last place, has nothing to do with what was known before."""
    halo = covariance.shape[0] - 1
    for place in range(halo + 1):
        covariance[halo, place] = covariance[place, halo] = gain[place] = 0.0
    for particle in range(len(particles)):
        particles[particle, halo] = 0.0


@jit
def _log_mean(logs: F64) -> float:
    """Log of the mean of exponentials."""
    top, mean = -math.inf, 0.0
    for value in logs:
        top = max(top, value)
    for value in logs:
        mean += math.exp(value - top) / len(logs)
    return top + math.log(mean)


@jit
def _observe(
    rng: np.random.Generator, report: int, centre: float, root: float, levels: Levels, rounding: F64
) -> tuple[float, float]:
    """The probability of a report whose value before rounding is normal, and a draw of that value given it.

    The first is a factor of equation (C2), the second is drawn from equation (D3), or (G3) where grades are heaped.
    """
    low, high = (levels.low[report] - centre) * root, (levels.high[report] - centre) * root
    beyond, mass = bin_mass(low, high)
    if levels.coarse.on:
        total = rounded_mass(levels.code[report], mass, centre, root, levels.coarse, rounding)
        low, high, coarse, weights = levels.low[report], levels.high[report], levels.coarse, rounding
        return total, draw_rounded(rng, levels.code[report], low, high, centre, root, coarse, weights)
    return mass, centre + draw_in_bin(rng, low, high, beyond, mass) / root
