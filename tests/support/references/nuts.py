"""The paper's model in NumPyro, sampled by NUTS with efforts summed out: a second opinion on the sampler.

The model is that of biases, efforts and censoring, without anything fixed by the user. NumPyro is imported where it is
used, so that the module loads without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook
from peerage.model import Model, Priors
from support.references import twin

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Reports:
    """The component grades, one entry each, with the ends of their bins on the scale of 0 to 5."""

    review: Ints
    component: Ints
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, book: Gradebook) -> Reports:
        """List the component grades of a gradebook."""
        review, component = np.nonzero(book.levels != MISSING)
        level = book.levels[review, component]
        ends = [twin.edges(book, index) for index in range(len(book.rubric))]
        pairs = zip(component, level, strict=True)
        bins = np.array([ends[index][place : place + 2] for index, place in pairs])
        return cls(review, component, bins[:, 0], bins[:, 1])


def log_normal_mass(lower: Floats, upper: Floats, mean: Any, root_precision: Any) -> Any:
    """log(Φ(upper) − Φ(lower)), accurate in both tails, and with gradients that stay finite."""
    import jax.numpy as jnp
    from jax.scipy.special import log_ndtr

    is_lowest, is_highest = np.isneginf(lower), np.isposinf(upper)
    # An infinite end would make gradients NaN even in the branch that `where` does not take.
    low = (np.where(is_lowest, upper - 1, lower) - mean) * root_precision
    high = (np.where(is_highest, lower + 1, upper) - mean) * root_precision
    is_right = ~is_lowest & (is_highest | (low + high > 0))
    near, far = jnp.where(is_right, -low, high), jnp.where(is_right, -high, low)
    # Beyond an open end there is nothing, as 30 standard deviations further out.
    far = jnp.where(is_lowest | is_highest, jnp.minimum(near, 0.0) - 30.0, far)
    below, above = log_ndtr(far), log_ndtr(near)
    return above + jnp.log(-jnp.expm1(below - above))


def paper_model(book: Gradebook, priors: Priors) -> Callable[[], None]:
    """The NumPyro model; its sites hold what is inferred, without clamped graders and components not graded."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    model, reports = Model(priors=priors), Reports.of(book)
    means, deviations = (np.array(values) for values in priors.for_components(len(book.rubric)))
    shape, rate = twin.gamma_prior(book, model)
    free_reliability, free_effort = inferred(book, model, "reliability"), inferred(book, model, "effort")
    known_reliability, known_effort = (twin.known(book, model, name) for name in ("reliability", "effort"))
    may_shirk = np.isnan(known_effort)[book.review_grader]
    careless = twin.log_low_effort(book, model, book.levels.astype(float)).sum(axis=1)
    grader, submission = book.review_grader[reports.review], book.review_submission[reports.review]
    place = np.nonzero(book.applicable)

    def numpyro_model() -> None:
        normal = dist.Normal(means[place[1]], deviations[place[1]])
        true_grade = jnp.zeros(book.applicable.shape)
        true_grade = true_grade.at[place].set(numpyro.sample("true_grade", normal.to_event(1)))
        bias = numpyro.sample("bias", dist.Normal(0.0, priors.sigma_b).expand([book.n_graders]).to_event(1))
        gamma = dist.Gamma(shape[free_reliability], rate[free_reliability])
        beta = dist.Beta(priors.alpha_e, priors.beta_e).expand([free_effort.size])
        reliability = jnp.asarray(known_reliability)
        reliability = reliability.at[free_reliability].set(numpyro.sample("reliability", gamma.to_event(1)))
        effort = jnp.where(np.isnan(known_effort), 0.5, known_effort)
        effort = effort.at[free_effort].set(numpyro.sample("effort", beta.to_event(1)))
        mean = true_grade[submission, reports.component] + bias[grader]
        mass = log_normal_mass(reports.lower, reports.upper, mean, jnp.sqrt(reliability)[grader])
        careful = jnp.zeros(book.n_reviews).at[reports.review].add(mass)
        chance = jnp.where(may_shirk, effort[book.review_grader], 0.5)
        mixed = jnp.logaddexp(jnp.log(chance) + careful, jnp.log1p(-chance) + careless)
        numpyro.factor("reports", jnp.where(may_shirk, mixed, careful).sum())

    return numpyro_model


def inferred(book: Gradebook, model: Model, variable: str) -> Ints:
    """The graders whose variable is not known."""
    return np.flatnonzero(np.isnan(twin.known(book, model, variable)))


def log_density(book: Gradebook, priors: Priors, state: twin.State) -> float:
    """The log density that NUTS samples from, efforts summed out, at a state, in double precision."""
    import jax
    from numpyro.infer.util import log_density as numpyro_log_density

    model = Model(priors=priors)
    sites = {
        "true_grade": state.true_grade[book.applicable],
        "bias": state.bias,
        "reliability": state.reliability[inferred(book, model, "reliability")],
        "effort": state.effort[inferred(book, model, "effort")],
    }
    with jax.enable_x64(True):
        return float(numpyro_log_density(paper_model(book, priors), (), {}, sites)[0])


def sampled(
    model: Callable[[], None], seed: int, warmup: int, draws: int, chains: int, target: float = 0.8
) -> dict[str, Floats]:
    """Draws of all sites of a NumPyro model, shaped (chain, draw, …); ``target`` is the rate of acceptance."""
    import jax
    from numpyro.infer import MCMC, NUTS, init_to_median

    with jax.enable_x64(True):
        sampler = MCMC(
            NUTS(model, init_strategy=init_to_median(), target_accept_prob=target),
            num_warmup=warmup,
            num_samples=draws,
            num_chains=chains,
            chain_method="sequential",
            progress_bar=False,
        )
        sampler.run(jax.random.key(seed))
        samples = sampler.get_samples(group_by_chain=True)
        return {name: np.asarray(values, dtype=np.float64) for name, values in samples.items()}


def by_variable(book: Gradebook, priors: Priors, samples: dict[str, Floats]) -> dict[str, Floats]:
    """Draws of the paper's model by variable, shaped (chain, draw, …) as those of a posterior.

    Clamped graders have their known values; a component that does not belong to a submission is NaN.
    """
    model, shape = Model(priors=priors), samples["bias"].shape[:2]
    grades = np.full((*shape, *book.applicable.shape), np.nan)
    grades[..., book.applicable] = samples["true_grade"]
    result = {"true_grade": grades, "bias": samples["bias"]}
    for variable in ("reliability", "effort"):
        result[variable] = np.tile(twin.known(book, model, variable), (*shape, 1))
        result[variable][..., inferred(book, model, variable)] = samples[variable]
    return result
