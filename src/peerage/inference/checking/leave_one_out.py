"""Leave-one-out: how well a fit predicts each review from all the others, without refitting.

A draw's prediction of a review sums out the true grades and the grader's effort, from the other reviews alone. What the
review taught about its grader's reliability and bias, and about learned priors, is undone by importance sampling with
weights 1/density, Pareto-smoothed. Plain importance sampling from the likelihood, true grades included, is not reliable
here: with three or four reports, each has a large say in its submission's true grade.

Reviews that a fit has not seen are predicted by its draws in the same way, where nothing has to be undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.features.heaping import weights_of
from peerage.inference.layout import Layout
from peerage.inference.numerics.leave_one_out_kernels import Parts, Prediction, Scale
from peerage.inference.numerics.psis import smooth_rows
from peerage.inference.report_bins import report_bins
from peerage.inference.sampling.chains import STORED, Samples, with_own_beliefs
from peerage.inference.sampling.draws import Draws
from peerage.inference.sampling.engine import AnyEngine
from peerage.inference.sampling.samplers import engine_of
from peerage.rubric import MODEL_MAXIMUM
from peerage.support.tasks.stop_requests import check_stopped

Floats = NDArray[np.float64]

DRAWS = 200
"""How many draws, spread over all chains, predict each review.

The sum of log probabilities of the standard class is then off by 4, where its standard error is 150.
"""

AT_ONCE = 10_000_000
"""How many predictions, one for each draw and review, are held in memory at a time; each takes some 16 bytes.

The reviews of one portion cannot be predicted without drawing those of all others too, so that portions are few.
"""

_FEW = 250
"""Of how many reviews the predictions are weighted at a time."""

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
    """

    log_mass: Floats
    pareto_k: Floats
    mean: Floats

    @property
    def untrusted(self) -> NDArray[np.bool_]:
        """(reviews,) whether the estimate may be off, because the review is too influential."""
        return self.pareto_k > TRUSTED_K


def leave_one_out(
    layout: Layout, samples: Samples, draws: Draws, seed: int, *, count: int = DRAWS, workers: int = 1
) -> LeaveOneOut:
    """Predict each review from all the others, those of some submissions at a time."""
    n_reviews, n_components = layout.book.n_reviews, len(layout.book.rubric)
    out = LeaveOneOut(np.empty(n_reviews), np.empty(n_reviews), np.full((n_reviews, n_components), np.nan))
    for some, predictions in _predicted(layout, samples, draws, seed, count, workers):
        _collect(layout, some, predictions, out)
        del predictions  # before the next ones are made
    return out


def predict_by_chain(
    layout: Layout, samples: Samples, draws: Draws, seed: int, *, count: int = DRAWS, workers: int = 1
) -> Floats:
    """(chains, reviews) the log probability of each review given all the others, by each chain's draws alone."""
    out = np.empty((samples.n_chains, layout.book.n_reviews))
    for some, predictions in _predicted(layout, samples, draws, seed, count, workers):
        for row, found in zip(out, predictions, strict=True):
            weights = np.array(-found.log_density.T, order="C")
            smooth_rows(weights)
            row[layout.review_order[some.reviews]] = _log_sum(weights + found.log_mass.T)
        del predictions, found  # before the next ones are made
    return out


