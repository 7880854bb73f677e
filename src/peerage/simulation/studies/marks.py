"""What the paper states, marked in the panels of a study: numbers as stars, bounds as triangles, ranges as bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage.simulation.studies.claims import Measured
from peerage.simulation.studies.panels import Panel
from peerage.simulation.studies.quantities import At, Below, Criterion, Highest, Place, Quantity, Rounded, Within
from peerage.simulation.studies.statements import CLAIMS
from peerage.simulation.studies.truths import true_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATED, BOUND, RANGE, LEVEL = "the paper", "the paper: below", "the paper: range", "the paper: level"
_IN_FRONT = 5


def draw_marks(axes: Axes, study: str, panel: Panel, *, upright: bool) -> None:
    """Mark the numbers that the paper states about what a panel shows; ``upright`` if its values are on the y axis."""
    for claim in CLAIMS[study]:
        if isinstance(claim.judge, Measured) and not claim.ours:
            _mark(axes, panel, claim.judge.quantity, claim.judge.criterion, upright)


def _mark(axes: Axes, panel: Panel, quantity: Quantity, criterion: Criterion, upright: bool) -> None:
    match quantity, criterion:
        case At(metric, setting, _), Within(low, high) if _shows(panel, metric, setting):
            (axes.axvspan if upright else axes.axhspan)(low, high, color="#dddddd", lw=0, zorder=0, label=RANGE)
        case At(metric, setting, Place.TRUE), Rounded(stated) if (
            panel.metrics == (metric,) and setting == panel.setting
        ):
            axes.plot(true_value(setting, "a"), stated, "k*", ms=8, zorder=_IN_FRONT, ls="none", label=STATED)
        case At(metric, setting, float(value) | int(value)), Rounded(stated) if _shows(panel, metric, setting):
            axes.plot(value, stated, "k*", ms=8, zorder=_IN_FRONT, ls="none", label=STATED)
        case At(metric, setting, float(value) | int(value)), Below(bound) if _shows(panel, metric, setting):
            axes.plot(value, bound, "kv", ms=6, zorder=_IN_FRONT, ls="none", label=BOUND)
        case At(metric, setting, _), Rounded(stated) if panel.metrics == (metric,) and setting == panel.level:
            axes.axhline(stated, color="black", lw=1, ls=(0, (1, 1)), label="the paper: a TA")
        case Highest(metric, settings), Rounded(stated) if panel.metrics == (metric,) and panel.setting in settings:
            axes.axhline(stated, color="black", lw=1, ls=(0, (1, 1)), label="the paper: the highest")


def _shows(panel: Panel, metric: str, setting: str) -> bool:
    return panel.metrics == (metric,) and panel.setting == setting
