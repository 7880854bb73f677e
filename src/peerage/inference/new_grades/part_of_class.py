"""A part of a class, laid out by itself, with what a fit of the whole class knows of its graders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook
from peerage.inference.features.drifting import Walks
from peerage.inference.fitted import Fitted
from peerage.inference.latent import latent_engine
from peerage.inference.latent.latent_arrays import Given, State, Work
from peerage.inference.latent.local_sweeps import Drawn
from peerage.inference.layout import Layout, lay_out
from peerage.inference.numerics.arrays import Sums
from peerage.inference.numerics.hyperparameters import DRIFT
from peerage.inference.report_bins import floors
from peerage.inference.sampling.chains import with_own_beliefs
from peerage.model import Fixed, Model


class PartOfClass(NamedTuple):
    """What sweeps over a part of a class take: how it is laid out, what they condition on, and memory of their own."""

    layout: Layout
    rng: np.random.Generator
    given: Given
    state: State
    sums: Sums
    work: Work
    drawn: Drawn


def ready_to_sweep(posterior: Fitted, book: Gradebook, model: Model, stream: int, count: int) -> PartOfClass:
    """A part of the class that a posterior is of, and so many draws of its graders, spread over all chains.

    ``stream`` tells apart the random numbers of those who use it.
    """
    layout, rng = lay_out(book, model), np.random.default_rng([posterior.seed, stream])
    order = tuple(dict.fromkeys((*posterior.book.assignments, *book.assignments)))
    walks = Walks.of(book.assignments, layout.may_drift & posterior.layout.walks.on, order)
    given = _given(posterior.layout, layout, walks)
    state, work = latent_engine.initial_state(layout, given, rng), latent_engine.new_work(layout)
    state = state._replace(drift=np.zeros(walks.n_entries))
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), *np.zeros((2, book.n_reviews)))
    return PartOfClass(layout, rng, given, state, sums, work, _drawn(posterior, layout, walks, count, rng))


def part_of(book: Gradebook, names: set[str]) -> Gradebook:
    """Some submissions of a class, and who graded them."""
    submission = np.array([name in names for name in book.submissions])
    review = np.flatnonzero(submission[book.review_submission])
    grader = np.unique(book.review_grader[review])
    kept = np.flatnonzero(submission)
    return Gradebook(
        rubric=book.rubric,
        submissions=tuple(book.submissions[index] for index in kept),
        graders=tuple(book.graders[index] for index in grader),
        roles=book.roles[grader],
        authors=tuple(book.authors[index] for index in kept),
        assignments=tuple(book.assignments[index] for index in kept),
        review_submission=np.searchsorted(kept, book.review_submission[review]).astype(np.int32),
        review_grader=np.searchsorted(grader, book.review_grader[review]).astype(np.int32),
        levels=book.levels[review],
        also_applicable=book.applicable[kept],
    )


def restricted(model: Model, book: Gradebook) -> Model:
    """The model with those fixed values that concern a part of the class."""
    graders, submissions = set(book.graders), set(book.submissions)
    values = {
        name: {who: value for who, value in getattr(model.fixed, name).items() if who in graders}
        for name in ("effort", "reliability", "bias")
    }
    grades = {cell: value for cell, value in model.fixed.true_grade.items() if cell[0] in submissions}
    return replace(model, fixed=Fixed(**values, true_grade=grades))


def _given(whole: Layout, layout: Layout, walks: Walks) -> Given:
    """What the kernels condition on; what the class as a whole shares and has stays as it was."""
    given = with_own_beliefs(latent_engine.prepare(layout))
    learning = given.learning._replace(
        has_staff=whole.has_staff, has_merit=whole.has_merit, has_halo=whole.has_halo, bias_spread=whole.bias_spread
    )
    has_halo = np.isnan(layout.known.reliability) & whole.has_halo
    centre = whole.mean_reports[layout.reports.cell_component]
    place = {name: index for index, name in enumerate(whole.book.graders)}
    known = floors(whole)
    floor = np.array([known[place[name]] if name in place else -np.inf for name in layout.book.graders])
    drift = walks.entries(layout.reports.review_grader, layout.reports.review_submission)
    return given._replace(
        levels=latent_engine.levels_of(layout, floor),
        places=given.places._replace(cell_centre=centre, review_drift=drift),
        learning=learning,
        graders=given.graders._replace(has_halo=has_halo),
    )


def _drawn(posterior: Fitted, layout: Layout, walks: Walks, count: int, rng: np.random.Generator) -> Drawn:
    """So many draws of the graders of a part of the class, spread over all chains, and of hyperparameters."""
    samples, whole = posterior.samples, posterior.layout
    place = {name: index for index, name in enumerate(whole.book.graders)}
    known = np.array([place.get(name, -1) for name in layout.book.graders])
    n_draws = samples.n_chains * samples.n_kept
    chosen = np.unique(np.linspace(0, n_draws - 1, min(count, n_draws)).round().astype(np.int64))

    def rows(values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape(n_draws, -1)[chosen]

    def of_graders(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
        fixed = getattr(layout.known, name)
        return np.where(np.isnan(fixed), rows(values)[:, np.maximum(known, 0)], fixed).astype(float)

    habit = rows(samples.draws["habit"])[:, np.maximum(known, 0)].astype(np.int64)
    return Drawn(
        of_graders("reliability", posterior.draws["reliability"]),
        of_graders("bias", posterior.draws["bias"]),
        of_graders("effort", posterior.draws["effort"]),
        habit if layout.n_habits else np.zeros_like(habit),
        rows(samples.draws["slope"])[:, np.maximum(known, 0)].astype(float),
        rows(samples.kept_hyper),
        _drifts(rows(samples.draws["drift"]), rows(samples.kept_hyper), whole.walks, walks, known, rng),
        known < 0,
        np.zeros(len(known), bool),
    )


def _drifts(
    drawn: NDArray[np.float32],
    hyper: NDArray[np.float64],
    before: Walks,
    walks: Walks,
    known: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """(draws, entries) how biases drift: as was drawn, from there on into new assignments, and anew for newcomers."""
    drifts = np.zeros((len(drawn), walks.n_entries))
    now, then = (np.array(places, dtype=np.int64) for places in walks.common(before))
    for grader in np.flatnonzero(walks.start):
        steps = rng.standard_normal((len(drawn), walks.n_weeks)) * np.exp(hyper[:, DRIFT, None])
        path, old = np.cumsum(steps, axis=1), before.start[known[grader]] if known[grader] >= 0 else 0
        if old:
            path[:, now[-1] + 1 :] += drawn[:, [old + then[-1]]] - path[:, [now[-1]]]
            path[:, now] = drawn[:, old + then]
        else:
            path -= path.mean(axis=1, keepdims=True)
        drifts[:, walks.start[grader] : walks.start[grader] + walks.n_weeks] = path
    return drifts
