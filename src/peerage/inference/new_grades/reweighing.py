"""A posterior after staff's new reviews, from the draws that it has: an update in a moment.

Each draw of the graders and of the class counts by how probable it makes the new grades, given all other reviews of the
same submissions. Resampled by these weights, they are draws of the new posterior, and given each of them the
submissions with new grades are drawn anew by sweeps over these alone. What is said of other submissions from averages
over sweeps, such as probabilities of legal grades, stays as it was; intervals and totals, which are from draws, move.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, STUDENT, Gradebook
from peerage.gradebook.merging import merged
from peerage.inference.fitted import Fitted
from peerage.inference.latent.latent_peers import estimate_from_peers
from peerage.inference.latent.local_sweeps import KEPT, Drawn, sweep_locally
from peerage.inference.layout import Layout, lay_out
from peerage.inference.new_grades.carrying_over import carried_over, former_places
from peerage.inference.new_grades.part_of_class import PartOfClass, part_of, ready_to_sweep, restricted
from peerage.inference.new_grades.updating import ROUGH, STILL_MOVING, UPDATED, WEIGHED, default_draws
from peerage.inference.numerics.psis import smooth
from peerage.inference.sampling.chains import Samples
from peerage.inference.sampling.samplers import engine_of
from peerage.support.tasks.stop_requests import check_stopped
from peerage.support.words.whole_numbers import at_least

F = TypeVar("F", bound=Fitted)

MOST_SUBMISSIONS = 5
"""Of more submissions with new grades, sweeps over the whole class take hardly longer."""

LARGEST_SHAPE = 0.5
"""The Pareto shape up to which the weights have a variance."""

_PAIRS = 1, 3
"""Pairs of sweeps for each draw: those that are discarded, and those that a probability is averaged over."""

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]


def weighed(posterior: F, new_grades: Gradebook, workers: int | None = None) -> F | None:
    """The posterior with new reviews; None where the chains have to go on.

    So they do unless all that is new are a few reviews by staff who had graded before, and unless at least as many
    draws count as the chains would make.
    """
    begun = time.perf_counter()
    layout = lay_out(merged(posterior.book, new_grades), posterior.model)
    samples = reweighed(posterior, layout, default_draws(posterior, layout) * posterior.samples.n_chains)
    if samples is None:
        return None
    notices = (*(notice for notice in layout.book.notices if notice not in UPDATED), WEIGHED)
    book, seconds = replace(layout.book, notices=notices), time.perf_counter() - begun
    return replace(
        posterior,
        book=book,
        samples=replace(samples, seconds=seconds),
        heard=tuple(
            sorted({*posterior.heard, *(book.submissions[entry] for entry in _newly_reviewed(posterior, layout))})
        ),
        timings={"sampling": seconds, "total": seconds},
        laid_out=replace(layout, book=book),
        workers=posterior.workers if workers is None else at_least(1, workers=workers),
    )


def reweighed(posterior: Fitted, layout: Layout, fewest: int) -> Samples | None:
    """The draws given the new reviews, which ``layout`` has; None where that cannot be, or fewer would count."""
    review = former_places(posterior.layout, layout)[1]
    new = _newly_reviewed(posterior, layout)
    # What those teach that were heard before moves with these: they are drawn anew too, and there may be few in all.
    submissions = np.union1d(new, [layout.book.submissions.index(name) for name in posterior.heard]).astype(np.int64)
    if not len(new) or not _can_weigh(posterior, layout, review, submissions):
        return None
    log_weights = np.sum([_log_probabilities(posterior, layout, review, entry) for entry in new], axis=0)
    shape = smooth(log_weights)
    weights = np.exp(log_weights).reshape(posterior.samples.n_chains, -1)
    # Chains that disagree go on doing so: what each of them expected of a review says nothing of which is right.
    weights /= weights.sum(axis=1, keepdims=True)
    if not shape <= LARGEST_SHAPE or _worth(posterior.samples, weights) < fewest:
        return None
    return _drawn_again(posterior, layout, review, submissions, _resampled(weights))


def _newly_reviewed(posterior: Fitted, layout: Layout) -> NDArray[np.int64]:
    """The submissions with reviews that the posterior does not know."""
    return np.unique(_submissions(layout)[former_places(posterior.layout, layout)[1] < 0])


def _submissions(layout: Layout) -> NDArray[np.int64]:
    """(reviews,) the submission of each review, in the order of the layout."""
    return layout.book.review_submission[layout.review_order].astype(np.int64)


def _can_weigh(posterior: Fitted, layout: Layout, review: Indexes, submissions: NDArray[np.int64]) -> bool:
    """Whether all that is new are a few reviews by staff or machines, and the draws are of a class like that.

    ``submissions`` are those with new reviews, and those that were heard in this way before.
    """
    book, before, old = layout.book, posterior.book, posterior.layout
    if not engine_of(layout).SWEEPS_LOCALLY or posterior.samples.running:
        return False
    if len(submissions) > MOST_SUBMISSIONS or {STILL_MOVING, ROUGH} & {*before.notices}:
        return False
    names = ("submissions", "graders", "authors", "assignments")
    if any(getattr(book, name) != getattr(before, name) for name in names):
        return False
    if (layout.has_merit, layout.has_halo) != (old.has_merit, old.has_halo):
        return False
    known, grader = review >= 0, layout.reports.review_grader
    grades, earlier = book.levels[layout.review_order], before.levels[old.review_order]
    touched = np.isin(layout.cell_submission, submissions)
    return bool(
        np.array_equal(book.roles, before.roles)
        and np.array_equal(book.applicable, before.applicable)
        and np.array_equal(grades[known], earlier[review[known]])
        and (book.roles[grader[~known]] != STUDENT).all()
        and (layout.known.effort[grader[~known]] == 1.0).all()
        and (layout.fixed_level[touched] == MISSING).all()
    )


def _part(posterior: Fitted, layout: Layout, submissions: NDArray[np.int64], stream: int) -> PartOfClass:
    """Some submissions with all their reviews, and every draw of their graders."""
    book = part_of(layout.book, {layout.book.submissions[entry] for entry in submissions})
    count = posterior.samples.n_chains * posterior.samples.n_kept
    return ready_to_sweep(posterior, book, restricted(posterior.model, book), stream, count)


def _log_probabilities(posterior: Fitted, layout: Layout, review: Indexes, submission: np.int64) -> Floats:
    """(draws,) the log probability of a submission's new grades given its other reviews.

    This is a factor of equation (C3) of docs/model.md.
    """
    check_stopped()
    part = _part(posterior, layout, np.array([submission]), 8)
    new = layout.reports.review_grader[(review < 0) & (_submissions(layout) == submission)]
    unseen = np.isin(part.layout.book.graders, np.array(layout.book.graders)[new])
    drawn, flags = part.drawn._replace(unseen=unseen), (part.layout.model.effort, part.layout.has_bias)
    given, state, sums, work = part.given, part.state, part.sums, part.work
    values = np.zeros((len(layout.book.rubric), layout.max_levels))
    expected, found = np.empty((len(drawn.effort), part.layout.n_cells)), np.empty((len(drawn.effort), 1))
    estimate_from_peers(part.rng, *flags, given, state, sums, work, drawn, *_PAIRS, values, expected, found)
    return found[:, 0]


def _worth(samples: Samples, weights: Floats) -> float:
    """How many draws of equal weight these (chain, draw) would be worth, if all chains count alike.

    Draws that an earlier update left several times count as one.
    """
    sums = [samples.draws[name].sum(axis=2, dtype=float) for name in ("reliability", "bias", "effort")]
    drawn = np.stack([*sums, samples.kept_hyper.sum(axis=2)], axis=2).reshape(weights.size, -1)
    place = np.unique(drawn, axis=0, return_inverse=True)[1].ravel()
    return float(len(weights) ** 2 / np.sum(np.bincount(place, weights.ravel()) ** 2))


def _resampled(weights: Floats) -> Indexes:
    """For each chain as many draws as it has, in their order, each as often as its weight says, rounded up or down."""
    chains, draws = weights.shape
    positions = (np.arange(draws) + 0.5) / draws
    chosen = [np.minimum(np.searchsorted(np.cumsum(row), positions), draws - 1) for row in weights]
    return np.concatenate([chain * draws + places for chain, places in zip(range(chains), chosen, strict=True)])


def _drawn_again(
    posterior: Fitted, layout: Layout, review: Indexes, submissions: NDArray[np.int64], chosen: Indexes
) -> Samples:
    """The chosen draws, with some submissions drawn anew given each: those that have new reviews, or had before."""
    before, part = posterior.samples, _part(posterior, layout, submissions, 9)
    drawn = _chosen(part.drawn, chosen)
    true_grade = np.zeros((len(chosen), part.layout.n_cells))
    flags = part.layout.model.effort, part.layout.has_bias
    sweep_locally(part.rng, *flags, part.given, part.state, part.sums, part.work, drawn, true_grade)

    def again(values: NDArray[Any]) -> NDArray[Any]:
        flat = values.reshape(len(chosen), *values.shape[2:])
        return flat[chosen].reshape(values.shape)

    draws = {name: again(values) for name, values in before.draws.items()}
    cells = np.flatnonzero(np.isin(layout.cell_submission, submissions))
    edges = layout.grids.true_grade.edges
    codes = np.clip((true_grade - edges[0]) / (edges[1] - edges[0]), 0, len(edges) - 2)
    kept = draws["true_grade"]
    kept[:, :, cells] = codes.astype(kept.dtype).reshape(*kept.shape[:2], -1)
    level_mass, total = before.level_mass.copy(), len(chosen) * KEPT
    level_mass[cells] = part.sums.level_mass / total
    mine = np.flatnonzero(np.isin(_submissions(layout), submissions))  # in the order of the part
    effortful, influence = (values[np.maximum(review, 0)] for values in (before.effortful, before.influence))
    effortful[mine], influence[mine] = part.sums.effortful / total, part.sums.influence / total
    return replace(
        before,
        draws=draws,
        effortful_count=again(before.effortful_count) + np.count_nonzero(review < 0),
        level_mass=level_mass,
        effortful=effortful,
        influence=influence,
        hyper=again(before.hyper),
        states=carried_over(posterior, layout),
    )


def _chosen(drawn: Drawn, chosen: Indexes) -> Drawn:
    """Some of the draws; who is new and whose reviews are unseen is no part of a draw."""
    draws = {name: getattr(drawn, name)[chosen] for name in Drawn._fields if name not in ("is_new", "unseen")}
    return drawn._replace(**draws)
