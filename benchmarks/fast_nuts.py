"""NumPyro's NUTS on the paper's model, written for speed: what a user who knows NumPyro well would run instead.

Efforts are summed out. Every grader is a student or a TA and grades all components, so that reports are a rectangle of
reviews and components and nothing is scattered. True grades are sampled as standard normal numbers. Arithmetic is in
32 bits. Loops over iterations are compiled along with them, so that Python has no part in either phase.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from peerage import Gradebook, Priors
from peerage.gradebook.book import MISSING, STUDENT, TA
from peerage.inference.numerics.likelihood import low_effort_masses
from peerage.rubric import MODEL_MAXIMUM

# One chain on one core: threads would only wait for each other. JAX reads this when it starts.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

Floats = NDArray[np.float64]

FAR = 1e4
"""Where the outermost bins end: an infinite end would make gradients NaN."""

SMALLEST = 1e-36
"""The least probability of a report, which 32 bits can still hold."""


@dataclass(frozen=True)
class Rectangle:
    """A class as arrays: (reviews, components) the ends of each report's bin; (reviews,) the rest.

    ``student`` is the grader's place among the students, of whom there are ``n_students``; of a TA it means nothing.
    ``careless`` is the log probability of a review without effort.
    """

    lower: Floats
    upper: Floats
    careless: Floats
    grader: NDArray[np.int32]
    submission: NDArray[np.int32]
    by_student: NDArray[np.bool_]
    student: NDArray[np.int64]
    n_students: int

    @classmethod
    def of(cls, book: Gradebook, priors: Priors) -> Self:
        """Lay out a class, which must be as simple as the module says."""
        if (book.levels == MISSING).any() or not np.isin(book.roles, (STUDENT, TA)).all():
            raise ValueError("only for a class of students and TAs who grade every component")
        means, _ = priors.for_components(len(book.rubric))
        lower, upper, careless = np.empty(book.levels.shape), np.empty(book.levels.shape), np.zeros(book.n_reviews)
        for index, component in enumerate(book.rubric.components):
            level, ends = book.levels[:, index], np.clip(component.edges, -FAR, FAR)
            lower[:, index], upper[:, index] = ends[level], ends[level + 1]
            masses = low_effort_masses(component.cuts, means[index], priors.tau_l, priors.epsilon, MODEL_MAXIMUM)
            careless += np.log(masses)[level]
        is_student, grader = book.roles == STUDENT, book.review_grader
        place = np.maximum(is_student.cumsum() - 1, 0)
        return cls(
            lower,
            upper,
            careless,
            grader,
            book.review_submission,
            by_student=is_student[grader],
            student=place[grader],
            n_students=int(is_student.sum()),
        )


def paper_model(book: Gradebook, priors: Priors) -> Callable[[], None]:
    """The NumPyro model; site ``standard`` has the true grades in standard deviations from their prior mean."""
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.special import erfc
    from numpyro import distributions as dist

    reports, (means, deviations) = Rectangle.of(book, priors), priors.for_components(len(book.rubric))
    lower, upper, careless = (jnp.asarray(values) for values in (reports.lower, reports.upper, reports.careless))
    is_student, root_half = book.roles == STUDENT, float(np.sqrt(0.5))
    shape = jnp.where(is_student, priors.alpha_tau, priors.alpha_tau_ta)
    rate = jnp.where(is_student, priors.beta_tau, priors.beta_tau_ta)

    def numpyro_model() -> None:
        grades = dist.Normal(0.0, 1.0).expand([book.n_submissions, len(book.rubric)])
        standard = numpyro.sample("standard", grades.to_event(2))
        reliability = numpyro.sample("reliability", dist.Gamma(shape, rate).to_event(1))
        bias = numpyro.sample("bias", dist.Normal(0.0, priors.sigma_b).expand([book.n_graders]).to_event(1))
        efforts = dist.Beta(priors.alpha_e, priors.beta_e).expand([reports.n_students])
        effort = numpyro.sample("effort", efforts.to_event(1))[reports.student]
        true_grade = jnp.asarray(means) + jnp.asarray(deviations) * standard
        expected = true_grade[reports.submission] + bias[reports.grader][:, None]
        root = jnp.sqrt(reliability)[reports.grader][:, None] * root_half
        low, high = (lower - expected) * root, (upper - expected) * root
        # A difference of two tails loses nothing on the bin's own side of the mean.
        beyond = low > 0
        far, near = jnp.where(beyond, high, -low), jnp.where(beyond, low, -high)
        careful = jnp.log(jnp.maximum(0.5 * (erfc(near) - erfc(far)), SMALLEST)).sum(axis=1)
        mixed = jnp.logaddexp(jnp.log(effort) + careful, jnp.log1p(-effort) + careless)
        numpyro.factor("reports", jnp.where(reports.by_student, mixed, careful).sum())

    return numpyro_model


def sample(book: Gradebook, priors: Priors, warm_up: int, draws: int, seed: int) -> tuple[dict[str, Floats], float]:
    """(1, draws, entries) of each variable, and the core-seconds of both phases, compilation not included."""
    import jax
    import jax.numpy as jnp
    from numpyro.infer import NUTS, init_to_value

    n_students, shape = int((book.roles == STUDENT).sum()), (book.n_submissions, len(book.rubric))
    start = {
        "standard": jnp.zeros(shape),
        "reliability": jnp.ones(book.n_graders),
        "bias": jnp.zeros(book.n_graders),
        "effort": jnp.full(n_students, 0.8),
    }
    kernel = NUTS(paper_model(book, priors), init_strategy=init_to_value(values=start))
    state = kernel.init(jax.random.PRNGKey(seed), warm_up, None, (), {})

    def settle(state: Any, _: None) -> tuple[Any, None]:
        return kernel.sample(state, (), {}), None

    def draw(state: Any, _: None) -> tuple[Any, Any]:
        state = kernel.sample(state, (), {})
        return state, state.z

    phases = [
        jax.jit(lambda state, step=step, length=length: jax.lax.scan(step, state, None, length=length))
        .lower(state)
        .compile()
        for step, length in ((settle, warm_up), (draw, draws))
    ]
    begun = time.process_time()
    state, _ = phases[0](state)
    _, drawn = phases[1](state)
    unconstrained = {name: np.asarray(values) for name, values in drawn.items()}  # waits until all is there
    seconds = time.process_time() - begun
    found = jax.vmap(kernel.postprocess_fn((), {}))(unconstrained)
    means, deviations = (np.array(values) for values in priors.for_components(len(book.rubric)))
    found["true_grade"] = means + deviations * np.asarray(found.pop("standard"), np.float64)
    return {name: np.asarray(values, np.float64).reshape(1, draws, -1) for name, values in found.items()}, seconds
