"""The engine that draws reports before rounding: what its kernels condition on, and where a chain starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, TA
from peerage.inference.censored.censored_engine import new_draws
from peerage.inference.features.heaping import CoarseBins
from peerage.inference.latent.grader_by_grader.latent_habits import CARELESS, HABIT_EFFORT
from peerage.inference.latent.grader_by_grader.review_predictions import INPUTS
from peerage.inference.latent.latent_arrays import (
    Beliefs,
    Cells,
    Clamps,
    EffortCells,
    Errors,
    Given,
    Graders,
    Habits,
    Learning,
    Levels,
    Places,
    State,
    Stored,
    Work,
)
from peerage.inference.latent.latent_leave_out import leave_out
from peerage.inference.latent.latent_sweep import sweep
from peerage.inference.layout import AUTHOR, Layout
from peerage.inference.numerics.hyperparameters import N_UNITS, RELIABILITY, effort_prior
from peerage.inference.numerics.likelihood import LOG_FLOOR, low_effort_masses
from peerage.inference.report_bins import report_bins, says_or_less
from peerage.inference.starting_points import first_hyperparameters, is_trusting
from peerage.rubric import MODEL_MAXIMUM

__all__ = [
    "ON_GRID",
    "SWEEPS_LOCALLY",
    "State",
    "initial_state",
    "leave_out",
    "levels_of",
    "new_draws",
    "new_work",
    "prepare",
    "sweep",
]

ON_GRID, SWEEPS_LOCALLY = False, True

_EFFORT_CELLS = 32
"""In how many cells the density of an effort probability is laid out for a proposal."""


def prepare(layout: Layout) -> Given:
    """Everything that the kernels condition on; learned priors are filled in by the kernel."""
    known = layout.known
    return Given(
        places=_places(layout),
        levels=levels_of(layout),
        beliefs=_priors(layout),
        clamps=_clamps(layout),
        graders=Graders(
            layout.group, np.isnan(known.reliability) & layout.has_halo, layout.may_stretch, layout.walks.start
        ),
        habits=Habits(
            may_have=layout.may_have_habit,
            may_jump=layout.may_jump & layout.has_bias,
            favourite=layout.favourite,
            start=layout.habit_codes[0],
            used=layout.habit_codes[1],
        ),
        learning=Learning(
            on=layout.model.learned,
            has_staff=layout.has_staff,
            can_shift=layout.can_shift,
            has_merit=layout.has_merit,
            has_halo=layout.has_halo,
            has_slopes=bool(layout.may_stretch.any()),
            n_weeks=layout.walks.n_weeks,
            bias_spread=layout.bias_spread,
            mean_report=layout.mean_reports,
            largest_tau_l=layout.largest_tau_l,
        ),
        stored=_stored(layout),
    )


def _places(layout: Layout) -> Places:
    centre = layout.mean_reports[layout.reports.cell_component]
    known = {name: getattr(layout.reports, name) for name in Places._fields if name in layout.reports._fields}
    drift = layout.walks.entries(layout.reports.review_grader, layout.reports.review_submission)
    patterns, pattern = layout.component_patterns
    return Places(**known, cell_centre=centre, review_drift=drift, review_pattern=pattern, patterns=patterns)


def levels_of(layout: Layout, floor: NDArray[np.float64] | None = None) -> Levels:
    """The bin of each report on the model's scale, and all cut-points; other graders' lowest grades may be given."""
    components = layout.book.rubric.components
    code = layout.report_component.astype(np.int64) * layout.max_levels + layout.report_level
    starts = np.cumsum([0] + [len(component.cuts) for component in components]).astype(np.int64)
    cuts = np.concatenate([component.cuts for component in components])
    careless = code + len(components) * layout.max_levels * says_or_less(layout, floor)
    coarse = CoarseBins.of(layout.roundings, layout.max_levels)
    coarse_low, coarse_high, own = coarse.by_report(code)
    low, high = report_bins(layout, floor)
    return Levels(low, high, code, careless, starts, cuts, coarse, coarse_low, coarse_high, own)


def _priors(layout: Layout) -> Beliefs:
    """The fixed priors, or those that stand in until a chain has its own."""
    priors, (mean, sd), n_reports = layout.priors, layout.true_grade_prior, len(layout.report_level)
    reliability = np.tile(np.array([priors.alpha_tau, priors.beta_tau], dtype=float), (AUTHOR + 1, 1))
    reliability[TA] = priors.alpha_tau_ta, priors.beta_tau_ta
    low_effort = np.zeros((2 * len(mean), layout.max_levels))
    for index, component in enumerate(layout.book.rubric.components):
        masses = low_effort_masses(component.cuts, mean[index], priors.tau_l, priors.epsilon, MODEL_MAXIMUM)
        low_effort[index, : len(masses)] = np.log(np.maximum(masses, np.exp(LOG_FLOOR)))
        low_effort[len(mean) + index, : len(masses)] = np.log(np.cumsum(np.maximum(masses, np.exp(LOG_FLOOR))))
    return Beliefs(
        grade_mean=mean.astype(float),
        grade_sd=sd.astype(float),
        merit=np.zeros(1),
        errors=Errors(np.ones(n_reports), np.zeros(n_reports), np.zeros(n_reports)),
        reliability=reliability,
        bias=np.tile([0.0, float(priors.sigma_b) if layout.has_bias else 1.0], (AUTHOR + 1, 1)),
        slope_sd=np.ones(1),
        step_sd=np.ones(1),
        effort=np.array([priors.alpha_e, priors.beta_e], dtype=float),
        low_effort=low_effort,
        rounding=np.tile(np.eye(1, N_UNITS + 1)[0], len(mean)),
    )


def _clamps(layout: Layout) -> Clamps:
    known, fixed = layout.known, layout.fixed_level != MISSING
    ends = np.array([layout.bin_of(cell) if fixed[cell] else (-np.inf, np.inf) for cell in range(layout.n_cells)])
    return Clamps(
        effort=~np.isnan(known.effort),
        reliability=~np.isnan(known.reliability),
        bias=~np.isnan(known.bias),
        any_grade=bool(fixed.any()),
        grade=fixed,
        grade_low=ends[:, 0].copy(),
        grade_high=ends[:, 1].copy(),
    )


def _stored(layout: Layout) -> Stored:
    grids = layout.grids
    lines = (grids.true_grade.edges, np.log(grids.reliability.edges), grids.bias.edges)
    return Stored(*(np.array([edges[0], edges[1] - edges[0], len(edges) - 2.0]) for edges in lines))


def initial_state(layout: Layout, given: Given, rng: np.random.Generator, chain: int = 0) -> State:
    """A dispersed start: true grades near the reports' means, all else drawn from the prior, without merit and halo."""
    known, beliefs, clamps = layout.known, given.beliefs, given.clamps
    true_grade = layout.report_means + 0.5 * rng.standard_normal(layout.n_cells)
    theta, width = first_hyperparameters(layout, rng, chain)
    shape, rate = beliefs.reliability[layout.group].T
    mean, sd = beliefs.bias[layout.group].T
    bias = rng.normal(mean, sd) if layout.has_bias else np.zeros(layout.n_graders)
    alpha, beta = effort_prior(theta) if layout.model.learned else beliefs.effort
    effort = np.where(np.isnan(known.effort), rng.beta(alpha, beta, layout.n_graders), known.effort)
    effortful = rng.random(layout.book.n_reviews) < effort[layout.reports.review_grader]
    habit, reliability = layout.apparent_habits, rng.standard_gamma(shape) / rate
    if is_trusting(layout, chain):
        habit[:], effortful[:], reliability[:] = 0, True, np.exp(theta[RELIABILITY])
    effort[habit > 0] = HABIT_EFFORT[0] / sum(HABIT_EFFORT)
    effortful[habit[layout.reports.review_grader] > 0] = False
    return State(
        true_grade=np.where(clamps.grade, np.clip(true_grade, clamps.grade_low, clamps.grade_high), true_grade),
        reliability=np.where(np.isnan(known.reliability), reliability, known.reliability),
        bias=np.where(np.isnan(known.bias), bias, known.bias),
        effort=effort,
        effortful=effortful,
        hyper=theta,
        hyper_width=width,
        centre=np.zeros((layout.n_graders, 6)),
        habit=habit,
        merit=np.zeros(layout.book.n_submissions),
        halo=np.zeros(layout.book.n_reviews),
        latent=layout.report_value.copy(),
        slope=_initial_slopes(layout, rng),
        drift=np.zeros(layout.walks.n_entries),
    )


