"""The class's reports drawn anew from the fitted model: the same reviews, other grades.

Equations are those of docs/model.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from peerage.inference.latent.grader_by_grader.latent_habits import MISSED
from peerage.inference.layout import Layout
from peerage.inference.numerics.jit import jit
from peerage.inference.report_bins import floors, floors_of_reports
from peerage.inference.sampling.chains import VARIABLES, Samples
from peerage.inference.sampling.draws import Draws, ErrorParts
from peerage.rubric import MODEL_MAXIMUM

Floats = NDArray[np.float64]

_AT_A_TIME = 20
"""How many draws are turned into numbers at once; of a large class, all would not fit into memory."""

_FEW_CUTS = 16


def replicated_levels(
    layout: Layout, samples: Samples, count: int, seed: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw the (reports,) levels of all reports ``count`` times, from draws spread evenly over the chains.

    Each time, the decisions about effort are made anew with the draw's efforts, and halos are drawn anew. ``seed`` is
    the fit's, which places draws within the cells of their grids.
    """
    reports, lowest = layout.reports, floors_of_reports(layout, floors(layout))
    favourite, owner = _favourite_values(layout), reports.review_grader[layout.report_review]
    for draws in _few_at_a_time(layout, samples, count, seed):
        true_grade, reliability, _, effort = (draws.on_model_scale(name)[0] for name in VARIABLES)
        bias = draws.bias_on(reports.review_grader, reports.review_submission)[0]
        centre, precision = (values[0] for values in draws.low_effort())
        parts, habit, slope = draws.error_parts(), draws.habits()[0], draws.slopes()[0]
        usual = layout.mean_reports[reports.cell_component]
        weights = draws.rounding()[0]
        for draw in range(len(effort)):
            habit_value = favourite[habit[draw, owner], layout.report_component]
            values = _draw_values(
                rng,
                true_grade[draw],
                usual,
                reliability[draw],
                bias[draw],
                slope[draw],
                effort[draw],
                ErrorParts(parts.own_variance[0, draw], parts.loading[0, draw], parts.kind),
                reports.review_reports,
                reports.review_grader,
                reports.report_cell,
                layout.report_component,
                centre[draw, layout.report_component],
                precision[draw] ** -0.5,
                layout.epsilon,
                habit_value,
            )
            yield _rounded(layout, np.maximum(values, lowest), habit_value, weights[draw], rng)


def _few_at_a_time(layout: Layout, samples: Samples, count: int, seed: int) -> Iterator[Draws]:
    """``count`` draws spread evenly over all chains, some repeatedly where there are fewer, a few at a time.

    Each lot is placed within the cells of the grids by random numbers of its own.
    """
    chosen = np.linspace(0, samples.n_chains * samples.n_kept - 1, count).round().astype(np.int64)
    for lot, begin in enumerate(range(0, count, _AT_A_TIME)):
        yield Draws(layout, samples.picked(chosen[begin : begin + _AT_A_TIME]), seed + lot)


def _favourite_values(layout: Layout) -> NDArray[np.float64]:
    """(habits + 1, components) the value that each habit keeps to, on the model's scale; NaN for none."""
    values = np.full(layout.favourite.shape, np.nan)
    for index, component in enumerate(layout.book.rubric.components):
        values[1:, index] = component.scaled[layout.favourite[1:, index]]
    return values


@jit(makes_arrays=True)
def _draw_values(
    rng: np.random.Generator,
    true_grade: NDArray[np.float32],
    usual: NDArray[np.float64],
    reliability: NDArray[np.float32],
    bias: NDArray[np.float32],
    slope: NDArray[np.float32],
    effort: NDArray[np.float32],
    parts: ErrorParts,
    review_reports: NDArray[np.int64],
    review_grader: NDArray[np.int32],
    report_cell: NDArray[np.int32],
    report_component: NDArray[np.int32],
    low_effort_mean: NDArray[np.float64],
    low_effort_sd: float,
    uniform_share: float,
    habit_value: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(reports,) values on the model's scale, before they are rounded to the rubric.

    Efforts are drawn from equation (1), values with effort from equations (S6) and (L1), those without from equations
    (H1) and (2). A review's halo is drawn before its reports, which share it.
    """
    values = np.empty(len(report_cell))
    for review in range(len(review_grader)):
        grader = review_grader[review]
        effortful = rng.random() < effort[grader]
        sd, kind, halo = 1.0 / np.sqrt(reliability[grader]), parts.kind[grader], 0.0
        if kind:
            halo = sd * rng.standard_normal()
        for report in range(review_reports[review], review_reports[review + 1]):
            if effortful:
                cell = report_cell[report]
                seen = usual[cell] + slope[grader] * (true_grade[cell] - usual[cell])
                component = report_component[report]
                own = sd * np.sqrt(parts.own_variance[kind, component]) * rng.standard_normal()
                values[report] = seen + bias[review] + parts.loading[kind, component] * halo + own
            elif not np.isnan(habit_value[report]) and rng.random() >= MISSED:
                values[report] = habit_value[report]
            elif rng.random() < uniform_share:
                values[report] = MODEL_MAXIMUM * rng.random()
            else:
                values[report] = low_effort_mean[report] + low_effort_sd * rng.standard_normal()
    return values


def _rounded(
    layout: Layout, values: Floats, habit_value: Floats, weights: Floats, rng: np.random.Generator
) -> NDArray[np.int64]:
    """(reports,) values rounded to levels at a coarseness that is drawn by ``weights``; habits are legal grades."""
    levels = np.empty(len(values), np.int64)
    for index, rounding in enumerate(layout.roundings):
        mine = np.flatnonzero(layout.report_component == index)
        grid = np.zeros(len(mine), np.int64)
        if rounding.units:
            above = rng.random(len(mine))[:, None] >= np.cumsum(weights[index, : len(rounding.grids) - 1])
            grid = np.where(values[mine] == habit_value[mine], 0, above.sum(axis=1))
        for place, (on_grid, edges) in enumerate(zip(rounding.grids, rounding.edges, strict=True)):
            some = mine[grid == place]
            levels[some] = on_grid[_bins(edges[1:-1], values[some])]
    return levels


def _bins(cuts: Floats, values: Floats) -> NDArray[np.intp]:
    """In which bin each value lies: a few cuts are compared with all values sooner than they are searched."""
    if len(cuts) > _FEW_CUTS:
        return np.searchsorted(cuts, values, side="right")
    passed = np.zeros(len(values), np.intp)
    for cut in cuts:
        passed += values >= cut
    return passed
