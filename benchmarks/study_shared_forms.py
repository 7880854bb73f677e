"""What form the merit of a submission and the halo of a review have: held-out reviews, scored under several forms.

``python benchmarks/study_shared_forms.py OUT [GRADES …] [--folds N]`` fits a simulated class of ``unusual`` (halo .5,
merit .6: the same for all components) and the class of every file GRADES with each form by NumPyro's NUTS, without the
reviews of one of five folds, and scores those reviews by the log probability of the reported grades, their own halo
summed out. N folds are left out in turn (1 unless told otherwise). It prints the tables of docs/learned.md: differences
from the form that is the same for all components, paired by review, with standard errors. Scores are kept in OUT, so
that a run that was interrupted goes on where it stopped.

The model is that of docs/model.md with learned priors and slopes, for students who grade all components, without
habits and lowest grades, and with errors of one size for all components; with efforts for the simulated class and
without for the others. Arithmetic is in 32 bits, and there is one chain.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import peerage as pg
from fast_nuts import FAR, SMALLEST
from peerage.gradebook.book import MISSING, STUDENT
from peerage.inference.numerics.hyperparameters import CLASSWIDE, EPSILON, LARGEST_TAU_L, PER_COMPONENT
from tables import table
from unusual import Kind, draw_class

PLAIN = "the same for all components"
FORMS = {
    PLAIN: (False, False, False),
    "one size of halo": (True, False, False),
    "merit by component": (False, True, False),
    "merit and halo by component": (False, True, True),
}
"""Whether halos have one size for all graders, whatever their errors; whether shares of merit, and of halo, differ by
component."""

SIMULATED = "simulated"
FOLDS, WARM_UP, DRAWS = 5, 300, 400
NODES = np.linspace(-5.0, 5.0, 61)
"""Where a halo is summed out, in standard deviations."""

SIZE, MERITS, HALOS = "halo_size", "merits_differ", "halos_differ"
SHOWN = ("merit", "halo", SIZE, MERITS, HALOS)
PRIORS = {entry.name: (entry.centre, entry.spread) for entry in (*CLASSWIDE, *PER_COMPONENT)}

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reviews:
    """A class as arrays.

    Attributes
    ----------
    level: (reviews, components) the places of the reported grades on their scales
    lower, upper: (components, levels) the ends of each grade's bin
    usual: (components,) the mean report
    grader, submission: (reviews,) whose review of what it is
    n_graders, n_submissions: how many there are
    with_effort: whether some reviews may be made without effort
    """

    level: NDArray[np.int16]
    lower: Floats
    upper: Floats
    usual: Floats
    grader: NDArray[np.int32]
    submission: NDArray[np.int32]
    n_graders: int
    n_submissions: int
    with_effort: bool

    @classmethod
    def of(cls, book: pg.Gradebook, *, with_effort: bool) -> Self:
        """Lay out a class, which must be as simple as the module says."""
        if (book.levels == MISSING).any() or (book.roles != STUDENT).any():
            raise ValueError("only for a class of students who grade every component")
        parts = book.rubric.components
        ends = np.clip(np.stack([part.edges for part in parts]), -FAR, FAR)
        usual = [part.scaled[levels].mean() for part, levels in zip(parts, book.levels.T, strict=True)]
        return cls(
            book.levels,
            ends[:, :-1],
            ends[:, 1:],
            np.array(usual),
            book.review_grader,
            book.review_submission,
            book.n_graders,
            book.n_submissions,
            with_effort,
        )

    def fold(self, seed: int) -> NDArray[np.int64]:
        """(reviews,) which fold each is in: those of a submission are dealt out, beginning anywhere."""
        rng = np.random.default_rng(seed)
        fold = np.empty(len(self.grader), np.int64)
        for submission in range(self.n_submissions):
            mine = rng.permutation(np.flatnonzero(self.submission == submission))
            fold[mine] = (rng.integers(FOLDS) + np.arange(len(mine))) % FOLDS
        for place in range(FOLDS):
            kept = fold != place
            if len(np.unique(self.grader[kept])) < self.n_graders:
                raise ValueError("a grader has all reviews in one fold")
        return fold


# The model


def shared_forms(reviews: Reviews) -> Callable[[Any, Any], None]:
    """The NumPyro model; its arguments say which reviews are seen, and which of ``FORMS`` it has.

    What a form does not use is drawn all the same, from its prior: so one compiled model serves all forms.
    """
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    n_graders, n_submissions, n_components = reviews.n_graders, reviews.n_submissions, reviews.level.shape[1]

    def true_grades(differ: Any) -> Any:
        merit = share("merit", (1.5, 1.5), n_components, differ)
        differing, sd = coordinate("mu_s", n_components), jnp.exp(coordinate("sigma_s", n_components))
        mean = numpyro.sample("average", dist.Normal(*PRIORS["mu_s"])) + differing - differing.mean()
        own = standard("own", n_submissions, n_components)
        shared = standard("shared", n_submissions)[:, None]
        return mean + sd * (jnp.sqrt(merit) * shared + jnp.sqrt(1 - merit) * own)

    def errors(one_size: Any, differ: Any) -> tuple[Any, Any]:
        """(graders, components) the size of halos, and the root of the precision of what is left."""
        typical, shape = jnp.exp(coordinate("reliability")), jnp.exp(coordinate("reliability_shape"))
        gamma = dist.Gamma(shape, shape).expand([n_graders]).to_event(1)
        reliability = (typical * numpyro.sample("scaled_reliability", gamma))[:, None]
        size = numpyro.sample(SIZE, dist.LogNormal(np.log(0.5), 0.8))
        halo = share("halo", (1.2, 2.0), n_components, differ)
        left = jnp.where(one_size, 1.0, 1 - halo)
        return jnp.where(one_size, size, jnp.sqrt(halo / reliability)), jnp.sqrt(reliability / left)

    def without_effort() -> Any:
        """(components, levels) the log probabilities of reports without effort."""
        centre = (reviews.usual + coordinate("mu_l", n_components))[:, None]
        precision = numpyro.sample("theta_tau_l", dist.TruncatedNormal(*PRIORS["tau_l"], high=LARGEST_TAU_L))
        around = jnp.exp(log_mass(reviews.lower, reviews.upper, centre, jnp.exp(0.5 * precision)))
        uniform = (np.clip(reviews.upper, 0, 5) - np.clip(reviews.lower, 0, 5)) / 5
        return jnp.log((1 - EPSILON) * around + EPSILON * uniform)

    def numpyro_model(seen: Any, form: Any) -> None:
        one_size, merits_differ, halos_differ = form
        drawn = {"true_grade": true_grades(merits_differ)}
        drawn["bias"] = jnp.exp(coordinate("sigma_b")) * standard("scaled_bias", n_graders)
        drawn["slope"] = 1.0 + jnp.exp(coordinate("scale")) * standard("scaled_slope", n_graders)
        drawn["size"], drawn["root"] = errors(one_size, halos_differ)
        if reviews.with_effort:
            each, total = 1 / (1 + jnp.exp(-coordinate("effort"))), jnp.exp(coordinate("effort_concentration"))
            beta = dist.Beta(total * each, total * (1 - each)).expand([n_graders]).to_event(1)
            drawn["effort"] = jnp.clip(numpyro.sample("each_effort", beta), 1e-6, 1 - 1e-6)
            drawn["careless"] = without_effort()
        for name, value in drawn.items():
            numpyro.deterministic(name, value)
        log_masses = review_masses(reviews, drawn, standard("halos", len(reviews.grader)))
        numpyro.factor("reports", jnp.where(seen, log_masses, 0.0).sum())

    return numpyro_model


def coordinate(name: str, count: int = 1) -> Any:
    """A hyperparameter on the real line, one or one for each component."""
    import numpyro
    from numpyro import distributions as dist

    drawn = numpyro.sample(f"theta_{name}", dist.Normal(*PRIORS[name]).expand([count]).to_event(1))
    return drawn[0] if count == 1 else drawn


def standard(name: str, *shape: int) -> Any:
    """Standard normal numbers."""
    import numpyro
    from numpyro import distributions as dist

    return numpyro.sample(name, dist.Normal(0.0, 1.0).expand(list(shape)).to_event(len(shape)))


def share(name: str, beta: tuple[float, float], n_components: int, differs: Any) -> Any:
    """(components,) one share, or one for each component around it."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    common = numpyro.sample(name, dist.Beta(*beta))
    spread = jnp.where(differs, numpyro.sample(f"{name}s_differ", dist.HalfNormal(1.0)), 0.0)
    logit = jnp.log(common) - jnp.log1p(-common) + spread * standard(f"own_{name}", n_components)
    return jnp.clip(1 / (1 + jnp.exp(-logit)), 1e-4, 1 - 1e-4)


