"""The figure of a search: the score against each hyperparameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from peerage.evaluation.figure_files import new_figure
from peerage.evaluation.prior_search.prior_grids import PriorAxis, in_words
from peerage.evaluation.prior_search.prior_search import Search

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SCREENED, _CROSS_VALIDATED = "#9a9a9a", "#2f6f9f"
_WIDTH, _HEIGHT, _IN_A_ROW = 2.6, 2.8, 4
_LINEAR = 10.0
"""Up to this difference the vertical axis is linear, beyond it logarithmic."""

LABEL = "log probability below the best"


def draw(found: Search) -> Figure:
    """A panel for each axis of the grid with several values: each setting's difference from the best.

    The line joins the best settings of each value.
    """
    axes = [axis for axis in found.grid.axes if len(_places(axis, found.table)) > 1] or list(found.grid.axes[:1])
    columns = min(len(axes), _IN_A_ROW)
    rows = -(-len(axes) // columns)
    figure = new_figure(_WIDTH * columns, _HEIGHT * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for panel in panels.flat[len(axes) :]:
        panel.set_axis_off()
    for axis, panel in zip(axes, panels.flat, strict=False):
        _panel(panel, axis, found.table)
    for row in panels:
        row[0].set_ylabel(LABEL, size=8)
    figure.suptitle("grey: only screened; blue: cross-validated; line: the best of each value", size=9)
    return figure


def _panel(panel: Axes, axis: PriorAxis, table: pd.DataFrame) -> None:
    labels = _places(axis, table)
    place = _labels(axis, table).map({label: place for place, label in enumerate(labels)})
    final = table["score"].notna()
    for rows, colour in ((~final, _SCREENED), (final, _CROSS_VALIDATED)):
        panel.plot(place[rows], table["difference"][rows], "o", ms=3, alpha=0.6, color=colour)
    best = table["difference"].groupby(place).min().sort_index()
    panel.plot(best.index, best, "-", lw=1, color="black")
    panel.set_yscale("symlog", linthresh=_LINEAR)
    panel.set_ylim(max(np.nanmax(table["difference"]) * 1.2, 1.0), -0.5)
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_xlim(-0.4, len(labels) - 0.6)
    panel.set_xticks(range(len(labels)), labels, size=7)
    panel.tick_params(axis="y", labelsize=7)
    panel.set_title(", ".join(axis.names), size=9)


def _labels(axis: PriorAxis, table: pd.DataFrame) -> pd.Series[str]:
    """(rows,) the values of the axis in words."""
    rows = zip(*(table[name] for name in axis.names), strict=True)
    words = [", ".join(cell if isinstance(cell, str) else in_words(cell) for cell in row) for row in rows]
    return pd.Series(words, table.index, dtype=object)


def _places(axis: PriorAxis, table: pd.DataFrame) -> list[str]:
    """The values of the axis in words, in its order; those of a base that is not on the axis come last."""
    listed = [", ".join(in_words(value) for value in values) for values in axis.values]
    present = list(dict.fromkeys(_labels(axis, table)))
    return [label for label in listed if label in present] + [label for label in present if label not in listed]