def _initial_slopes(layout: Layout, rng: np.random.Generator) -> NDArray[np.float64]:
    slope = np.ones(layout.n_graders)
    if layout.may_stretch.any():
        slope[layout.may_stretch] += 0.1 * rng.standard_normal(layout.may_stretch.sum())
    return slope


def new_work(layout: Layout) -> Work:
    """Scratch memory for one chain."""
    n_components, reports, walks = len(layout.book.rubric), layout.reports, layout.walks
    together = max(n_components, walks.n_weeks)
    most_reviews = int(np.diff(reports.grader_reviews).max())
    most_reports = int(np.diff(reports.review_reports[reports.grader_reviews]).max())
    return Work(
        cells=Cells(*(np.zeros(layout.n_cells) for _ in Cells._fields)),
        predicted=np.zeros((INPUTS + 4, most_reports)),
        logs=np.zeros((most_reviews, CARELESS + layout.n_habits + 2)),
        halo=np.zeros(most_reviews),
        kept_halo=np.zeros(most_reviews),
        shares=np.zeros(most_reviews),
        efforts=EffortCells(np.zeros((2, _EFFORT_CELLS)), np.zeros(2), np.zeros(_EFFORT_CELLS)),
        habit_masses=np.zeros(layout.n_habits + 2),
        matrix=np.zeros((together, together)),
        vector=np.zeros(together),
        grader_sums=np.zeros((layout.n_graders, 4)),
        products=np.zeros((len(layout.component_patterns[0]), n_components + 1, n_components)),
        parts=np.zeros((5, n_components)),
        slope_sums=np.zeros((layout.n_graders, 2)),
        walk_sums=np.zeros((2, walks.n_entries)),
        level_counts=np.zeros((2 * n_components, layout.max_levels)),
        exceeding=np.zeros((3, most_reviews), np.int64),
        effortful=np.zeros(layout.n_graders, np.int64),
    )