def review_masses(reviews: Reviews, drawn: dict[str, Any], halo: Any) -> Any:
    """(reviews,) the log probability of all reports of each review, given its halo in standard deviations."""
    import jax.numpy as jnp

    grader, component = reviews.grader, np.arange(reviews.level.shape[1])
    seen = reviews.usual + drawn["slope"][grader][:, None] * (drawn["true_grade"][reviews.submission] - reviews.usual)
    centre = seen + drawn["bias"][grader][:, None] + drawn["size"][grader] * halo[:, None]
    lower, upper = reviews.lower[component, reviews.level], reviews.upper[component, reviews.level]
    careful = log_mass(lower, upper, centre, drawn["root"][grader]).sum(axis=1)
    if not reviews.with_effort:
        return careful
    effort, careless = drawn["effort"][grader], drawn["careless"][component, reviews.level].sum(axis=1)
    return jnp.logaddexp(jnp.log(effort) + careful, jnp.log1p(-effort) + careless)


def log_mass(lower: Any, upper: Any, mean: Any, root_precision: Any) -> Any:
    """The log probability that a normal number lies between two ends."""
    import jax.numpy as jnp
    from jax.scipy.special import erfc

    root = root_precision * float(np.sqrt(0.5))
    low, high = (lower - mean) * root, (upper - mean) * root
    # A difference of two tails loses nothing on the bin's own side of the mean.
    beyond = low > 0
    far, near = jnp.where(beyond, high, -low), jnp.where(beyond, low, -high)
    return jnp.log(jnp.maximum(0.5 * (erfc(near) - erfc(far)), SMALLEST))


