"""The model with learned priors, merit, halo and slopes, in NumPyro: a second opinion on the sampler.

For a class of students alone. Efforts are summed out, everything else is sampled, merit and halo as standard normals.
NumPyro is imported where it is used, so that the module loads without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook
from peerage.inference.numerics.hyperparameters import (
    CLASSWIDE,
    EPSILON,
    ERROR_SPREAD,
    HALO_SPREAD,
    LARGEST_TAU_L,
    PER_COMPONENT,
)
from support.references.nuts import Reports, log_normal_mass

Floats = NDArray[np.float64]


def _errors(n_components: int, standard: Callable[..., Any]) -> tuple[Any, Any]:
    """How large the errors of each component are beside the others', and which share of them is halo."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    usual = numpyro.sample("halo", dist.Beta(1.2, 2.0))
    logit = jnp.log(usual) - jnp.log1p(-usual) + HALO_SPREAD * standard("halo_away", n_components)
    sizes = ERROR_SPREAD * standard("scaled_error", n_components)
    size = numpyro.deterministic("component_error", jnp.exp(sizes - sizes.mean()))
    return size, numpyro.deterministic("component_halo", 1 / (1 + jnp.exp(-logit)))


def shared_model(book: Gradebook) -> Callable[[], None]:
    """The NumPyro model; its deterministic sites have the names of the posterior's variables."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    reports, n_components = Reports.of(book), len(book.rubric)
    grader, submission = book.review_grader[reports.review], book.review_submission[reports.review]
    bins = np.stack([reports.component, reports.lower, reports.upper])
    (of_component, lower, upper), kind = np.unique(bins, axis=1, return_inverse=True)
    of_component = of_component.astype(int)
    uniform = (np.clip(upper, 0, 5) - np.clip(lower, 0, 5)) / 5
    priors = {entry.name: (entry.centre, entry.spread) for entry in (*CLASSWIDE, *PER_COMPONENT)}
    graded = zip(book.rubric.components, book.levels.T, strict=True)
    mean_report = np.array([np.nanmean(component.scaled[levels]) for component, levels in graded])
    n_graders, n_submissions, n_reviews = book.n_graders, book.n_submissions, book.n_reviews

    def coordinate(name: str, count: int = 1) -> Any:
        normal = dist.Normal(*priors[name]).expand([count]).to_event(1)
        drawn = numpyro.sample(f"theta_{name}", normal)
        return drawn[0] if count == 1 else drawn

    def standard(name: str, *shape: int) -> Any:
        return numpyro.sample(name, dist.Normal(0.0, 1.0).expand(list(shape)).to_event(len(shape)))

    def numpyro_model() -> None:
        merit = numpyro.sample("merit", dist.Beta(1.5, 1.5))
        size, halo = _errors(n_components, standard)
        differing, sd = coordinate("mu_s", n_components), jnp.exp(coordinate("sigma_s", n_components))
        mean = numpyro.sample("average", dist.Normal(*priors["mu_s"])) + differing - differing.mean()
        low_effort = mean_report + coordinate("mu_l", n_components)
        own = standard("own", n_submissions, n_components)
        both = jnp.sqrt(merit) * standard("shared", n_submissions)[:, None] + jnp.sqrt(1 - merit) * own
        true_grade = numpyro.deterministic("true_grade", mean + sd * both)
        bias = numpyro.deterministic("bias", jnp.exp(coordinate("sigma_b")) * standard("scaled_bias", n_graders))
        typical, shape = jnp.exp(coordinate("reliability")), jnp.exp(coordinate("reliability_shape"))
        gamma = dist.Gamma(shape, shape).expand([n_graders]).to_event(1)
        reliability = numpyro.deterministic("reliability", typical * numpyro.sample("scaled_reliability", gamma))
        share = 1 / (1 + jnp.exp(-coordinate("effort")))
        total = jnp.exp(coordinate("effort_concentration"))
        beta = dist.Beta(total * share, total * (1 - share)).expand([n_graders]).to_event(1)
        effort = numpyro.deterministic("effort", numpyro.sample("each_effort", beta))
        shared = standard("error", n_reviews)[reports.review] / jnp.sqrt(reliability[grader])
        slope = numpyro.deterministic("slope", 1.0 + jnp.exp(coordinate("scale")) * standard("scaled_slope", n_graders))
        usual = mean_report[reports.component]
        seen = usual + slope[grader] * (true_grade[submission, reports.component] - usual)
        centre = seen + bias[grader] + (size * jnp.sqrt(halo))[reports.component] * shared
        root = jnp.sqrt(reliability[grader]) / (size * jnp.sqrt(1 - halo))[reports.component]
        careful = (
            jnp.zeros(n_reviews).at[reports.review].add(log_normal_mass(reports.lower, reports.upper, centre, root))
        )
        precision = numpyro.sample("theta_tau_l", dist.TruncatedNormal(*priors["tau_l"], high=LARGEST_TAU_L))
        # Without effort, equal reports have equal probabilities.
        around = log_normal_mass(lower, upper, low_effort[of_component], jnp.exp(0.5 * precision))
        log_mass = jnp.log((1 - EPSILON) * jnp.exp(around) + EPSILON * uniform)
        careless = jnp.zeros(n_reviews).at[reports.review].add(log_mass[kind])
        chance = effort[book.review_grader]
        numpyro.factor("reports", jnp.logaddexp(jnp.log(chance) + careful, jnp.log1p(-chance) + careless).sum())

    return numpyro_model
