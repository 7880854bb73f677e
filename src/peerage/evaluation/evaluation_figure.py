"""The figure of an evaluation: what each model and baseline changes, in prediction and in grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from peerage.evaluation.evaluation_in_words import SIGNIFICANT, titled
from peerage.evaluation.evaluation_tables import EvaluationTables
from peerage.evaluation.figure_files import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {"worse": "#b2473e", "better": "#2f6f9f", "alike": "#8a8a8a", "grades": "#4f4f4f"}
_ROW, _MARGIN, _WIDTH = 0.36, 1.0, 9.0
"""Inches: the height of a row, what is around the rows of a block, the width of the figure."""

DELTA, CHANGE = "log probability of all reviews, relative to the base model", "mean change of grades (of 5)"


def draw(found: EvaluationTables) -> Figure:
    """Bars of differences from the base model, with two standard errors; baselines on a scale of their own."""
    table = found.table().assign(title=[titled(found, name) for name in found.scores])
    is_model = table["model"].isin(list(found.models))
    blocks = [rows for rows in (table[is_model].iloc[1:], table[~is_model]) if len(rows)]
    heights = [_ROW * len(rows) + _MARGIN for rows in blocks]
    figure = new_figure(_WIDTH, sum(heights))
    axes = figure.subplots(len(blocks), 2, squeeze=False, width_ratios=(2, 1), height_ratios=heights)
    for (left, right), rows in zip(axes, blocks, strict=True):
        _bars(left, rows, "delta", [_colour(row) for row in rows.to_dict("records")], rows["delta_se"] * 2)
        _bars(right, rows, "grade_change", [_COLOURS["grades"]] * len(rows), None)
        right.set_yticklabels([])
    figure.suptitle(
        f"Base model: {found.base}. Bars are ± 2 standard errors; coloured where p < {SIGNIFICANT}.", size=10
    )
    for place, label in ((0, DELTA), (1, CHANGE)):
        axes[-1][place].set_xlabel(label, size=9)
    return figure


def _bars(axes: Axes, rows: pd.DataFrame, column: str, colours: Sequence[str], errors: Any) -> None:
    places = range(len(rows))
    axes.barh(places, rows[column], xerr=errors, color=colours, height=0.6, error_kw={"lw": 1})
    axes.axvline(0, color="black", lw=0.8)
    axes.set_yticks(places, list(rows["title"]), size=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.invert_yaxis()
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _colour(row: dict[Any, Any]) -> str:
    if not row["p_value"] < SIGNIFICANT:
        return _COLOURS["alike"]
    return _COLOURS["better" if row["delta"] > 0 else "worse"]
