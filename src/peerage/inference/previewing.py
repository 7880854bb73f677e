"""What new reviews do to their submissions, in a moment: the graders are held at what the fit knows of them.

The posterior of a submission given its reviews, old and new, and the graders' draws is found by a few sweeps over that
submission alone, for each of some hundred draws. It is exact but for what the new reviews tell about their own graders
and about the class, which takes an update.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, ModelError
from peerage.gradebook.book import Gradebook
from peerage.gradebook.merging import merged
from peerage.inference.fitted import Fitted
from peerage.inference.latent import latent_engine
from peerage.inference.latent.latent_arrays import Given
from peerage.inference.latent.local_sweeps import KEPT, Drawn, sweep_locally
from peerage.inference.layout import Layout, lay_out
from peerage.inference.numerics.arrays import Sums
from peerage.inference.sampling.chains import Samples, with_own_beliefs
from peerage.model import Fixed, Model

DRAWS = 300
"""How many draws of the graders, spread over all chains, a preview takes."""


def previewed(posterior: Fitted, new_grades: Gradebook) -> tuple[Gradebook, Layout, Samples]:
    """The submissions that new grades concern with all their reviews, and draws of their true grades."""
    if not isinstance(new_grades, Gradebook):
        raise InputError("preview takes a Gradebook; make one with read_grades")
    if not posterior.layout.draws_latent_reports:
        raise ModelError("a preview needs a model with censoring, without correlation and with wide grids; use update")
    book = _part(merged(posterior.book, new_grades), set(new_grades.submissions))
    layout = lay_out(book, _restricted(posterior.model, book))
    given = _given(posterior.layout, layout)
    rng = np.random.default_rng([posterior.seed, 1])
    state, work = latent_engine.initial_state(layout, given, rng), latent_engine.new_work(layout)
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), *np.zeros((2, book.n_reviews)))
    drawn = _drawn(posterior, layout)
    true_grade = np.zeros((len(drawn.effort), layout.n_cells))
    flags = layout.model.effort, layout.has_bias
    sweep_locally(rng, *flags, given, state, sums, work, drawn, true_grade)
    return book, layout, _samples(layout, drawn, true_grade, sums.level_mass / (len(drawn.effort) * KEPT))


def _part(book: Gradebook, names: set[str]) -> Gradebook:
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


def _restricted(model: Model, book: Gradebook) -> Model:
    """The model with those fixed values that concern a part of the class."""
    graders, submissions = set(book.graders), set(book.submissions)
    values = {
        name: {who: value for who, value in getattr(model.fixed, name).items() if who in graders}
        for name in ("effort", "reliability", "bias")
    }
    grades = {cell: value for cell, value in model.fixed.true_grade.items() if cell[0] in submissions}
    return replace(model, fixed=Fixed(**values, true_grade=grades))


def _given(whole: Layout, layout: Layout) -> Given:
    """What the kernels condition on; what the class as a whole shares and has stays as it was."""
    given = with_own_beliefs(latent_engine.prepare(layout))
    learning = given.learning._replace(
        has_staff=whole.has_staff, has_merit=whole.has_merit, has_halo=whole.has_halo, bias_spread=whole.bias_spread
    )
    has_halo = np.isnan(layout.known.reliability) & whole.has_halo
    centre = whole.mean_reports[layout.reports.cell_component]
    return given._replace(
        places=given.places._replace(cell_centre=centre),
        learning=learning,
        graders=given.graders._replace(has_halo=has_halo),
    )


def _drawn(posterior: Fitted, layout: Layout) -> Drawn:
    """Draws of the graders of a part of the class, residual precisions among them, and of hyperparameters."""
    samples, whole = posterior.samples, posterior.layout
    place = {name: index for index, name in enumerate(whole.book.graders)}
    known = np.array([place.get(name, -1) for name in layout.book.graders])
    count = samples.n_chains * samples.n_kept
    chosen = np.unique(np.linspace(0, count - 1, min(DRAWS, count)).round().astype(np.int64))

    def rows(values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape(count, -1)[chosen]

    def of_graders(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
        fixed = getattr(layout.known, name)
        return np.where(np.isnan(fixed), rows(values)[:, np.maximum(known, 0)], fixed).astype(float)

    shares = posterior.draws.residual_shares()
    reliability = posterior.draws["reliability"] / (1.0 if shares is None else shares)
    habit = rows(samples.draws["habit"])[:, np.maximum(known, 0)].astype(np.int64)
    return Drawn(
        of_graders("reliability", reliability),
        of_graders("bias", posterior.draws["bias"]),
        of_graders("effort", posterior.draws["effort"]),
        habit if layout.n_habits else np.zeros_like(habit),
        rows(samples.draws["slope"])[:, np.maximum(known, 0)].astype(float),
        rows(samples.kept_hyper),
        known < 0,
    )


def _samples(layout: Layout, drawn: Drawn, true_grade: NDArray[np.float64], level_mass: NDArray[np.float64]) -> Samples:
    """The draws as those of one chain."""
    draws = {name: getattr(drawn, name)[None].astype(np.float32) for name in ("reliability", "bias", "effort")}
    n_draws, n_reviews = len(true_grade), layout.book.n_reviews
    return Samples(
        draws
        | {"true_grade": true_grade[None].astype(np.float32), "habit": drawn.habit[None].astype(np.uint8)}
        | {"slope": drawn.slope[None].astype(np.float32)},
        np.arange(n_draws),
        {},
        np.zeros((1, n_draws), np.int64),
        level_mass,
        np.ones(n_reviews),
        np.ones(n_reviews),
        drawn.hyper[None],
        (),
        0.0,
    )