def _predicted(
    layout: Layout, samples: Samples, draws: Draws, seed: int, count: int, workers: int
) -> Iterator[tuple[_Portion, list[Prediction]]]:
    """The reviews of some submissions at a time, and what each chain's draws say of them."""
    kept, everything = _kept(samples, count), np.ones(layout.book.n_reviews, bool)
    shared = _Shared.of(layout, samples, draws, seed, everything)
    with ThreadPoolExecutor(workers) as pool:
        for some in _portions(layout, AT_ONCE // (samples.n_chains * len(kept))):
            check_stopped()
            # Each chain's arrays are made when its turn comes: as many are held as there are workers.
            chains = range(samples.n_chains)
            yield some, list(pool.map(lambda chain, some=some: _Predictor(shared, chain).predict(kept, some), chains))


def predict_unseen(
    layout: Layout, seen: NDArray[np.bool_], samples: Samples, draws: Draws, seed: int, *, count: int = DRAWS
) -> Floats:
    """Log probability of each review that is not ``seen``, by draws of a fit to those that are.

    ``layout`` has all reviews; ``seen`` and the result are in the gradebook's order.
    """
    known = seen[layout.review_order]
    wanted = _Portion.of(layout, ~known)
    shared, kept = _Shared.of(layout, samples, draws, seed, known), _kept(samples, count)
    found_by = (_Predictor(shared, chain).predict(kept, wanted).log_mass for chain in range(samples.n_chains))
    logs = np.concatenate(list(found_by))
    found = np.full(layout.book.n_reviews, np.nan)
    found[layout.review_order[wanted.reviews]] = _log_sum(logs.T) - np.log(len(logs))
    return found[~seen]


def _kept(samples: Samples, count: int) -> NDArray[np.int64]:
    """Which draws of each chain predict, if all chains together have ``count``."""
    per_chain = max(count // samples.n_chains, 1)
    return np.unique(np.linspace(0, samples.n_kept - 1, per_chain).round().astype(np.int64))


class _Portion(NamedTuple):
    """Some reviews: flags for all reviews of the layout, their places, and those of their reports."""

    flags: NDArray[np.bool_]
    reviews: NDArray[np.intp]
    reports: NDArray[np.intp]

    @classmethod
    def of(cls, layout: Layout, flags: NDArray[np.bool_]) -> _Portion:
        """The reviews whose flag is set."""
        return cls(flags, np.flatnonzero(flags), np.flatnonzero(flags[layout.report_review]))


def _portions(layout: Layout, n_reviews: int) -> Iterator[_Portion]:
    """All reviews, those of successive submissions together, in portions of about so many."""
    ends = layout.reports.submission_start[1:]
    submission = layout.book.review_submission[layout.review_order]
    first = 0
    while first < len(ends):
        limit = (ends[first - 1] if first else 0) + n_reviews
        last = max(int(np.searchsorted(ends, limit, side="right")), first + 1)
        yield _Portion.of(layout, (submission >= first) & (submission < last))
        first = last


class _Scales(NamedTuple):
    """The scale that a draw's predictions are on, but for what differs from draw to draw.

    Attributes
    ----------
    fixed: all that does not; ``rises`` are as if each grid were certain
    grid_of: (component, cut) the grid to which each cut belongs
    grades: (component, level) the grades on the model's scale
    """

    fixed: Scale
    grid_of: NDArray[np.int64]
    grades: Floats

    @classmethod
    def of(cls, layout: Layout) -> _Scales:
        """The scale of a class."""
        roundings = layout.roundings
        shape = len(roundings), max(sum(len(grid) - 1 for grid in rounding.grids) for rounding in roundings)
        cuts, rises, grid_of = np.full(shape, np.inf), np.zeros(shape), np.zeros(shape, np.int64)
        grades = np.zeros((len(roundings), layout.max_levels))
        for index, rounding in enumerate(roundings):
            scaled = rounding.component.scaled
            steps = [np.diff(scaled[levels]) for levels in rounding.grids]
            own = slice(sum(map(len, steps)))
            cuts[index, own] = np.concatenate([edges[1:-1] for edges in rounding.edges])
            rises[index, own] = np.concatenate(steps)
            grid_of[index, own] = np.repeat(np.arange(len(steps)), list(map(len, steps)))
            grades[index, : len(scaled)] = scaled
        favourite = grades[np.arange(len(grades)), layout.favourite]
        places, bins = (layout.report_component.astype(np.int64), layout.report_level), report_bins(layout)
        unknown = np.zeros(grades.shape), np.zeros(len(grades))
        fixed = Scale(*places, *bins, cuts, rises, *unknown, favourite, MODEL_MAXIMUM)
        return cls(fixed, grid_of, grades)

    def at(self, low_effort: Floats, weights: Floats) -> Scale:
        """The scale in a draw, with masses of grades without effort and weights of grids (component, …)."""
        rises = self.fixed.rises * np.take_along_axis(weights, self.grid_of, axis=1)
        return self.fixed._replace(rises=rises, low_effort=low_effort, careless=(low_effort * self.grades).sum(axis=1))


class _Shared(NamedTuple):
    """What the predictions of all chains share; ``seen`` are the reviews that the fit knew, in the layout's order."""

    layout: Layout
    engine: AnyEngine
    given: Any
    scales: _Scales
    samples: Samples
    low_effort: Floats
    seed: int
    seen: NDArray[np.bool_]

    @classmethod
    def of(cls, layout: Layout, samples: Samples, draws: Draws, seed: int, seen: NDArray[np.bool_]) -> _Shared:
        """The same for a fit."""
        engine = engine_of(layout)
        low_effort = draws.low_effort_masses()
        return cls(layout, engine, engine.prepare(layout), _Scales.of(layout), samples, low_effort, seed, seen)


class _Predictor:
    """One chain's predictions, draw by draw; reviews that were not seen are known to nobody."""

    def __init__(self, shared: _Shared, chain: int) -> None:
        layout, samples, seen = shared.layout, shared.samples, shared.seen
        self.kernel = shared.engine.leave_out
        self.layout, self.seed, self.scales = layout, (shared.seed, chain), shared.scales
        self.low_effort = shared.low_effort[chain]
        self.stored = {name: samples.draws[name][chain] for name in STORED} | {"hyper": samples.kept_hyper[chain]}
        self.rounding = weights_of(layout.roundings, samples.kept_hyper[chain])
        self.given = with_own_beliefs(shared.given)
        self.state = shared.engine.initial_state(layout, self.given, np.random.default_rng(0))
        self.work = shared.engine.new_work(layout)
        n_reviews, n_reports = layout.book.n_reviews, len(layout.report_level)
        self.out = Prediction(np.zeros(n_reviews), np.zeros(n_reviews), np.zeros(n_reports))
        n_seen = np.bincount(layout.reports.review_grader[seen], minlength=layout.n_graders)
        self.parts = Parts(seen, n_seen, seen)

    def predict(self, draws: NDArray[np.int64], some: _Portion) -> Prediction:
        """Predict some reviews in some draws, which are the first axis of the result."""
        n_reviews, n_reports = (len(draws), len(some.reviews)), (len(draws), len(some.reports))
        log_mass = np.empty(n_reviews)
        # A model of rounded reports uses what is predicted, the probability of a bin: that is held once.
        log_density = log_mass if self.layout.model.censoring else np.empty(n_reviews)
        found = Prediction(log_density, log_mass, np.empty(n_reports, np.float16))
        parts = self.parts._replace(wanted=some.flags)
        for place, draw in enumerate(draws):
            for name, stored in self.stored.items():
                if name in self.state._fields:
                    getattr(self.state, name)[:] = self._as_drawn(name, stored[draw])
            numbers = self._numbers("reliability"), self._numbers("bias")
            scale = self.scales.at(self.low_effort[draw], self.rounding[draw])
            rng = np.random.default_rng([*self.seed, int(draw)])  # whatever is predicted with which
            self.kernel(rng, self.given, self.state, self.work, *numbers, scale, parts, self.out)
            found.log_density[place] = self.out.log_density[some.reviews]
            found.log_mass[place] = self.out.log_mass[some.reviews]
            found.mean[place] = self.out.mean[some.reports]
        return found

    def _as_drawn(self, name: str, stored: NDArray[Any]) -> NDArray[Any]:
        """A stored draw as the kernel takes it: cells of a grid become numbers where these are what is sampled."""
        if getattr(self.state, name).dtype.kind == "f" and stored.dtype.kind == "u":
            points = getattr(self.layout.grids, name).points
            return np.asarray(points[np.minimum(stored, len(points) - 1)])
        return stored

    def _numbers(self, name: str) -> Floats:
        current, known = getattr(self.state, name), getattr(self.layout.known, name)
        if current.dtype.kind == "i":
            points = getattr(self.layout.grids, name).points
            current = points[np.minimum(current, len(points) - 1)]
        return np.asarray(np.where(np.isnan(known), current, known))


def _collect(layout: Layout, some: _Portion, predictions: list[Prediction], out: LeaveOneOut) -> None:
    """Fill in some reviews from each chain's predictions, a few at a time lest the weights take as much again."""
    owner = np.searchsorted(some.reviews, layout.report_review[some.reports])
    for begin in range(0, len(some.reviews), _FEW):
        few = slice(begin, begin + _FEW)
        place = layout.review_order[some.reviews[few]]
        densities = [-found.log_density[:, few].T for found in predictions]
        masses = [found.log_mass[:, few].T for found in predictions]
        weights = np.ascontiguousarray(np.concatenate(densities, axis=1))
        out.pareto_k[place] = smooth_rows(weights)
        out.log_mass[place] = _log_sum(weights + np.concatenate(masses, axis=1))
        reports = slice(*np.searchsorted(owner, [begin, begin + _FEW]))
        means = np.concatenate([found.mean[:, reports].T for found in predictions], axis=1)
        review, component = owner[reports] - begin, layout.report_component[some.reports[reports]]
        out.mean[place[review], component] = (np.exp(weights)[review] * means).sum(axis=1)


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum of exponentials along the last axis."""
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).sum(axis=-1)))
