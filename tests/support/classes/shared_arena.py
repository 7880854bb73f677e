"""Classes drawn from the model in which components share merit and halo, hyperparameters included.

Merit, halo, slopes and reports are drawn as the documentation has them, in continuous numbers. Reliabilities, biases
and efforts come from the priors that the sampler makes of the hyperparameters, which other tests compare with the
documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr

import peerage
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.hyperparameters import (
    DRIFT,
    EPSILON,
    ERROR,
    HABIT,
    HALO,
    HALO_HERE,
    MERIT,
    MU_L,
    N_CLASSWIDE,
    ROUNDED,
    SCALE,
    TAU_L,
    draw_hyperprior,
    of_components,
)
from peerage.model import Model
from peerage.rubric import Rubric
from support.classes.arena import Arena
from support.classes.coarse_grades import UNITS, bins, rounded, unit_shares

Floats = NDArray[np.float64]

COMPONENTS = 3


def shared_arena(model: Model, sweep: Any = None, grades: Sequence[float] = range(6)) -> Arena:
    """Twelve students who review three submissions each, and a TA, with three components.

    Where biases drift, there are three assignments, and six students who review two submissions in each.
    """
    students, weeks, reviews = (6, 3, 2) if model.drift else (12, 1, 3)
    rubric = Rubric.uniform("ABC", grades)
    book, _ = peerage.simulate(students, weeks, tas=1, reviews_per_student=reviews, components=rubric, seed=0)
    return Arena(model, sweep, book)


@dataclass(frozen=True)
class Drawn:
    """Hyperparameters by coordinate and everything that was drawn with them; halo is that of each review.

    Drifts stand as ``Layout.walks`` has them.
    """

    theta: Floats
    true_grade: Floats
    reliability: Floats
    bias: Floats
    effort: Floats
    effortful: NDArray[np.bool_]
    habit: NDArray[np.int32]
    merit: Floats
    halo: Floats
    slope: Floats
    drift: Floats


def draw_class(arena: Arena, rng: np.random.Generator) -> Drawn:
    """Hyperparameters from their hyperpriors, and a class from these."""
    book, layout = arena.book, arena.layout
    theta = draw_hyperprior(COMPONENTS, rng)
    theta[of_components(MU_L, COMPONENTS)] += arena.given.learning.mean_report
    if layout.has_merit:
        theta[MERIT] = logit(rng.beta(1.5, 1.5))
    if layout.has_halo:
        theta[HALO] = logit(np.clip(rng.beta(1.2, 2.0), 1e-4, 1 - 1e-4))
        theta[of_components(HALO_HERE, COMPONENTS)] = rng.normal(theta[HALO], 0.7, COMPONENTS)
        sizes = rng.normal(0, 0.25, COMPONENTS)
        theta[of_components(ERROR, COMPONENTS)] = sizes - sizes.mean()
    habit = np.zeros(book.n_graders, np.int32)
    if layout.n_habits:
        share = np.clip(rng.beta(1.0, 9.0), 1e-9, 1.0)
        theta[HABIT] = logit(share)
        has_one = layout.may_have_habit & (rng.random(book.n_graders) < share)
        habit[has_one] = rng.integers(1, layout.n_habits + 1, has_one.sum())
        habit[has_one & (rng.random(book.n_graders) < 0.5)] = layout.n_habits
    if any(rounding.units for rounding in layout.roundings):
        shares = np.clip(rng.dirichlet([4, 2, 1, 1])[:-1], 1e-9, 1 - 1e-9)
        theta[ROUNDED : ROUNDED + len(shares)] = logit(shares)
    if layout.walks.on:
        theta[DRIFT] = rng.normal(np.log(0.2), 0.8)
    refresh(arena.given, theta)
    beliefs, group = arena.given.beliefs, layout.group
    shape, rate = beliefs.reliability[group].T
    reliability = rng.standard_gamma(shape) / rate
    bias = rng.normal(*beliefs.bias[group].T) if layout.has_bias else np.zeros(book.n_graders)
    usual = rng.beta(beliefs.effort[0], beliefs.effort[1], book.n_graders)
    own = np.where(habit > 0, rng.beta(0.2, 9.8, book.n_graders), usual)
    effort = np.where(np.isnan(layout.known.effort), own, layout.known.effort)
    shared = expit(theta[MERIT])
    mean, sd = (theta[N_CLASSWIDE + part * COMPONENTS :][:COMPONENTS] for part in (0, 1))
    merit = rng.standard_normal(book.n_submissions)
    own = rng.standard_normal((book.n_submissions, COMPONENTS))
    grade = mean + np.exp(sd) * (np.sqrt(shared) * merit[:, None] + np.sqrt(1 - shared) * own)
    halo = reliability[book.review_grader] ** -0.5 * rng.standard_normal(book.n_reviews)
    slope = np.where(layout.may_stretch, rng.normal(1.0, np.exp(theta[SCALE]), book.n_graders), 1.0)
    return Drawn(
        theta,
        grade,
        reliability,
        bias,
        effort,
        rng.random(book.n_reviews) < effort[book.review_grader],
        habit,
        merit,
        halo,
        slope,
        _draw_drift(arena, np.exp(theta[DRIFT]), rng),
    )


def _draw_drift(arena: Arena, step: float, rng: np.random.Generator) -> Floats:
    """Random walks of those who drift, each less its mean."""
    walks = arena.layout.walks
    drift = np.zeros(walks.n_entries)
    for start in walks.start[walks.start > 0]:
        path = np.concatenate([[0.0], np.cumsum(step * rng.standard_normal(walks.n_weeks - 1))])
        drift[start : start + walks.n_weeks] = path - path.mean()
    return drift


def draw_reports(arena: Arena, drawn: Drawn, rng: np.random.Generator) -> Floats:
    """(reviews, components) levels."""
    book, theta = arena.book, drawn.theta
    grader, shape = book.review_grader, book.levels.shape
    usual = arena.given.learning.mean_report
    seen = usual + drawn.slope[grader, None] * (drawn.true_grade[book.review_submission] - usual)
    drift = drawn.drift[arena.layout.walks.entries(grader, book.review_submission)]
    own, loading = error_parts(theta)
    centre = seen + (drawn.bias[grader] + drift)[:, None] + loading * drawn.halo[:, None]
    careful = rng.normal(centre, np.sqrt(own) * drawn.reliability[grader, None] ** -0.5)
    usual = rng.normal(theta[of_components(MU_L, COMPONENTS)], np.exp(-0.5 * theta[TAU_L]), shape)
    careless = np.where(rng.random(shape) < EPSILON, rng.uniform(0, 5, shape), usual)
    values = np.where(drawn.effortful[:, None], careful, careless)
    grades = book.rubric.components[0].values
    by_unit = np.stack([rounded(values, grades, unit) for unit in UNITS])
    unit = np.searchsorted(np.cumsum(unit_shares(theta))[:-1], rng.random(shape), side="right")
    levels = np.take_along_axis(by_unit, unit[None], axis=0)[0].astype(float)
    keeps = ~drawn.effortful[:, None] & (drawn.habit[grader] > 0)[:, None] & (rng.random(shape) < 0.99)
    return np.where(keeps, arena.layout.favourite[drawn.habit[grader]], levels)


def error_parts(theta: Floats) -> tuple[Floats, Floats]:
    """(…, components) the variance of a component's own errors times the reliability, and the loading of halos."""
    shares = expit(theta[..., of_components(HALO_HERE, COMPONENTS)])
    sizes = np.exp(theta[..., of_components(ERROR, COMPONENTS)])
    return sizes**2 * (1 - shares), sizes * np.sqrt(shares)


