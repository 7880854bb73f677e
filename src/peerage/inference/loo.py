"""Leave-one-out: how well a fit predicts each review from all the others, without refitting.

A draw's prediction of a review sums out the true grades and the grader's effort, from the other reviews alone. What the
review taught about its grader's reliability and bias, and about learned priors, is undone by importance sampling with
weights 1/density, Pareto-smoothed. Plain importance sampling from the likelihood, true grades included, is not reliable
here: with three or four reports, each has a large say in its submission's true grade.

Reviews that a fit has not seen are predicted by its draws in the same way, where nothing has to be undone.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.inference import censored, uncensored
from peerage.inference.draws import Draws
from peerage.inference.jit import jit
from peerage.inference.layout import Layout
from peerage.inference.leave_out import Parts, Prediction, Scale, leave_out, leave_out_exactly
from peerage.inference.predictive import report_bins
from peerage.inference.psis import smooth
from peerage.inference.sampler import Samples, with_own_beliefs

Floats = NDArray[np.float64]

DRAWS = 500
"""How many draws, spread over all chains, predict each review."""

TRUSTED_K = 0.7
"""Up to this Pareto shape, an importance-sampling estimate is reliable (Vehtari et al. 2024)."""


@dataclass(frozen=True)
class LeaveOneOut:
    """Predictions of each review from all the others; reviews and reports are in the gradebook's order.

    Attributes
    ----------
    log_mass: (reviews,) log probability of the review's grades, effort summed out
    pareto_k: (reviews,) the shape of the importance weights' tail
    mean: (reviews, components) expected grades on the model's scale, NaN where not graded
    by_chain: (chains, reviews) the same as ``log_mass`` from each chain alone
    """

    log_mass: Floats
    pareto_k: Floats
    mean: Floats
    by_chain: Floats

    @property
    def untrusted(self) -> NDArray[np.bool_]:
        """(reviews,) whether the estimate may be off, because the review is too influential."""
        return self.pareto_k > TRUSTED_K


def leave_one_out(
    layout: Layout, samples: Samples, draws: Draws, seed: int, *, count: int = DRAWS, workers: int = 1
) -> LeaveOneOut:
    """Predict each review from all the others."""
    kept = _kept(samples, count)
    low_effort = draws.low_effort_masses()
    n_reviews, n_reports = layout.book.n_reviews, len(layout.report_level)
    everything = np.ones(n_reviews, bool)
    chains, shape = samples.n_chains, (samples.n_chains, len(kept))
    log_density, log_mass = np.empty((*shape, n_reviews)), np.empty((*shape, n_reviews))
    mean = np.empty((*shape, n_reports), np.float32)

    def one_chain(chain: int) -> None:
        run = _Predictor(layout, samples, chain, np.random.default_rng([seed, chain]), everything, everything)
        for place, draw in enumerate(kept):
            out = run.predict(draw, low_effort[chain, draw])
            log_density[chain, place], log_mass[chain, place], mean[chain, place] = out

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one_chain, range(chains)))
    return _collect(layout, log_density, log_mass, mean)


def predict_unseen(
    layout: Layout, seen: NDArray[np.bool_], samples: Samples, draws: Draws, seed: int, *, count: int = DRAWS
) -> Floats:
    """Log probability of each review that is not ``seen``, by draws of a fit to those that are.

    ``layout`` has all reviews; ``seen`` and the result are in the gradebook's order.
    """
    kept = _kept(samples, count)
    low_effort = draws.low_effort_masses()
    order = layout.review_order
    known = seen[order]
    logs = []
    for chain in range(samples.n_chains):
        run = _Predictor(layout, samples, chain, np.random.default_rng([seed, chain]), known, ~known)
        logs += [run.predict(draw, low_effort[chain, draw]).log_mass[~known] for draw in kept]
    found = np.full(layout.book.n_reviews, np.nan)
    found[order[~known]] = _log_sum(np.array(logs).T) - np.log(len(logs))
    return found[~seen]


def _kept(samples: Samples, count: int) -> NDArray[np.int64]:
    """Which draws of each chain predict, if all chains together have ``count``."""
    per_chain = max(count // samples.n_chains, 1)
    return np.unique(np.linspace(0, samples.n_draws - 1, per_chain).round().astype(np.int64))


class _Predictor:
    """One chain's predictions of wanted reviews, draw by draw; reviews that were not seen are known to nobody."""

    def __init__(
        self,
        layout: Layout,
        samples: Samples,
        chain: int,
        rng: np.random.Generator,
        seen: NDArray[np.bool_],
        wanted: NDArray[np.bool_],
    ) -> None:
        engine: Any = censored if layout.model.censoring else uncensored
        self.kernel = leave_out if layout.model.censoring else leave_out_exactly
        self.layout, self.samples, self.chain, self.rng = layout, samples, chain, rng
        self.given = with_own_beliefs(engine.prepare(layout))
        self.state = engine.initial_state(layout, self.given, rng)
        self.work = engine.new_work(layout)
        n_reviews, n_reports = layout.book.n_reviews, len(layout.report_level)
        self.out = Prediction(np.zeros(n_reviews), np.zeros(n_reviews), np.zeros(n_reports))
        self.scale = _scale(layout)
        n_seen = np.bincount(layout.reports.review_grader[seen], minlength=layout.n_graders)
        self.parts = Parts(seen, n_seen, wanted)

    def predict(self, draw: int, low_effort: Floats) -> Prediction:
        """Predict all reviews in one draw."""
        stored = self.samples.draws
        values = {}
        for name in ("true_grade", "reliability", "bias", "effort"):
            getattr(self.state, name)[:] = stored[name][self.chain, draw]
        self.state.hyper[:] = self.samples.hyper[self.chain, draw]
        for name in ("reliability", "bias"):
            values[name] = self._numbers(name)
        scale = self.scale._replace(low_effort=low_effort)
        numbers = (values["reliability"], values["bias"])
        self.kernel(self.rng, self.given, self.state, self.work, *numbers, scale, self.parts, self.out)
        return self.out

    def _numbers(self, name: str) -> Floats:
        current, known = getattr(self.state, name), getattr(self.layout.known, name)
        if current.dtype.kind == "i":
            points = getattr(self.layout.grids, name).points
            current = points[np.minimum(current, len(points) - 1)]
        return np.asarray(np.where(np.isnan(known), current, known))


