"""The figure of a study: the paper's panels, with what the paper states marked in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from peerage.evaluation.figure_files import new_figure
from peerage_studies.drawing import CLASS_WORDS, draw_panel, is_numeric, rows_of
from peerage_studies.estimates import estimates
from peerage_studies.labels import METRICS
from peerage_studies.panels import LAYOUTS, Panel
from peerage_studies.paper_values import draw_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _LEGEND = 9.0, 0.5
_HEIGHT, _ROW, _MARGIN = 2.3, 0.3, 0.9
"""Inches: the height of a panel with numbers, at most; of a name; and what is around names."""

_SHAPE = 0.77
"""The height of a panel with numbers, as a share of its width."""

_IN_A_ROW = 3
"""Entries in a row of the legend."""


def draw(name: str, table: pd.DataFrame) -> Figure:
    """Draw the figure of a study from its table."""
    means = estimates(table)
    layout = LAYOUTS[name]
    panels = [panel for panel in layout.panels if len(rows_of(panel, means))]
    columns = min(layout.columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(_WIDTH, rows * _height(panels[0], means, columns) + _LEGEND)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in axes[len(panels) :]:
        empty.set_axis_off()
    for panel, place in zip(panels, axes, strict=False):
        draw_panel(place, panel, means)
        draw_marks(place, name, panel, upright=not is_numeric(rows_of(panel, means)))
    if len({panel.setting for panel in panels}) > columns:
        _head_columns(axes, columns)
    _share_scales(panels, axes)
    _legend(figure, axes)
    return figure


def _height(panel: Panel, means: pd.DataFrame, columns: int) -> float:
    rows = rows_of(panel, means)
    if is_numeric(rows):
        return min(_HEIGHT, _SHAPE * _WIDTH / columns)
    return _ROW * rows["value"].nunique() + _MARGIN


def _head_columns(axes: Sequence[Axes], columns: int) -> None:
    """Say above each column what all of its panels show, instead of beside each of them."""
    for index, place in enumerate(axes):
        place.set_title(place.get_ylabel() if index < columns else "", size=8)
        place.set_ylabel("")


def _share_scales(panels: Sequence[Panel], axes: Sequence[Axes]) -> None:
    """Give panels of the same metrics the same scale, so that they can be compared."""
    for metrics in {panel.metrics for panel in panels}:
        alike = [place for panel, place in zip(panels, axes, strict=False) if panel.metrics == metrics]
        for place in alike[1:]:
            (place.sharex if place.yaxis_inverted() else place.sharey)(alike[0])
        alike[0].autoscale_view()


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """One legend above all panels: the classes, other lines, then what is marked."""
    entries: dict[str, Any] = {}
    for place in axes:
        handles, labels = place.get_legend_handles_labels()
        entries = dict(zip(labels, handles, strict=True)) | entries
    groups = (CLASS_WORDS.values(), METRICS.values())
    names = [name for group in groups for name in group if name in entries]
    names += [name for name in entries if name not in names]
    # A legend is filled column by column, and this one is to be read row by row.
    names = [name for first in range(_IN_A_ROW) for name in names[first::_IN_A_ROW]]
    figure.legend(
        [entries[name] for name in names],
        names,
        loc="outside upper center",
        ncols=_IN_A_ROW,
        fontsize=8,
        frameon=False,
    )
