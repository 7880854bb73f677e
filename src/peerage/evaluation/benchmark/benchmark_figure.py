"""The figure of a benchmark: how far Peerage, the mean and all others are from the best, kind by kind, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from peerage.evaluation.benchmark.standings import OURS, Benchmark
from peerage.evaluation.figure_files import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 0.27
_LARGEST = 2.0
"""From twice the best error on, methods are drawn at the edge."""

_PLAIN = "mean"
_GOOD, _WORSE, _GREY = "#1f5fa8", "#d1521b", "#8a8a8a"


def draw(found: Benchmark) -> Figure:
    """A row for each kind of class, those in which another method beats ours by most first.

    The error of grades is a multiple of the smallest one. Ours is blue where it cannot be told from the best.
    """
    table = found.table()
    table = table[table["rmse"].notna()]
    kinds = [kind.name for kind in found.job.kinds if kind.name in set(table["kind"])]
    errors = table.pivot_table(index="kind", columns="method", values="rmse").reindex(kinds)
    errors = errors.div(errors.min(axis=1), axis=0)
    if OURS in errors:
        errors = errors.sort_values(OURS, ascending=False, kind="stable", na_position="last")
    verdicts = table.pivot_table(index="kind", columns="method", values="verdict", aggfunc="first").reindex_like(errors)
    figure = new_figure(7.5, 1.5 + _ROW * len(errors))
    axes = figure.subplots()
    _marked(axes, errors, verdicts, OURS, "D", (_GOOD, _WORSE), "Peerage")
    _marked(axes, errors, verdicts, _PLAIN, "o", (_GREY, _GREY), "the mean")
    _others(axes, errors)
    _named(axes, errors)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8)
    return figure


def _others(axes: Axes, errors: pd.DataFrame) -> None:
    rest = errors.drop(columns=[OURS, _PLAIN], errors="ignore").to_numpy(np.float64)
    row, column = np.nonzero(~np.isnan(rest))
    places = np.minimum(rest[row, column], _LARGEST)
    axes.plot(places, row, "|", color="#b8b8b8", markersize=6, linestyle="none", label="every other method")


def _marked(
    axes: Axes,
    errors: pd.DataFrame,
    verdicts: pd.DataFrame,
    method: str,
    marker: str,
    colours: tuple[str, str],
    words: str,
) -> None:
    """One method, filled where it is the best or cannot be told from it, hollow where another is better."""
    if method not in errors:
        return
    places = np.minimum(errors[method].to_numpy(np.float64), _LARGEST)
    worse, order = (verdicts[method] == "worse").to_numpy(), 4 if method == OURS else 3
    for is_worse, colour, end in ((False, colours[0], "cannot be told from the best"), (True, colours[1], "worse")):
        rows = np.flatnonzero((worse == is_worse) & ~np.isnan(places))
        (line,) = axes.plot(places[rows], rows, marker, linestyle="none", color=colour, label=f"{words}: {end}")
        line.set(markersize=6, zorder=order, markerfacecolor="white" if is_worse else colour)


def _named(axes: Axes, errors: pd.DataFrame) -> None:
    """Kinds to the left, the best method of each to the right."""
    rows = np.arange(len(errors))
    axes.set_yticks(rows, list(errors.index), size=8)
    axes.set_ylim(len(errors) - 0.4, -0.6)
    axes.axvline(1, color="black", linewidth=0.8, zorder=0)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlim(0.98, _LARGEST + 0.02)
    ticks = [1, 1.25, 1.5, 1.75, _LARGEST]
    axes.set_xticks(ticks, ["the best", "+25 %", "+50 %", "+75 %", "twice\nor more"], size=8)
    axes.set_xlabel("error of grades: further left is better", size=9)
    right = axes.secondary_yaxis("right")
    right.set_yticks(rows, list(map(str, errors.idxmin(axis=1))), size=8)
    right.set_ylabel("the smallest error", size=8)
    for side in (axes, right):
        side.tick_params(length=0)
    for edge in ("top", "left", "right"):
        axes.spines[edge].set_visible(False)
        right.spines[edge].set_visible(False)
