"""What the tests of single updates share, for both samplers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook
from peerage.inference.censored import censored_arrays
from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import Sums
from peerage.inference.numerics.effort_counts import draw_beta_effort
from peerage.inference.uncensored import uncensored_arrays
from peerage.model import Model
from support.classes.tiny import FIXED, PRIORS, model_id
from support.references import twin

WITH_SPECIAL_CASES = (1, 2)
"""Submissions of the tiny class with a fixed true grade, several authors and an instructor, for the slow sums."""

COARSE, FINE = np.arange(-3.95, 10.0, 0.1), np.arange(-3.975, 10.0, 0.05)
"""Sums of smooth densities over the first are exact to many digits; those cut at a bin's ends need the second."""

Floats = NDArray[np.float64]


def variants(models: list[Model]) -> list[Model]:
    """The models with priors that differ by component, without and with fixed values; the paper's grids once."""
    plain = [replace(model, priors=PRIORS) for model in models]
    fixed = [replace(model, fixed=FIXED) for model in plain if model.effort]
    return plain + fixed


def variant_id(model: Model) -> str:
    return model_id(model) + ("-fixed" if model.fixed else "") + ("-papergrids" if model.grids == "paper" else "")


def new_sums(layout: Layout) -> Sums:
    n_reviews = layout.book.n_reviews
    return Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(n_reviews), np.zeros(n_reviews))


def twin_state(layout: Layout, state: censored_arrays.State | uncensored_arrays.State) -> twin.State:
    """The kernels' state in the twin's terms: values, in the gradebook's order."""
    book, known, grids = layout.book, layout.known, layout.grids
    true_grade = np.full(book.applicable.shape, 4.0)
    effortful = np.zeros(book.n_reviews, np.int64)
    effortful[layout.review_order] = state.effortful
    if isinstance(state, censored_arrays.State):
        cells = grids.true_grade.points[state.true_grade]
        reliability = grids.reliability.points[state.reliability]
        bias = grids.bias.points[np.minimum(state.bias, len(grids.bias) - 1)]
    else:
        cells, reliability, bias = state.true_grade, state.reliability, state.bias
    true_grade[book.applicable] = cells
    reliability = np.where(np.isnan(known.reliability), reliability, known.reliability)
    bias = np.where(np.isnan(known.bias), bias, known.bias)
    return twin.State(true_grade, reliability, bias, state.effort.copy(), effortful)


def inferred(known: Floats) -> list[int]:
    """The graders whose value is not known."""
    return [int(grader) for grader in np.flatnonzero(np.isnan(known))]


def with_last(book: Gradebook, submission: int) -> Gradebook:
    """The same class with one submission moved to the end."""
    order = [index for index in range(book.n_submissions) if index != submission] + [submission]
    place = np.argsort(order)
    return replace(
        book,
        submissions=tuple(book.submissions[index] for index in order),
        authors=tuple(book.authors[index] for index in order),
        assignments=tuple(book.assignments[index] for index in order),
        review_submission=place[book.review_submission].astype(np.int32),
    )


def with_effort_summed_out(book: Gradebook, model: Model, state: twin.State, review: int) -> twin.State:
    """The state with the effort probability that a grader's other efforts predict, by the Beta-binomial rule."""
    grader = int(book.review_grader[review])
    if not np.isnan(twin.known(book, model, "effort")[grader]):
        return state
    others = (book.review_grader == grader) & (np.arange(book.n_reviews) != review)
    priors = model.hyperparameters
    expected = (priors.alpha_e + state.effortful[others].sum()) / (priors.alpha_e + priors.beta_e + others.sum())
    return state.with_value("effort", grader, float(expected))


def check_effort_is_beta(case: Any) -> None:
    """An effort probability is drawn from the Beta distribution that the grader's efforts give."""
    for grader in inferred(case.layout.known.effort):
        before, copy = twin_state(case.layout, case.state), deepcopy(case.rng)
        reviews, prior, state = case.given.reports.grader_reviews, case.given.beliefs.effort, case.state
        draw_beta_effort(grader, case.rng, reviews, state.effortful, prior, state.effort)
        mine = case.book.review_grader == grader
        effortful = int(before.effortful[mine].sum())
        expected = copy.beta(8 + effortful, 2 + int(mine.sum()) - effortful)
        assert case.state.effort[grader] == pytest.approx(expected, rel=1e-12)


def fails(check: Callable[[Model], None], model: Model) -> bool:
    """Whether a test fails."""
    try:
        check(model)
    except AssertionError:
        return True
    return False