# Fits and scores


def used(form: str) -> list[str]:
    """What is learned about merit and halo, of ``SHOWN``, in a form."""
    one_size, merits_differ, halos_differ = FORMS[form]
    is_used = {"halo": not one_size, SIZE: one_size, MERITS: merits_differ, HALOS: halos_differ}
    return [name for name in SHOWN if is_used.get(name, True)]


class Scorer:
    """Fits of a class, one compiled sampler for all."""

    def __init__(self, reviews: Reviews) -> None:
        from numpyro.infer import MCMC, NUTS, init_to_median

        self.reviews = reviews
        kernel = NUTS(shared_forms(reviews), init_strategy=init_to_median())
        options: dict[str, Any] = {"progress_bar": False, "jit_model_args": True}
        self.sampler = MCMC(kernel, num_warmup=WARM_UP, num_samples=DRAWS, **options)

    def scores(self, form: str, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """(reviews,) the log scores of a fit that sees some of them, the means of what was learned, and its R-hat."""
        import jax
        import jax.numpy as jnp
        from numpyro.diagnostics import split_gelman_rubin

        begun = time.process_time()
        self.sampler.run(jax.random.PRNGKey(0), jnp.asarray(seen), jnp.array(FORMS[form]), extra_fields=("num_steps",))
        drawn = self.sampler.get_samples()
        learned = {name: np.asarray(drawn[name], np.float64) for name in used(form)}
        thetas = [np.asarray(value).reshape(DRAWS, -1) for name, value in drawn.items() if name.startswith("theta_")]
        every = np.concatenate([*thetas, *(value[:, None] for value in learned.values())], axis=1)
        r_hat = np.asarray(np.max(split_gelman_rubin(every[None])))
        found = {"log_score": predicted(self.reviews, drawn), "r_hat": r_hat}
        steps = float(np.mean(self.sampler.get_extra_fields()["num_steps"]))
        print(f"{form}: {time.process_time() - begun:.0f} core-seconds, {steps:.0f} steps a draw", file=sys.stderr)
        return found | {name: np.asarray(value.mean()) for name, value in learned.items()}


def predicted(reviews: Reviews, drawn: dict[str, Any]) -> Floats:
    """(reviews,) the log of the mean over draws of each review's probability, its halo summed out."""
    import jax
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    weight = np.exp(-0.5 * NODES**2)
    log_weight = np.log(weight / weight.sum())
    names = ("true_grade", "bias", "slope", "size", "root", "effort", "careless")
    variables = {name: drawn[name] for name in names if name in drawn}

    def of_draw(one: dict[str, Any]) -> Any:
        def at_node(node: Any) -> Any:
            return review_masses(reviews, one, jnp.full(len(reviews.grader), node))

        return logsumexp(jax.vmap(at_node)(jnp.asarray(NODES)) + log_weight[:, None], axis=0)

    by_draw = np.asarray(jax.lax.map(of_draw, variables), np.float64)
    return np.asarray(np.logaddexp.reduce(by_draw, axis=0) - np.log(len(by_draw)))


def show(name: str, reviews: Reviews, out: Path, n_folds: int) -> None:
    """Fit a class with every form, unless that was done, and print its table."""
    fold, scorer = reviews.fold(seed=0), Scorer(reviews)
    scores: dict[str, Floats] = {}
    learned: dict[str, list[dict[str, Floats]]] = {form: [] for form in FORMS}
    for place, form in product(range(n_folds), FORMS):
        path = out / f"{name}, {form}, {place}.npz"
        if not path.exists():
            np.savez(path, **scorer.scores(form, fold != place))
        with np.load(path) as stored:
            found = dict(stored)
        score = scores.setdefault(form, np.full(len(fold), np.nan))
        score[fold == place] = found["log_score"][fold == place]
        learned[form].append(found)
    rows = []
    for form, score in scores.items():
        gap = (score - scores[PLAIN])[fold < n_folds]
        noise = np.sqrt(len(gap)) * gap.std(ddof=1)
        figure = f"{np.nansum(score):,.1f}" if form == PLAIN else f"{gap.sum():+.1f} ± {noise:.1f}"
        means = {part: np.mean([found[part] for found in learned[form]]) for part in used(form)}
        r_hat = max(float(found["r_hat"]) for found in learned[form])
        shown = ", ".join(f"{part.replace('_', ' ')} {mean:.2f}" for part, mean in means.items())
        rows.append((form, figure, f"{r_hat:.2f}", shown))
    heads = ("form", f"log score of {(fold < n_folds).sum()} held-out reviews", "R-hat", "learned")
    print(f"\n### {name}\n\n{table(heads, rows)}", flush=True)


def main() -> None:
    """Print the table of each class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("grades", type=Path, nargs="*")
    parser.add_argument("--folds", type=int, default=1, choices=range(1, FOLDS + 1))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for path in asked.grades:
        show(path.parent.name, Reviews.of(pg.read_grades(path), with_effort=False), asked.out, asked.folds)
    simulated = draw_class(Kind(halo=0.5, merit=0.6), seed=0).book
    show(SIMULATED, Reviews.of(simulated, with_effort=True), asked.out, asked.folds)


if __name__ == "__main__":
    main()
