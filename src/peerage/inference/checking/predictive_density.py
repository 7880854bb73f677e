"""How probable a review is: the log probability of its reported bins, effort summed out.

This is equation (17) of docs/model.md, the same quantity for every model, censored or not, so that models can be
compared by it.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from peerage.inference.features.heaping import CoarseBins
from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import Reports
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.hyperparameters import N_UNITS
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import interval_mass
from peerage.inference.report_bins import floors, report_bins
from peerage.inference.sampling.draws import ChainDraws, Draws

Floats = NDArray[np.float64]

_SPACING, _REACH = 1.3, 5.0
"""How far apart the nodes of a halo are, in standard deviations that a review leaves to it, and how far they reach."""


@by_reference
class Bins(NamedTuple):
    """The bins of each report from ``start`` on: their ends, and (draw, bin) the weights of their grids."""

    start: NDArray[np.int64]
    low: Floats
    high: Floats
    weight: Floats


def log_likelihood(layout: Layout, draws: Draws, workers: int = 1) -> NDArray[np.float32]:
    """(chain, draw, review) log of e·∏L₁ + (1 − e)·∏L₀ for each review, in the gradebook's order of reviews."""
    start, low, high, share = all_bins(layout)
    by_chain, weights = draws.by_chain(), draws.rounding()
    reports = layout.reports
    owner = reports.review_grader[layout.report_review]
    entries = layout.walks.entries(reports.review_grader, reports.review_submission)
    low_effort = draws.low_effort_of(owner, layout.report_component, layout.report_level)
    centre = layout.mean_reports[reports.cell_component]
    out = np.empty((*weights.shape[:2], layout.book.n_reviews), np.float32)
    place = layout.review_order

    def one_chain(chain: int) -> None:
        bins = Bins(start, low, high, weights[chain].reshape(weights.shape[1], -1)[:, share])
        drawn, component = by_chain[chain], layout.report_component
        _review_log_masses(drawn, reports, component, entries, centre, bins, low_effort[chain], place, out[chain])

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one_chain, range(len(out))))
    return out


def report_masses(layout: Layout, draws: Draws, grader: int, submission: int) -> dict[int, NDArray[np.float64]]:
    """For each component of a submission, the probability of each grade that a grader might report on it."""
    reliability, effort = (draws[name][:, :, grader].ravel().astype(np.float64) for name in ("reliability", "effort"))
    bias = draws.bias_on(np.array([grader]), np.array([submission])).ravel().astype(np.float64)
    slope, parts = draws.slopes()[:, :, grader].ravel().astype(np.float64), draws.error_parts()
    size = np.sqrt(parts.own_variance + parts.loading**2)[:, :, parts.kind[grader]].reshape(len(effort), -1)
    cells, lowest = np.flatnonzero(layout.cell_submission == submission), floors(layout)[grader]
    true_grades, weights = draws.on_model_scale("true_grade"), draws.rounding().reshape(len(effort), -1, N_UNITS + 1)
    masses = {}
    for cell in cells:
        index = int(layout.reports.cell_component[cell])
        component, rounding = layout.book.rubric.components[index], layout.roundings[index]
        usual = layout.mean_reports[index]
        centre = usual + slope * (true_grades[:, :, cell].ravel().astype(np.float64) - usual) + bias
        effortful = np.zeros((len(centre), component.n_levels))
        for grid, (levels, edges) in enumerate(zip(rounding.grids, rounding.edges, strict=True)):
            root = np.sqrt(reliability) / size[:, index]
            mass = np.diff(ndtr((edges - centre[:, None]) * root[:, None]), axis=1)
            effortful[:, levels] += weights[:, index, grid, None] * mass
        every = np.arange(component.n_levels)
        careless = draws.low_effort_of(np.full_like(every, grader), np.full_like(every, index), every)
        careless = careless.reshape(len(effort), -1)
        if lowest > -np.inf and not rounding.units:
            below = component.scaled < lowest
            effortful[:, component.scaled == lowest] += effortful[:, below].sum(axis=1, keepdims=True)
            effortful[:, below], careless[:, below] = 0.0, 0.0
        mixed = effort[:, None] * effortful + (1 - effort[:, None]) * careless
        masses[index] = np.asarray(mixed.mean(axis=0))
    return masses


