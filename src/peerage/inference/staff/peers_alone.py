"""What the peers alone say of work that staff graded, from the draws of a fit that knew the staff's grades.

In each of some draws, a submission's true grades are summed out given the graders and the peers' reports. What its
staff's grades taught about graders and priors is undone by weights one over their probability given the same, Pareto-
smoothed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.inference.fitted import Fitted
from peerage.inference.latent.latent_peers import estimate_from_peers
from peerage.inference.new_grades.part_of_class import part_of, ready_to_sweep, restricted
from peerage.inference.numerics.psis import smooth_rows
from peerage.inference.sampling.samplers import engine_of
from peerage.inference.staff.tabulated_peers import tabulated_estimates

Floats = NDArray[np.float64]

DRAWS = 100
"""Draws that estimate a grade."""

_SETTLING, _KEPT = 4, 12
"""Pairs of sweeps for each draw: those that are discarded, and those that are averaged over.

With a hundred draws, that leaves an error of 0.01 in a grade; twice as many pairs would leave two thirds of it.
"""


def expected_from_peers(posterior: Fitted, submissions: NDArray[np.integer]) -> Floats:
    """(submissions, components): the expected grades of some submissions, in increasing order, without their staff."""
    expected, log_mass = estimates(posterior, submissions, DRAWS)
    log_weights = np.array(-log_mass.T, order="C")
    smooth_rows(log_weights)
    return np.asarray(np.einsum("sd,dsc->sc", np.exp(log_weights), expected))


def estimates(posterior: Fitted, submissions: NDArray[np.integer], count: int) -> tuple[Floats, Floats]:
    """(draws, submissions, components) expected grades, NaN where there are none, and the log mass of staff's grades.

    Both are from the peers' reports and so many draws of the graders, which know the staff's grades.
    """
    swept = engine_of(posterior.layout).SWEEPS_LOCALLY
    return (_swept_estimates if swept else tabulated_estimates)(posterior, submissions, count)


def _swept_estimates(posterior: Fitted, submissions: NDArray[np.integer], count: int) -> tuple[Floats, Floats]:
    """Estimates by sweeps. True grades that were fixed are estimated like others: it was staff who fixed them."""
    book = part_of(posterior.book, {posterior.book.submissions[index] for index in submissions})
    model = restricted(posterior.model, book)
    model = replace(model, fixed=replace(model.fixed, true_grade={}))
    part = ready_to_sweep(posterior, book, model, 7, count)
    layout, drawn = part.layout, part.drawn._replace(unseen=book.is_staff)
    values = np.zeros((len(book.rubric), layout.max_levels))
    for row, component in zip(values, book.rubric.components, strict=True):
        row[: component.n_levels] = component.values
    n_draws = len(drawn.effort)
    by_cell, log_mass = np.empty((n_draws, layout.n_cells)), np.empty((n_draws, book.n_submissions))
    given, state, sums, work = part.given, part.state, part.sums, part.work
    flags = layout.model.effort, layout.has_bias
    pairs = _SETTLING, _KEPT
    estimate_from_peers(part.rng, *flags, given, state, sums, work, drawn, *pairs, values, by_cell, log_mass)
    expected = np.full((n_draws, book.n_submissions, len(book.rubric)), np.nan)
    expected[:, layout.cell_submission, layout.reports.cell_component] = by_cell
    return expected, log_mass