def log_likelihood(
    arena: Arena,
    theta: Floats,
    s: Floats,
    tau: Floats,
    b: Floats,
    e: Floats,
    habit: NDArray[np.integer],
    slope: Floats,
    drift: Floats,
) -> Floats:
    """(draws,) log probability of all reports, efforts and halos summed out."""
    nodes = np.linspace(-4, 4, 41)
    weights = np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()
    starts, reviewer = arena.layout.reports.review_reports[:-1], arena.layout.reports.review_grader
    grades, level = arena.book.rubric.components[0].values, arena.seen.report_level
    # Units that round alike, as all do on a scale of whole grades, count once, with their shares together.
    ends, alike = np.unique([bins(grades, unit) for unit in UNITS], axis=0, return_inverse=True)
    low, high = ends.swapaxes(0, 1)[:, :, None, level]
    shares = (unit_shares(theta) @ (alike.reshape(-1, 1) == np.arange(len(ends)))).T[:, :, None]
    own, loading = (part[:, arena.layout.report_component] for part in error_parts(theta))
    precision = tau[:, arena.grader] / own
    sd = loading * tau[:, arena.grader] ** -0.5
    careful = np.zeros((len(s), len(starts)))
    usual = arena.given.learning.mean_report[arena.layout.report_component]
    seen = usual + slope[:, arena.grader] * (s[:, arena.cell] - usual) + b[:, arena.grader]
    seen = seen + drift[:, arena.given.places.review_drift[arena.layout.report_review]]
    for node, weight in zip(nodes, weights, strict=True):
        centre = seen + sd * node
        root = np.sqrt(precision)
        mass = (shares * (ndtr((high - centre) * root) - ndtr((low - centre) * root))).sum(axis=0)
        careful += weight * np.multiply.reduceat(mass, starts, axis=1)
    component = arena.layout.report_component
    centre = theta[:, of_components(MU_L, COMPONENTS)][:, component]
    root = np.exp(0.5 * theta[:, TAU_L, None])
    normal = ndtr((high - centre) * root) - ndtr((low - centre) * root)
    uniform = (np.clip(high, 0, 5) - np.clip(low, 0, 5)) / 5
    usual = (shares * ((1 - EPSILON) * normal + EPSILON * uniform)).sum(axis=0)
    code = habit[:, arena.grader]
    kept = arena.layout.favourite[code, component] == arena.seen.report_level
    careless = np.multiply.reduceat(np.where(code > 0, 0.01 * usual + 0.99 * kept, usual), starts, axis=1)
    effort = e[:, reviewer]
    return np.asarray(np.log(np.maximum(effort * careful + (1 - effort) * careless, 1e-300)).sum(axis=1))