def all_bins(layout: Layout) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64]]:
    """The bins of each report, finest first: where they begin, their ends, and where the weights of their grids stand.

    Weights are those of all components and grids in a row (:meth:`peerage.inference.sampling.draws.Draws.rounding`).
    """
    coarse, finest = CoarseBins.of(layout.roundings, layout.max_levels), report_bins(layout)
    code = layout.report_component.astype(np.int64) * layout.max_levels + layout.report_level
    count = coarse.start[code + 1] - coarse.start[code] + 1
    start = np.concatenate([[0], np.cumsum(count)])
    first = np.zeros(start[-1], bool)
    first[start[:-1]] = True
    rest = np.flatnonzero(~first)
    owner = np.repeat(np.arange(len(code)), count)[rest]
    place = coarse.start[code[owner]] + rest - start[owner] - 1
    low, high, share = np.empty(len(first)), np.empty(len(first)), np.empty(len(first), np.int64)
    low[first], high[first], share[first] = *finest, coarse.own[code]
    low[rest], high[rest], share[rest] = coarse.low[place], coarse.high[place], coarse.share[place]
    return start, low, high, share


@jit
def _report_mass(draw: int, report: int, centre: float, reliability: float, bins: Bins) -> float:
    """Probability of a report in a draw, over all its bins: equation (G1)."""
    total = 0.0
    for place in range(bins.start[report], bins.start[report + 1]):
        total += bins.weight[draw, place] * interval_mass(bins.low[place], bins.high[place], centre, reliability)
    return total


@jit
def _review_log_masses(
    drawn: ChainDraws,
    reports: Reports,
    report_component: NDArray[np.int32],
    review_drift: NDArray[np.int64],
    cell_centre: NDArray[np.float64],
    bins: Bins,
    low_effort: NDArray[np.float64],
    place: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """(draw, review) log probability of each review, in ``out``: the bracket of equation (17).

    With effort it is the product of equation (S4), with slopes as in equation (L1), and halos summed out at evenly
    spaced nodes. Draws are the outer loop: what belongs to one stays in the cache.
    """
    review_reports, report_cell, parts = reports.review_reports, reports.report_cell, drawn.parts
    for draw in range(len(drawn.effort)):
        for review in range(len(reports.review_grader)):
            grader, begin, end = reports.review_grader[review], review_reports[review], review_reports[review + 1]
            own, loading = parts.own_variance[draw, parts.kind[grader]], parts.loading[draw, parts.kind[grader]]
            reliability, effort = drawn.reliability[draw, grader], drawn.effort[draw, grader]
            bias = drawn.bias[draw, grader] + drawn.drift[draw, review_drift[review]]
            without, whole = 1.0 - float(effort), 1.0
            for report in range(begin, end):
                without *= low_effort[draw, report]
                whole += loading[report_component[report]] ** 2 / own[report_component[report]]
            halo_sd, spacing = 1.0 / math.sqrt(reliability), _SPACING / math.sqrt(whole)
            n_nodes = int(_REACH / spacing) if parts.kind[grader] else 0
            with_effort = total = 0.0
            for node in range(-n_nodes, n_nodes + 1):
                weight = product = math.exp(-0.5 * (node * spacing) ** 2)
                for report in range(begin, end):
                    usual, cell = cell_centre[report_cell[report]], report_cell[report]
                    centre = usual + drawn.slope[draw, grader] * (drawn.true_grade[draw, cell] - usual)
                    component = report_component[report]
                    centre += bias + loading[component] * halo_sd * spacing * node
                    product *= _report_mass(draw, report, centre, reliability / own[component], bins)
                total += weight
                with_effort += product
            with_effort *= effort / total
            out[draw, place[review]] = math.log(max(with_effort + without, 1e-300))
