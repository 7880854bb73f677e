"""A posterior after staff's new reviews, from the draws that it has: an update in a moment.

Each draw of the graders and of the class counts by how probable it makes the new grades, given all other reviews of the
same submissions; Pareto smoothing tells whether enough draws are left. Resampled by these weights, they are draws of
the new posterior, and given each of them the submissions with new grades are drawn anew by sweeps over these alone.
What is known of other submissions stays as it was, but for their draws.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook
from peerage.gradebook.merging import places
from peerage.inference.fitted import Fitted
from peerage.inference.latent.latent_peers import estimate_from_peers
from peerage.inference.latent.local_sweeps import KEPT, Drawn, sweep_locally
from peerage.inference.layout import Layout
from peerage.inference.new_grades.carrying_over import carried_over, former_places, review_keys
from peerage.inference.new_grades.part_of_class import PartOfClass, part_of, ready_to_sweep, restricted
from peerage.inference.numerics.psis import smooth
from peerage.inference.sampling.chains import Samples
from peerage.inference.sampling.samplers import engine_of

MOST_SUBMISSIONS = 5
"""Of more submissions with new grades, sweeps over the whole class take hardly longer."""

LARGEST_SHAPE = 0.5
"""The Pareto shape up to which the weights have a variance."""

_PAIRS = 1, 3
"""Pairs of sweeps for each draw: those that are discarded, and those that a probability is averaged over."""

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]


def reweighed(posterior: Fitted, layout: Layout, fewest: int) -> Samples | None:
    """The draws after new reviews, which ``layout`` has; None unless these are few, by staff who had graded before.

    None too if the draws are worth fewer than ``fewest`` independent ones once they are weighed, as where new reviews
    say what hardly any draw expected.
    """
    begun = time.perf_counter()
    review = former_places(posterior.layout, layout)[1]
    submissions = np.unique(_submissions(layout)[review < 0])
    if not _can_reweigh(posterior, layout, review, submissions):
        return None
    log_weights = np.sum([_log_probabilities(posterior, layout, review, entry) for entry in submissions], axis=0)
    shape = smooth(log_weights)
    weights = np.exp(log_weights)
    if not shape <= LARGEST_SHAPE or _different(posterior.samples) / np.sum(weights**2) < fewest:
        return None
    chosen = _resampled(weights)
    samples = _drawn_again(posterior, layout, review, submissions, chosen)
    return replace(samples, seconds=time.perf_counter() - begun)


def _submissions(layout: Layout) -> NDArray[np.int64]:
    """(reviews,) the submission of each review, in the order of the layout."""
    return layout.book.review_submission[layout.review_order].astype(np.int64)


def _can_reweigh(posterior: Fitted, layout: Layout, review: Indexes, submissions: NDArray[np.int64]) -> bool:
    """Whether all that is new are a few reviews by graders who make an effort, and nothing else has changed."""
    book, before, samples = layout.book, posterior.book, posterior.samples
    if not engine_of(layout).SWEEPS_LOCALLY or samples.running or not 0 < len(submissions) <= MOST_SUBMISSIONS:
        return False
    if (book.submissions, book.graders, book.authors, book.assignments) != (
        before.submissions,
        before.graders,
        before.authors,
        before.assignments,
    ):
        return False
    known = review >= 0
    grades, earlier = book.levels[layout.review_order], before.levels[posterior.layout.review_order]
    touched = np.isin(layout.cell_submission, submissions)
    return bool(
        np.array_equal(book.roles, before.roles)
        and np.array_equal(book.applicable, before.applicable)
        and np.array_equal(grades[known], earlier[review[known]])
        and (layout.known.effort[layout.reports.review_grader[~known]] == 1.0).all()
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
    part = _part(posterior, layout, np.array([submission]), 8)
    new = layout.reports.review_grader[(review < 0) & (_submissions(layout) == submission)]
    unseen = np.isin(part.layout.book.graders, np.array(layout.book.graders)[new])
    drawn, flags = part.drawn._replace(unseen=unseen), (part.layout.model.effort, part.layout.has_bias)
    given, state, sums, work = part.given, part.state, part.sums, part.work
    values = np.zeros((len(layout.book.rubric), layout.max_levels))
    expected, found = np.empty((len(drawn.effort), part.layout.n_cells)), np.empty((len(drawn.effort), 1))
    estimate_from_peers(part.rng, *flags, given, state, sums, work, drawn, *_PAIRS, values, expected, found)
    return found[:, 0]


def _different(samples: Samples) -> float:
    """The share of draws that differ from all others: an earlier update may have left some several times."""
    drawn = samples.draws["effort"].reshape(samples.n_chains * samples.n_draws, -1)
    whole = np.column_stack([drawn.sum(axis=1), samples.kept_hyper.reshape(len(drawn), -1).sum(axis=1)])
    return len(np.unique(whole, axis=0)) / len(drawn)


def _resampled(weights: Floats) -> Indexes:
    """As many draws as there are, in their order, each as often as its weight says, rounded up or down."""
    positions = (np.arange(len(weights)) + 0.5) / len(weights)
    return np.minimum(np.searchsorted(np.cumsum(weights), positions), len(weights) - 1)


def _drawn_again(
    posterior: Fitted, layout: Layout, review: Indexes, submissions: NDArray[np.int64], chosen: Indexes
) -> Samples:
    """The chosen draws, with the submissions that have new reviews drawn anew given each."""
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
    mine = _places_in(layout, part.layout.book, part.layout.review_order)
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


def _places_in(layout: Layout, part: Gradebook, order: NDArray[np.int64]) -> Indexes:
    """Where the reviews of a part of the class, in this order, stand in the layout of the whole."""
    submission = {name: place for place, name in enumerate(layout.book.submissions)}
    grader = {name: place for place, name in enumerate(layout.book.graders)}
    wanted = [
        submission[part.submissions[part.review_submission[entry]]] * layout.n_graders
        + grader[part.graders[part.review_grader[entry]]]
        for entry in order
    ]
    return places(review_keys(layout, layout), np.array(wanted))
