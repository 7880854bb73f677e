"""What marks would severe and generous students get if everything but their own traits were known?

A fit has to learn a class's true grades and priors as well as each student. Here both are known, so that nobody can
judge a student better: of an honest student of reliability 1.5 who makes every effort, reliability, bias and effort are
inferred from the student's own reports alone, on a grid. What the marks still lose against those by true values is lost
because a few dozen reviews tell only so much about a student, and not by the fit.

``python benchmarks/study_generous.py [--students N]`` prints the dependability and the marks: for the usual class, one
near the top, and one in the middle of the scale, where fewer than a tenth of generous reports lie at an end; for biases
of −1, 0 and +1, and for 24 and 96 reviews of four components.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import beta, gamma, norm, sem

import peerage as pg
from peerage.decisions.credit_marks import CreditScale, weighted_quantile
from peerage.inference.sampling.draws import low_effort_masses_of_draws
from peerage.inference.summaries.information import GradedComponent, Traits
from peerage.rubric import Component
from tables import table

Floats = NDArray[np.float64]

KINDS = {
    "usual": pg.Priors.paper(),
    "near the top": pg.Priors.paper(mu_s=4.6),
    "in the middle": pg.Priors.paper(mu_s=2.0),
}
BIASES, REVIEWS, COMPONENTS = (-1.0, 0.0, 1.0), (24, 96), 4
RELIABILITY = 1.5

RELIABILITIES = np.geomspace(0.05, 12.0, 40)
OFFSETS = np.linspace(-2.5, 3.0, 56)
EFFORTS = (np.arange(40) + 0.5) / 40
"""The grid of reliabilities, biases and efforts."""

GRADED = Component("Grade", tuple(np.arange(6.0)))


def work_of(priors: pg.Priors) -> GradedComponent:
    """The true grades of such a class, and how they are graded."""
    mean, sd = (float(part[0]) for part in priors.for_components(1))
    return GradedComponent.of(
        GRADED, mean, sd, mean, low_effort_masses_of_draws(GRADED.edges, mean, priors.tau_l, priors.epsilon)
    )


def log_prior(priors: pg.Priors) -> Floats:
    """(reliability, bias, effort) of a student's traits; reliabilities are evenly spaced in their logs."""
    reliability = gamma.logpdf(RELIABILITIES, priors.alpha_tau, scale=1 / priors.beta_tau) + np.log(RELIABILITIES)
    bias, effort = norm.logpdf(OFFSETS, 0, priors.sigma_b), beta.logpdf(EFFORTS, priors.alpha_e, priors.beta_e)
    return np.asarray(reliability[:, None, None] + bias[:, None] + effort)


def log_likelihood(true: Floats, levels: NDArray[np.int64], low: Floats) -> Floats:
    """(reliability, bias, effort) of a student's reports on work whose true grades are known."""
    root, edges = np.sqrt(RELIABILITIES)[:, None], GRADED.edges
    ends = (edges[levels + step][..., None, None] - true[..., None, None] - OFFSETS for step in (0, 1))
    below, above = (ndtr(end * root) for end in ends)
    careful = np.log(np.maximum(above - below, 1e-300)).sum(axis=1)
    careless = np.log(low[levels]).sum(axis=1)[:, None, None, None]
    both = np.logaddexp(careful[..., None] + np.log(EFFORTS), careless + np.log1p(-EFFORTS))
    return np.asarray(both.sum(axis=0))


def judged(priors: pg.Priors, bias: float, reviews: int, students: int, seed: int) -> tuple[float, Floats]:
    """The true dependability of such a student, and the medians that their reports lead to."""
    rng, work, prior = np.random.default_rng(seed), work_of(priors), log_prior(priors)
    grid = np.meshgrid(RELIABILITIES, OFFSETS, EFFORTS, indexing="ij")
    reliability, offset, effort = (part.ravel() for part in grid)
    told, _ = work.equivalent(Traits.of(reliability, offset, effort=effort))
    deserved, _ = work.equivalent(Traits.of(np.array([RELIABILITY]), bias))
    medians = []
    for _ in range(students):
        true = rng.normal(work.mean, work.sd, (reviews, COMPONENTS))
        report = true + bias + rng.normal(0, RELIABILITY**-0.5, true.shape)
        levels = np.searchsorted(GRADED.edges, report) - 1
        log_mass = (prior + log_likelihood(true, levels, work.low)).ravel()
        mass = np.exp(log_mass - log_mass.max())
        medians.append(float(weighted_quantile(told[:, None], mass[:, None], 0.5)[0]))
    return float(deserved[0]), np.array(medians)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=40)
    asked = parser.parse_args()
    marks, rows = CreditScale().marks, []
    for (kind, priors), bias in product(KINDS.items(), BIASES):
        found = [judged(priors, bias, reviews, asked.students, seed=0) for reviews in REVIEWS]
        true = found[0][0]
        cells = [f"{true:.2f}, {marks(np.array([true]))[0]:.0f}"]
        for _, medians in found:
            given = marks(medians)
            cells.append(f"{medians.mean():.2f}, {given.mean():.0f} ± {sem(given):.0f}")
        rows.append((f"{kind}, {bias:+g}", *cells))
    print(table(("kind, bias", "by true values", *(f"by {reviews} reviews" for reviews in REVIEWS)), rows))


if __name__ == "__main__":
    main()
