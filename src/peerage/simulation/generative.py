"""The model run forwards: graders from their priors, true grades, efforts and reports.

The process, on the scale of 0 to 5, for grader v, submission u and component c:

- reliability τ_v ~ Gamma(α_τ, β_τ), the TAs' with parameters of their own; an instructor's is 16;
- bias b_v ~ N(0, σ_b²); effort e_v ~ Beta(α_e, β_e), 1 for TAs and instructors;
- true grade s_uc ~ N(μ_c, σ_c²);
- the review is effortful, z_uv ~ Bernoulli(e_v), as a whole;
- an effortful report is N(s_uc + b_v, 1/τ_v); any other is N(μ_c, 1/τ_ℓ), or, with probability ε, uniform on [0, 5],
  drawn for each component by itself;
- what is reported is the rubric grade whose bin the draw falls into.

The last step belongs to every simulated class, also of a model without censoring: graders can only report grades that
the rubric has, and a model without censoring is one that overlooks this.

Beyond the paper, the components of a submission may share a part q of the variance of their true grades (*merit*),
s_uc = μ_c + σ_c(√q·Q_u + √(1 − q)·R_uc), and those of an effortful review a part h of that of their errors (*halo*),
s_uc + b_v + τ_v^(−1/2)(√h·H_uv + √(1 − h)·E_uvc), with Q, R, H and E standard normal: equation (S1) of docs/model.md,
with errors of one size. Students may stretch or narrow the scale: μ_c + a_v(s_uc − μ_c) in place of s_uc,
a_v ~ N(1, ω²). Their biases may *drift*: b_v + d_vw in place of b_v in assignment w, a random walk of steps N(0, σ_d²)
less its mean over all assignments. On a fine scale a share of the reports may be rounded to whole numbers, halves,
fives or tens (*heaping*).

With correlation a report's precision is τ/λ, and that is what is called reliability. Graders who wrote something have
τ ~ N⁺(μ̄, σ̄² + 1/β₀), and what they wrote s_uc | τ ~ N(μ_c + k_c(τ − μ̄), 1/(1/σ_c² + β₀)), where
k_c = β₀/(1/σ_c² + β₀), μ̄ and σ̄² are averages over components, and several authors count with their mean τ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from peerage.errors import ModelError
from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA
from peerage.inference.features.heaping import UNITS, Rounding
from peerage.model import INSTRUCTOR_RELIABILITY, Model
from peerage.rubric import MODEL_MAXIMUM, Rubric

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class DrawnGraders:
    """(graders,) reliabilities, biases and efforts."""

    reliability: Floats
    bias: Floats
    effort: Floats


def draw_graders(
    model: Model, names: tuple[str, ...], roles: NDArray[np.int8], is_author: Flags, rng: np.random.Generator
) -> DrawnGraders:
    """Draw all graders from their priors; what the model fixes has its fixed value."""
    priors, count = model.hyperparameters, len(roles)
    by_students = rng.gamma(priors.alpha_tau, 1 / priors.beta_tau, count)
    by_tas = rng.gamma(priors.alpha_tau_ta, 1 / priors.beta_tau_ta, count)
    reliability = np.where(roles == TA, by_tas, by_students)
    if model.correlation:
        mean, sd = _correlated_prior(model)
        reliability = np.where(is_author, _positive_normal(mean, sd, count, rng) / priors.lambda_tau, reliability)
    reliability = np.where(roles == INSTRUCTOR, INSTRUCTOR_RELIABILITY, reliability)
    bias = rng.normal(0.0, priors.sigma_b, count) if model.bias else np.zeros(count)
    effort = rng.beta(priors.alpha_e, priors.beta_e, count) if model.effort else np.ones(count)
    effort = np.where(roles == STUDENT, effort, 1.0)
    # A Gamma of very small shape underflows to 0, which has no standard deviation.
    reliability = np.maximum(reliability, np.finfo(float).tiny)
    return DrawnGraders(
        _replace(reliability, names, "reliability", model.fixed.reliability),
        _replace(bias, names, "bias", model.fixed.bias),
        _replace(effort, names, "effort", model.fixed.effort),
    )


def draw_true_grades(
    model: Model,
    components: int,
    authors: tuple[tuple[int, ...], ...],
    reliability: Floats,
    rng: np.random.Generator,
    merit: float = 0.0,
) -> Floats:
    """Draw the (submissions, components) true grades, given the graders who wrote them.

    ``merit`` is the part of their variance that the components of a submission share.
    """
    priors = model.hyperparameters
    mu, sigma = (np.array(values) for values in priors.for_components(components))
    mean = np.broadcast_to(mu, (len(authors), components))
    sd = np.broadcast_to(sigma, mean.shape)
    if model.correlation:
        link = priors.sigma_tau**-2
        precision = sigma**-2 + link
        written = np.array([bool(team) for team in authors])[:, None]
        skill = priors.lambda_tau * np.array([reliability[list(team)].mean() if team else 0.0 for team in authors])
        mean = np.where(written, mu + link / precision * (skill[:, None] - mu.mean()), mean)
        sd = np.where(written, precision**-0.5, sd)
    if not merit:
        return rng.normal(mean, sd)
    shared = rng.standard_normal((len(authors), 1))
    return np.asarray(rng.normal(mean + sd * np.sqrt(merit) * shared, sd * np.sqrt(1 - merit)))


def draw_slopes(spread: float, roles: NDArray[np.int8], rng: np.random.Generator) -> Floats:
    """Draw the (graders,) slopes by which students stretch or narrow the scale; staff use it as it is."""
    if not spread:
        return np.ones(len(roles))
    return np.where(roles == STUDENT, rng.normal(1.0, spread, len(roles)), 1.0)


def draw_drift(step: float, drifts: Flags, weeks: int, rng: np.random.Generator) -> Floats:
    """Draw the (graders, weeks) distances of biases from their mean; some walk by steps, the others stay."""
    if not step:
        return np.zeros((len(drifts), weeks))
    path = np.cumsum(rng.normal(0.0, step, (len(drifts), weeks)), axis=1)
    return np.where(drifts[:, None], path - path.mean(axis=1, keepdims=True), 0.0)


def draw_effortful(effort: Floats, review_grader: NDArray[np.int64], rng: np.random.Generator) -> Flags:
    """Decide for each review whether effort is made."""
    return np.asarray(rng.random(len(review_grader)) < effort[review_grader])


def draw_reports(
    model: Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, halo: float = 0.0
) -> Floats:
    """Draw (reviews, components) reports before rounding.

    Parameters
    ----------
    centre: (reviews, components) true grade plus bias
    reliability: (reviews,) the reliability of the review's grader
    effortful: (reviews,) whether the review was made with effort
    halo: the part of the variance of an effortful report's error that the components of a review share
    """
    priors = model.hyperparameters
    mu, _ = priors.for_components(centre.shape[1])
    if halo:
        shared = rng.standard_normal((len(centre), 1))
        centre = centre + np.sqrt(halo / reliability[:, None]) * shared
    honest = rng.normal(centre, np.sqrt(1 - halo) * reliability[:, None] ** -0.5)
    guessed = rng.normal(mu, priors.tau_l**-0.5, centre.shape)
    uniform = rng.uniform(0.0, MODEL_MAXIMUM, centre.shape)
    shirked = np.where(rng.random(centre.shape) < priors.epsilon, uniform, guessed)
    return np.where(effortful[:, None], honest, shirked)


def to_levels(rubric: Rubric, reports: Floats) -> NDArray[np.int16]:
    """Round (reviews, components) reports to levels of the rubric."""
    columns = [
        np.searchsorted(component.cuts, reports[:, index], side="right")
        for index, component in enumerate(rubric.components)
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def heaped(rubric: Rubric, reports: Floats, shares: Mapping[float, float], rng: np.random.Generator) -> Floats:
    """(reviews, components) the same reports, of which shares are rounded to multiples of units or ends of the scale.

    Components whose scale does not have a unit are rounded to the next finer one that it has.
    """
    reports = reports.copy()
    for index, component in enumerate(rubric.components):
        rounding, values = Rounding.of(component), reports[:, index]
        units, weights = UNITS[rounding.kind], np.zeros(len(rounding.grids))
        for unit, share in shares.items():
            weights[rounding.grid_of[units.index(unit)] if unit in units else 0] += share
        weights[0] += 1 - weights.sum()
        grid = (rng.random(len(values))[:, None] >= np.cumsum(weights[:-1])).sum(axis=1)
        for place in range(1, len(rounding.grids)):
            grades, cuts = component.scaled[rounding.grids[place]], rounding.edges[place][1:-1]
            values[grid == place] = grades[np.searchsorted(cuts, values[grid == place], side="right")]
    return reports


def _correlated_prior(model: Model) -> tuple[float, float]:
    """Mean and standard deviation of the normal that authors' τ has before it is cut at zero."""
    priors = model.hyperparameters
    variance = float(np.mean(np.square(priors.sigma_s))) + priors.sigma_tau**2
    return float(np.mean(priors.mu_s)), variance**0.5


def _positive_normal(mean: float, sd: float, count: int, rng: np.random.Generator) -> Floats:
    """Normal draws, given that they are positive, by inverting the upper tail, which stays accurate far out."""
    tail = (1.0 - rng.random(count)) * ndtr(mean / sd)
    return np.asarray(mean - sd * ndtri(tail))


def _replace(values: Floats, names: tuple[str, ...], variable: str, fixed: Mapping[str, float]) -> Floats:
    """The values, with those that are fixed by a grader's name replaced."""
    places = {name: index for index, name in enumerate(names)}
    for name, value in fixed.items():
        if name not in places:
            raise ModelError(f"the fixed {variable} of {name!r} belongs to nobody in the class")
        values[places[name]] = value
    return values
