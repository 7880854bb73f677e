"""The class's reports drawn anew from the fitted model: the same reviews, other grades.

Equations are those of docs/model.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.inference.latent.grader_by_grader.latent_habits import MISSED
from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import Reports
from peerage.inference.numerics.jit import jit
from peerage.inference.report_bins import floors, floors_of_reports
from peerage.inference.sampling.chains import Samples
from peerage.inference.sampling.draws import ChainDraws, Draws
from peerage.rubric import MODEL_MAXIMUM

Floats = NDArray[np.float64]

_AT_A_TIME = 20
"""How many draws are turned into numbers at once; of a large class, all would not fit into memory."""

_FEW_CUTS = 16


class Careless(NamedTuple):
    """Reports without effort in a draw: their means, their standard deviation, how many are uniform, and habits."""

    mean: Floats
    sd: float
    uniform_share: float
    habit_value: Floats


def replicated_levels(
    layout: Layout, samples: Samples, count: int, seed: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw the (reports,) levels of all reports ``count`` times, from draws spread evenly over the chains.

    Each time, the decisions about effort are made anew with the draw's efforts, and halos are drawn anew. ``seed`` is
    the fit's, which places draws within the cells of their grids.
    """
    reports, lowest = layout.reports, floors_of_reports(layout, floors(layout))
    favourite, owner = _favourite_values(layout), reports.review_grader[layout.report_review]
    entries = layout.walks.entries(reports.review_grader, reports.review_submission)
    component, usual = layout.report_component, layout.mean_reports[reports.cell_component]
    values = np.empty(len(component))
    for draws in _few_at_a_time(layout, samples, count, seed):
        (drawn,), weights, habit = draws.by_chain(), draws.rounding()[0], draws.habits()[0]
        centre, precision = (values[0] for values in draws.low_effort())
        for draw in range(len(precision)):
            habit_value = favourite[habit[draw, owner], component]
            careless = Careless(centre[draw, component], precision[draw] ** -0.5, layout.epsilon, habit_value)
            _draw_values(draw, rng, drawn, careless, reports, component, entries, usual, values)
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


@jit
def _draw_values(
    draw: int,
    rng: np.random.Generator,
    drawn: ChainDraws,
    careless: Careless,
    reports: Reports,
    report_component: NDArray[np.int32],
    review_drift: NDArray[np.int64],
    usual: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Fill in (reports,) values on the model's scale, equations (S6) and (2), before they are rounded to the rubric."""
    for review in range(len(reports.review_grader)):
        _draw_review(review, draw, rng, drawn, careless, reports, report_component, review_drift[review], usual, values)


@jit
def _draw_review(
    review: int,
    draw: int,
    rng: np.random.Generator,
    drawn: ChainDraws,
    careless: Careless,
    reports: Reports,
    report_component: NDArray[np.int32],
    drift: int,
    usual: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Fill in the values of one review.

    Its effort is drawn from equation (1), values with effort from equations (S6) and (L1), those without from equations
    (H1) and (2). The review's halo is drawn before its reports, which share it.
    """
    grader, parts = reports.review_grader[review], drawn.parts
    effortful = rng.random() < drawn.effort[draw, grader]
    sd, kind, halo = 1.0 / np.sqrt(drawn.reliability[draw, grader]), parts.kind[grader], 0.0
    bias, slope = drawn.bias[draw, grader] + drawn.drift[draw, drift], drawn.slope[draw, grader]
    if kind:
        halo = sd * rng.standard_normal()
    for report in range(reports.review_reports[review], reports.review_reports[review + 1]):
        if effortful:
            cell, component = reports.report_cell[report], report_component[report]
            seen = usual[cell] + slope * (drawn.true_grade[draw, cell] - usual[cell])
            own = sd * np.sqrt(parts.own_variance[draw, kind, component]) * rng.standard_normal()
            values[report] = seen + bias + parts.loading[draw, kind, component] * halo + own
        elif not np.isnan(careless.habit_value[report]) and rng.random() >= MISSED:
            values[report] = careless.habit_value[report]
        elif rng.random() < careless.uniform_share:
            values[report] = MODEL_MAXIMUM * rng.random()
        else:
            values[report] = careless.mean[report] + careless.sd * rng.standard_normal()


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
