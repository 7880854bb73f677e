"""What the paper states, marked in the panels of a study: numbers as stars, bounds as triangles, ranges as bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage_studies.claims import Measured
from peerage_studies.panels import Panel
from peerage_studies.quantities import At, Below, Criterion, Highest, Place, Quantity, Rounded, Within
from peerage_studies.statements import CLAIMS
from peerage_studies.truths import true_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATED, BOUND, RANGE = "the paper", "the paper: below", "the paper: range"
TA, HIGHEST = "the paper: a TA", "the paper: the highest"
_IN_FRONT = 5


def draw_marks(axes: Axes, study: str, panel: Panel, *, upright: bool) -> None:
    """Mark the numbers that the paper states about what a panel shows; ``upright`` if its settings are named."""
    for claim in CLAIMS[study]:
        if isinstance(claim.judge, Measured) and not claim.ours:
            _mark(axes, panel, claim.judge.quantity, claim.judge.criterion, upright)


def _mark(axes: Axes, panel: Panel, quantity: Quantity, criterion: Criterion, upright: bool) -> None:
    match quantity, criterion:
        case ((At(metric) | Highest(metric)), _) if panel.metrics != (metric,):
            return
        case At(_, setting, _), Within(low, high) if setting == panel.setting:
            (axes.axvspan if upright else axes.axhspan)(low, high, color="#dddddd", lw=0, zorder=0, label=RANGE)
        case At(_, setting, value), Rounded(stated) if setting == panel.setting:
            axes.plot(_place(setting, value), stated, "k*", ms=8, zorder=_IN_FRONT, ls="none", label=STATED)
        case At(_, setting, value), Below(bound) if setting == panel.setting:
            axes.plot(_place(setting, value), bound, "kv", ms=6, zorder=_IN_FRONT, ls="none", label=BOUND)
        case At(_, setting, _), Rounded(stated) if setting in panel.levels:
            axes.axhline(stated, color="black", lw=1, ls=(0, (1, 1)), label=TA)
        case Highest(_, settings), Rounded(stated) if panel.setting in settings:
            axes.axhline(stated, color="black", lw=1, ls=(0, (1, 1)), label=HIGHEST)


def _place(setting: str, value: float | str | Place) -> float | str:
    """Where a value is; the true one, in the first class."""
    return true_value(setting, "a") if isinstance(value, Place) else value
