"""The engine of the model in which components share merit and halo: tables, where a chain starts, and its kernel."""

from __future__ import annotations

import numpy as np

from peerage.inference.censored import censored_engine
from peerage.inference.censored.censored_engine import new_draws
from peerage.inference.censored.collapsed_graders import MAX_SUMMED
from peerage.inference.censored.habits import SHARE
from peerage.inference.layout import Layout
from peerage.inference.shared.shared_arrays import Given, State, Work
from peerage.inference.shared.shared_sweep import sweep
from peerage.inference.shared.sharing_grids import sharing_of

__all__ = ["initial_state", "new_draws", "new_work", "prepare", "sweep"]


def prepare(layout: Layout) -> Given:
    """Everything that the kernels condition on; priors of true grades are filled in by the kernel."""
    plain, sharing = censored_engine.prepare(layout), sharing_of(layout)
    shape = (len(layout.book.rubric), len(sharing.merit))
    beliefs = plain.beliefs._replace(
        true_grade=np.zeros((*shape, len(layout.grids.true_grade)), np.float32),
        support=np.zeros((*shape, 2), np.int64),
    )
    return Given(plain.reports, plain.tables, beliefs, plain.clamps, plain.learning, sharing)


def initial_state(layout: Layout, given: Given, rng: np.random.Generator, chain: int = 0) -> State:
    """A dispersed start, without merit and halo."""
    plain = censored_engine.initial_state(layout, given, rng, chain)
    merit = np.full(layout.book.n_submissions, len(given.sharing.merit) // 2, np.int32)
    return State(*plain, merit, np.full(layout.book.n_reviews, layout.grids.reach, np.int32))


def new_work(layout: Layout) -> Work:
    """Scratch memory for one chain."""
    plain, sharing = censored_engine.new_work(layout), sharing_of(layout)
    n_components, size = len(layout.book.rubric), len(layout.grids.true_grade)
    most_reviews = int(np.diff(layout.reports.grader_reviews).max())
    longest = max(len(plain.logs), sharing.halo.shape[1], len(sharing.log_odds))
    return Work(
        running=plain.running,
        likelihood=np.zeros((layout.n_cells, size), np.float32),
        masses=np.zeros((n_components, len(sharing.merit), size), np.float32),
        support=np.zeros((n_components, len(sharing.merit), 2), np.int64),
        offset=np.zeros(layout.book.n_reviews, np.int64),
        effortful=plain.effortful,
        others=np.zeros((MAX_SUMMED, 4), np.int64),
        review_logs=np.zeros((most_reviews, SHARE + 1)),
        nodes=np.zeros((most_reviews, 2, sharing.halo.shape[1])),
        ends=np.zeros((most_reviews, 2), np.int64),
        effort_masses=plain.effort_masses,
        habit_masses=plain.habit_masses,
        level_weights=np.zeros(len(sharing.merit)),
        part=np.zeros(longest, np.float32),
        logs=np.zeros(longest),
        sums=plain.sums,
        scratch=plain.scratch,
    )
