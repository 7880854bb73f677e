"""What chains carry over to a class with new grades: their last states, and where everything stood before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING
from peerage.gradebook.merging import places
from peerage.inference.features.drifting import Walks
from peerage.inference.fitted import Fitted
from peerage.inference.layout import Layout
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.sampling.chains import VARIABLES, ChainState, dispersed_starts


def carried_over(posterior: Fitted, layout: Layout) -> tuple[ChainState, ...]:
    """The chains' last states, laid out anew; what is new starts where a fit starts it."""
    before = posterior.samples
    starts = dispersed_starts(layout, before.n_chains, posterior.seed)
    return tuple(
        ChainState(_carried(posterior.layout, state.variables, layout, start), state.generator)
        for state, start in zip(before.states, starts, strict=True)
    )


def _carried(
    before: Layout, values: dict[str, NDArray[Any]], layout: Layout, start: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """A state on a new layout: values of what was inferred before and is inferred now, else those of a start.

    Whatever belongs to no cell, grader or review stays as it was.
    """
    carried = dict(values)
    cell, review = former_places(before, layout)
    grader = np.arange(layout.n_graders)
    grader[before.n_graders :] = -1
    effort_alike = _same(before.known.effort, layout.known.effort, grader)
    keep = {"true_grade": (cell, (cell >= 0) & (layout.fixed_level == MISSING))}
    if "latent" in start:
        submission = np.arange(layout.book.n_submissions)
        submission[before.book.n_submissions :] = -1
        keep |= {"merit": (submission, submission >= 0), "halo": (review, review >= 0)}
        keep["slope"] = grader, (grader >= 0) & layout.may_stretch
        keep["latent"] = _former_reports(before, layout, review)
        carried["drift"] = _carried_drifts(before.walks, values["drift"], layout.walks)
        if (before.has_merit, before.has_halo) != (layout.has_merit, layout.has_halo):
            carried["hyper"] = start["hyper"]  # a second component has come: what is shared starts as in a fit
    keep |= {"effortful": (review, (review >= 0) & effort_alike[layout.reports.review_grader])}
    if "habit" in start:
        keep["habit"] = grader, (grader >= 0) & layout.may_have_habit
    for name in VARIABLES[1:]:
        known = getattr(layout.known, name)
        keep[name] = grader, np.isnan(known) & _same(getattr(before.known, name), known, grader)
    for name, (place, kept) in keep.items():
        old = values[name][np.maximum(place, 0)]
        if old.dtype.kind == "i" and name in VARIABLES:
            old = on_grid(old, getattr(before.grids, name), getattr(layout.grids, name))
        carried[name] = np.where(kept, old, start[name]).astype(start[name].dtype)
    if "centre" in start:
        carried["centre"] = np.where((grader >= 0)[:, None], values["centre"][np.maximum(grader, 0)], start["centre"])
    return carried


def _carried_drifts(before: Walks, values: NDArray[np.float64], walks: Walks) -> NDArray[np.float64]:
    """The drifts that there were; 0 in new assignments, and of whoever did not drift."""
    carried = np.zeros(walks.n_entries)
    now, then = (np.array(places, dtype=np.int64) for places in walks.common(before))
    for old, new in zip(before.start, walks.start, strict=False):  # new graders come last
        if old and new:
            carried[new + now] = values[old + then]
    return carried


def _same(before: NDArray[np.float64], now: NDArray[np.float64], grader: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(graders,) whether a grader was there before and the same was known of the grader, or nothing."""
    return (grader >= 0) & np.isclose(before[np.maximum(grader, 0)], now, rtol=0, atol=0, equal_nan=True)


def _former_reports(
    before: Layout, layout: Layout, review: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each report stood before, and whether it was there and gave the same grade."""
    n_components = len(layout.book.rubric)
    earlier = before.report_review * n_components + before.report_component
    report = places(earlier, review[layout.report_review] * n_components + layout.report_component)
    return report, (report >= 0) & (before.report_level[np.maximum(report, 0)] == layout.report_level)


def former_places(before: Layout, layout: Layout) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each cell and each review of a layout stood in an earlier one, or -1."""
    cell = places(_cell_keys(before), _cell_keys(layout))
    return cell, places(review_keys(before, layout), review_keys(layout, layout))


def _cell_keys(layout: Layout) -> NDArray[np.int64]:
    return layout.cell_submission * len(layout.book.rubric) + layout.reports.cell_component


def review_keys(layout: Layout, whole: Layout) -> NDArray[np.int64]:
    """A number for each review of a layout that is the same in the whole one."""
    submission = layout.book.review_submission[layout.review_order].astype(np.int64)
    return submission * whole.n_graders + layout.reports.review_grader


def on_grid(codes: NDArray[np.integer], before: Grid, grid: Grid) -> NDArray[np.integer]:
    """The cells of a grid that hold the points of another; a code past the other's end means no point."""
    points = before.points[np.minimum(codes, len(before) - 1)]
    return np.asarray(np.clip(np.searchsorted(grid.edges, points) - 1, 0, len(grid) - 1))
