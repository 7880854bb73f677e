"""The figure of a benchmark: how far each method is from the best, kind by kind, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerage.evaluation.benchmark.standings import OURS, Benchmark
from peerage.evaluation.figure_files import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CELL = 0.34
_LARGEST = 2.0
"""From twice the best error on, the colour stays the same."""


def draw(found: Benchmark) -> Figure:
    """Kinds of class by methods: the error of grades as a multiple of the best; dots where they are as good.

    Kinds in which another method beats ours by most come first.
    """
    table = found.table()
    kinds = [kind.name for kind in found.job.kinds]
    shown = table.pivot(index="kind", columns="method", values="rmse").reindex(kinds).dropna(axis=1, how="all")
    shown = shown.dropna(axis=0, how="all")
    shown = shown.div(shown.min(axis=1), axis=0)
    if OURS in shown:
        shown = shown.sort_values(OURS, ascending=False, kind="stable")
    order, kinds = shown.mean().sort_values().index, list(shown.index)
    shown = shown[order]
    verdicts = table.pivot(index="kind", columns="method", values="verdict").reindex(index=kinds, columns=order)
    figure = new_figure(3.2 + _CELL * len(order), 2.4 + _CELL * len(kinds))
    axes = figure.subplots()
    image = axes.imshow(shown.to_numpy(), vmin=1, vmax=_LARGEST, cmap="cividis_r", aspect="auto")
    axes.set_xticks(range(len(order)), list(order), rotation=90, size=7)
    for label in axes.get_xticklabels():
        label.set_fontweight("bold" if label.get_text() == OURS else "normal")
    axes.set_yticks(range(len(kinds)), kinds, size=7)
    close = np.argwhere(verdicts.isin(["best", "cannot be told"]).to_numpy())
    axes.plot(close[:, 1], close[:, 0], "o", color="black", markersize=3, linestyle="none")
    figure.colorbar(image, ax=axes, label="error, as a multiple of the best method's", fraction=0.03)
    axes.set_title(
        "Yellow is best. Dots: the smallest error, and what cannot be told from it.\n"
        "White: the class lacks what the method needs.",
        size=9,
    )
    return figure
