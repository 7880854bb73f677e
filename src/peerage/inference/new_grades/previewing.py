"""What new reviews do to their submissions, in a moment: the graders are held at what the fit knows of them.

The posterior of a submission given its reviews, old and new, and the graders' draws is found by a few sweeps over that
submission alone, for each of some hundred draws. It is exact but for what the new reviews tell about graders, their own
and the others of the submission, and about the class, which takes an update.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, ModelError
from peerage.gradebook.book import Gradebook
from peerage.gradebook.merging import merged
from peerage.inference.fitted import Fitted
from peerage.inference.latent.local_sweeps import KEPT, Drawn, sweep_locally
from peerage.inference.layout import Layout
from peerage.inference.new_grades.part_of_class import part_of, ready_to_sweep, restricted
from peerage.inference.sampling.chains import Samples
from peerage.inference.sampling.samplers import engine_of

DRAWS = 300
"""How many draws of the graders, spread over all chains, a preview takes."""


def previewed(posterior: Fitted, new_grades: Gradebook) -> tuple[Gradebook, Layout, Samples]:
    """The submissions that new grades concern with all their reviews, and draws of their true grades."""
    if not isinstance(new_grades, Gradebook):
        raise InputError("preview takes a Gradebook; make one with read_grades")
    if not engine_of(posterior.layout).SWEEPS_LOCALLY:
        raise ModelError("a preview needs a model with censoring, without correlation and with wide grids; use update")
    book = part_of(merged(posterior.book, new_grades), set(new_grades.submissions))
    part = ready_to_sweep(posterior, book, restricted(posterior.model, book), 1, DRAWS)
    layout, drawn, sums = part.layout, part.drawn, part.sums
    true_grade = np.zeros((len(drawn.effort), layout.n_cells))
    flags = layout.model.effort, layout.has_bias
    sweep_locally(part.rng, *flags, part.given, part.state, sums, part.work, drawn, true_grade)
    return book, layout, _samples(layout, drawn, true_grade, sums.level_mass / (len(drawn.effort) * KEPT))


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
