"""The uncensored model's engine: priors, where a chain starts, and its kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import TA
from peerage.inference.layout import AUTHOR, Layout
from peerage.inference.numerics.arrays import DrawRows
from peerage.inference.numerics.hyperparameters import effort_prior
from peerage.inference.numerics.likelihood import LOG_FLOOR, log_normal_cell_masses, low_effort_density
from peerage.inference.starting_points import first_hyperparameters
from peerage.inference.uncensored.uncensored_arrays import Beliefs, Given, Learning, State, Work
from peerage.inference.uncensored.uncensored_leave_out import leave_out
from peerage.inference.uncensored.uncensored_sweep import sweep
from peerage.rubric import MODEL_MAXIMUM

__all__ = [
    "ON_GRID",
    "SWEEPS_LOCALLY",
    "State",
    "initial_state",
    "leave_out",
    "new_draws",
    "new_work",
    "prepare",
    "sweep",
]

ON_GRID, SWEEPS_LOCALLY = False, False


def prepare(layout: Layout) -> Given:
    """Everything that the kernels condition on."""
    learning = Learning(
        on=layout.model.learned,
        correlated=layout.model.correlation,
        has_staff=layout.has_staff,
        bias_spread=layout.bias_spread,
        mean_report=layout.mean_reports,
        largest_tau_l=layout.largest_tau_l,
        can_shift=layout.can_shift,
        report_component=layout.report_component,
    )
    return Given(layout.reports, layout.report_value, _beliefs(layout), layout.clamps(_fixed_bins(layout)), learning)


def initial_state(layout: Layout, given: Given, rng: np.random.Generator, chain: int = 0) -> State:
    """A dispersed start: true grades near the reports' means, all else drawn from the prior."""
    true_grade = layout.report_means + 0.5 * rng.standard_normal(layout.n_cells)
    fixed = given.clamps.cell_bin >= 0
    true_grade[fixed] = np.clip(true_grade[fixed], *given.clamps.bins[given.clamps.cell_bin[fixed]].T)
    beliefs, known = given.beliefs, layout.known
    shape, rate = beliefs.reliability_shape[layout.group], beliefs.reliability_rate[layout.group]
    reliability = rng.gamma(shape) / rate
    bias = rng.standard_normal(layout.n_graders) / np.sqrt(beliefs.bias_precision[layout.group])
    theta, width = first_hyperparameters(layout, rng, chain)
    alpha, beta = effort_prior(theta) if layout.model.learned else beliefs.effort
    effort = rng.beta(alpha, beta, layout.n_graders)
    for values, fixed_values in ((reliability, known.reliability), (bias, known.bias), (effort, known.effort)):
        np.copyto(values, fixed_values, where=~np.isnan(fixed_values))
    effortful = rng.random(layout.book.n_reviews) < effort[layout.reports.review_grader]
    return State(true_grade, reliability, bias, effort, effortful, theta, width)


def new_draws(layout: Layout, count: int) -> DrawRows:
    """Room for ``count`` draws."""
    shape = (count, layout.n_graders)
    return DrawRows(
        np.zeros((count, layout.n_cells), np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros(count, np.int64),
        np.zeros((count, layout.n_hyper)),
        np.zeros(shape, np.uint8),
        np.ones(shape, np.float32),
        np.zeros((count, layout.walks.n_entries), np.float32),
    )


def new_work(layout: Layout) -> Work:
    """Scratch memory for one chain."""
    cells = int(np.diff(layout.reports.submission_cells).max())
    cuts = [component.cuts for component in layout.book.rubric.components]
    starts = np.cumsum([0] + [len(entry) for entry in cuts]).astype(np.int64)
    longest = len(layout.grids.reliability)
    n_components = len(layout.book.rubric)
    return Work(
        np.zeros(cells),
        np.zeros(cells),
        np.zeros(longest),
        np.zeros(layout.n_graders, np.int64),
        starts,
        np.concatenate(cuts),
        np.zeros(layout.n_graders),
        np.zeros(layout.n_graders),
        np.zeros((n_components, 3)),
        np.zeros((n_components + 1, 6)),
        np.zeros((3, int(np.diff(layout.reports.grader_reviews).max())), np.int64),
    )


def _fixed_bins(layout: Layout) -> NDArray[np.float32]:
    """The two ends of the bin of each cell with a fixed true grade."""
    rows = [layout.bin_of(cell) for cell in np.flatnonzero(layout.fixed_level >= 0)]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 2)


def _by_group(students: float, tas: float) -> NDArray[np.float64]:
    """(groups,) what holds for TAs, and for all others."""
    values = np.full(AUTHOR + 1, students)
    values[TA] = tas
    return values


def _beliefs(layout: Layout) -> Beliefs:
    priors, correlation = layout.priors, layout.correlation
    mu_s, sigma_s = layout.true_grade_prior
    edges = layout.grids.reliability.edges
    author = log_normal_cell_masses(edges, correlation.origin, correlation.sd)
    low_effort = low_effort_density(
        layout.report_value, mu_s[layout.report_component], priors.tau_l, priors.epsilon, MODEL_MAXIMUM
    )
    sigma_b = priors.sigma_b if layout.has_bias else 1.0
    return Beliefs(
        mean=mu_s,
        precision=sigma_s**-2.0,
        reliability_shape=_by_group(priors.alpha_tau, priors.alpha_tau_ta),
        reliability_rate=_by_group(priors.beta_tau, priors.beta_tau_ta),
        author_group=AUTHOR,
        log_author_reliability=np.maximum(author, LOG_FLOOR),
        reliability_edges=edges,
        bias_precision=np.full(AUTHOR + 1, sigma_b**-2.0),
        bias_mean=np.zeros(AUTHOR + 1),
        group=layout.group,
        effort=np.array([priors.alpha_e, priors.beta_e]),
        log_low_effort=np.log(np.maximum(low_effort, np.exp(LOG_FLOOR))),
        author_mean=correlation.mean,
        author_slope=correlation.slope,
        author_origin=np.array([correlation.origin]),
        author_precision=correlation.precision,
    )
