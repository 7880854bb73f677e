"""What reports truly tell about the work, in the classes of Burrell and Schoenebeck.

A grader of bias b looks n = 1 + Poisson(effort) times at a work of true grade s ~ Binomial(10, 0.7); the sum of what is
seen is Binomial(10 n, (s + b)/10), and the report is the rounded average. So the probability of each report given each
true grade can be written down, and with it what a report takes off the variance of the true grade, as a precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, poisson

from peerage.simulation.burrell import QUALITY, TOP, LooksTruth

Floats = NDArray[np.float64]

GRADES = np.arange(TOP + 1)
MASSES = binom.pmf(GRADES, TOP, QUALITY)
MOST_LOOKS = 12


def reports_of(bias: float, effort: float) -> Floats:
    """(true grade, report) the probability of each report given each true grade."""
    chance = np.clip((GRADES + bias) / TOP, 0, 1)[:, None]
    out = np.zeros((len(GRADES), len(GRADES)))
    for looks in range(1, MOST_LOOKS + 1):
        sums = np.arange(TOP * looks + 1)
        seen = np.asarray(poisson.pmf(looks - 1, effort) * binom.pmf(sums, TOP * looks, chance))
        np.add.at(out.T, np.rint(sums / looks).astype(int), seen.T)
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def moved(reports: Floats, distance: float) -> Floats:
    """The same, if all reports are moved by so many grades, and rounded."""
    out = np.zeros_like(reports)
    np.add.at(out.T, np.clip(np.rint(GRADES + distance).astype(int), 0, TOP), reports.T)
    return out


def precision(reports: Floats) -> float:
    """What a report takes off the variance of a true grade, as a precision."""
    joint = MASSES[:, None] * reports
    mass = np.maximum(joint.sum(axis=0), 1e-300)
    left = GRADES**2 @ joint.sum(axis=1) - ((GRADES @ joint) ** 2 / mass).sum()
    spread = MASSES @ GRADES**2 - (MASSES @ GRADES) ** 2
    return float(1 / left - 1 / spread)


def told(truth: LooksTruth) -> Floats:
    """(graders,) what each one's honest reports tell."""
    return np.array([precision(reports_of(*traits)) for traits in zip(truth.bias, truth.effort, strict=True)])


def told_corrected(truth: LooksTruth, seed: int) -> Floats:
    """(graders,) the same, if each moves against the own bias by what ``strategies.correct_bias`` draws."""
    distance = -np.sign(truth.bias) * np.abs(np.random.default_rng(seed).normal(size=len(truth.bias)))
    traits = zip(truth.bias, truth.effort, distance, strict=True)
    return np.array([precision(moved(reports_of(bias, effort), step)) for bias, effort, step in traits])
