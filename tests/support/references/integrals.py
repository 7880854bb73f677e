"""Exact leave-one-out on a small class whose graders are known: all that is left is an integral over true grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.model import Model

Floats = NDArray[np.float64]


@cache
def small_class() -> pg.Gradebook:
    """Six students, a TA and an instructor; missing components; a submission with a single review."""
    rubric = pg.Rubric.from_dict({"Structure": {"grades": "0 to 5 by 1"}, "Code": {"grades": [0, 0.5, 2, 3]}})
    book, _ = pg.simulate(6, 1, seed=4, reviews_per_student=3, tas=1, ta_share=0.34, calibrations=1, components=rubric)
    levels = book.levels.copy()
    levels[::5, 1] = -1
    kept = np.ones(book.n_reviews, bool)
    kept[np.flatnonzero(book.review_submission == 1)[1:]] = False
    return replace(book, levels=levels).select(kept)


NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(150)

TRUE_GRADES = {("week1-3", "Structure"): 4.0, ("week1-4", "Structure"): 5.0}
GRADERS = small_class().graders
KNOWN = pg.Fixed(
    reliability=dict(zip(GRADERS, (0.5, 0.9, 1.5, 0.7, 2.5, 1.1, 16.0, 3.0), strict=True)),
    bias=dict(zip(GRADERS, (0.3, -0.5, 0.0, 0.8, -0.2, 0.1, 0.2, -0.1), strict=True)),
    effort=dict(zip(GRADERS, (0.5, 0.8, 0.95, 0.3, 0.7, 0.6, 1.0, 1.0), strict=True)),
    true_grade=TRUE_GRADES,
)


def known_model(*, effort: bool, censoring: bool) -> Model:
    fixed = KNOWN if effort else replace(KNOWN, effort={})
    return Model(effort=effort, censoring=censoring, priors=pg.Priors.paper(mu_s=(3.5, 3.0), tau_l=2.0), fixed=fixed)


def true_grades(book: pg.Gradebook, model: Model, submission: int, index: int) -> tuple[Floats, Floats]:
    """Points and weights of a prior of a true grade: normal, or within the bin at which it is fixed."""
    mean, sd = (values[index] for values in model.hyperparameters.for_components(2))
    component = book.rubric.components[index]
    fixed = model.fixed.true_grade.get((book.submissions[submission], component.name))
    low, high = mean - 8 * sd, mean + 8 * sd
    if fixed is not None:
        level = component.level_of(fixed)
        low, high = max(float(component.edges[level]), low), min(float(component.edges[level + 1]), high)
    points = (low + high) / 2 + (high - low) / 2 * NODES
    weights = NODE_WEIGHTS * np.exp(-0.5 * ((points - mean) / sd) ** 2)
    return points, weights / weights.sum()


@dataclass(frozen=True)
class Review:
    """A review's probability at every pair of true grades: as the model sees it, and by its grades' bins."""

    weight: Floats
    mass: Floats


def review_of(book: pg.Gradebook, model: Model, review: int, levels: NDArray[np.integer]) -> Review:
    priors, grader = model.hyperparameters, book.graders[book.review_grader[review]]
    precision, bias = model.fixed.reliability[grader], model.fixed.bias[grader]
    effort = model.fixed.effort[grader] if model.effort else 1.0
    tables = {"mass": [np.ones((1, 1)), np.ones((1, 1))], "weight": [np.ones((1, 1)), np.ones((1, 1))]}
    for index, component in enumerate(book.rubric.components):
        level = levels[index]
        if level < 0:
            continue
        points, _ = true_grades(book, model, int(book.review_submission[review]), index)
        points = np.expand_dims(points, 1 - index)
        centres = (points + bias, np.array([[priors.for_components(2)[0][index]]]))
        low, high = component.edges[level], component.edges[level + 1]
        share = (min(high, 5.0) - max(low, 0.0)) / 5
        for kind, centre, tau in ((0, centres[0], precision), (1, centres[1], priors.tau_l)):
            mass = ndtr((high - centre) * np.sqrt(tau)) - ndtr((low - centre) * np.sqrt(tau))
            density = stats.norm.pdf(component.scaled[level], centre, tau**-0.5)
            if kind == 1:
                mass = (1 - priors.epsilon) * mass + priors.epsilon * share
                density = (1 - priors.epsilon) * density + priors.epsilon / 5
            tables["mass"][kind] = tables["mass"][kind] * mass
            tables["weight"][kind] = tables["weight"][kind] * (mass if model.censoring else density)
    mixed = {name: effort * careful + (1 - effort) * careless for name, (careful, careless) in tables.items()}
    return Review(**mixed)


def exact(book: pg.Gradebook, model: Model, review: int) -> tuple[float, Floats]:
    """The log probability of a review given the others, and the expected grade of each component."""
    submission = int(book.review_submission[review])
    weights = np.multiply.outer(*(true_grades(book, model, submission, index)[1] for index in range(2)))
    for other in np.flatnonzero(book.review_submission == submission):
        if other != review:
            weights = weights * review_of(book, model, int(other), book.levels[other]).weight
    weights /= weights.sum()
    log_mass = np.log((weights * review_of(book, model, review, book.levels[review]).mass).sum())
    means = np.full(2, np.nan)
    for index, component in enumerate(book.rubric.components):
        if book.levels[review, index] >= 0:
            alone = [np.where(np.arange(2) == index, level, -1) for level in range(component.n_levels)]
            masses = [(weights * review_of(book, model, review, levels).mass).sum() for levels in alone]
            means[index] = np.array(masses) @ component.scaled
    return float(log_mass), means