def _scale(layout: Layout) -> Scale:
    components = layout.book.rubric.components
    edges = np.full((len(components), layout.max_levels + 1), np.inf)
    grades = np.zeros((len(components), layout.max_levels))
    for index, component in enumerate(components):
        edges[index, : component.n_levels + 1] = component.edges
        grades[index, : component.n_levels] = component.scaled
    component_of = layout.report_component.astype(np.int64)
    return Scale(component_of, layout.report_level, *report_bins(layout), edges, grades, np.zeros(grades.shape))


def _collect(layout: Layout, log_density: Floats, log_mass: Floats, mean: NDArray[np.float32]) -> LeaveOneOut:
    n_reviews = log_density.shape[2]
    by_chain = []
    for density, mass in zip(log_density, log_mass, strict=True):
        own = np.ascontiguousarray(-density.T)
        _smooth_rows(own)
        by_chain.append(_log_sum(own + mass.T))
    weights = np.ascontiguousarray(-log_density.reshape(-1, n_reviews).T)
    pareto_k = _smooth_rows(weights)
    scores = log_mass.reshape(-1, n_reviews).T
    place = layout.review_order
    shares = np.exp(weights[layout.report_review])
    expected = (shares * mean.reshape(-1, mean.shape[2]).T).sum(axis=1)
    by_review = np.full((n_reviews, len(layout.book.rubric)), np.nan)
    by_review[place[layout.report_review], layout.report_component] = expected
    return LeaveOneOut(
        _in_order(_log_sum(weights + scores), place),
        _in_order(pareto_k, place),
        by_review,
        np.array([_in_order(row, place) for row in by_chain]),
    )


def _in_order(values: Floats, place: NDArray[np.int64]) -> Floats:
    """Values of the layout's reviews in the gradebook's order."""
    out = np.empty_like(values)
    out[place] = values
    return out


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum of exponentials along the last axis."""
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).sum(axis=-1)))


@jit
def _smooth_rows(log_ratios: Floats) -> Floats:
    shapes = np.empty(len(log_ratios))
    for row in range(len(log_ratios)):
        shapes[row] = smooth(log_ratios[row])
    return shapes
