"""One panel of a figure: means with 95 % confidence intervals, over numbers or beside names.

Lines differ in colour, marker and stroke, so that they are told apart in print and by the colour-blind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from peerage.simulation.simulated_class import SETTINGS as CLASSES
from peerage_studies.labels import METRICS, SETTINGS, SEVERAL, VALUES
from peerage_studies.panels import HYPERPARAMETERS, LOGARITHMIC, ORDER, Panel
from peerage_studies.quantities import as_number
from peerage_studies.truths import true_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART = 0.012
"""How far apart the points of two lines at one value are, as a share of the axis."""

_APART_BY_NAME = 0.24
"""The same beside names, as a share of the distance between two of them."""


@dataclass(frozen=True)
class Style:
    """How a line looks."""

    colour: str
    marker: str
    stroke: str

    def look(self) -> dict[str, Any]:
        """What matplotlib calls it, but for the stroke."""
        return {"color": self.colour, "marker": self.marker, "ms": 4, "lw": 1.1, "elinewidth": 1, "capsize": 2}

    def dotted(self, words: str) -> dict[str, Any]:
        """A thin line of the same colour."""
        return {"color": self.colour, "lw": 0.8, "ls": ":", "label": words}


_BY_CLASS = {"a": Style("#0072b2", "o", "-"), "b": Style("#d55e00", "s", "--"), "c": Style("#009e73", "^", "-.")}
_BY_METRIC = (Style("#000000", "D", "-"), Style("#cc79a7", "P", "--"), Style("#56b4e9", "X", ":"))

CLASS_WORDS = {
    name: f"class ({name}): $σ_b$ = {entry['sigma_b']:g}, $τ_ℓ$ = {entry['tau_l']:g}" for name, entry in CLASSES.items()
}
TRUTH = "the true value (dotted)"
_LEVEL_STROKES = (":", (0, (6, 2)))


class Numbers:
    """A horizontal axis with the numbers of a setting."""

    def __init__(self, setting: str, rows: pd.DataFrame) -> None:
        self.setting, self.values = setting, sorted({float(value) for value in rows["value"]})
        self.is_log = setting in LOGARITHMIC

    def draw(self, axes: Axes, line: pd.DataFrame, shift: float, style: Style, words: str) -> None:
        """Draw a line, shifted a little so that it does not hide another."""
        low, high = self.values[0], self.values[-1]
        line = line.assign(place=line["value"].astype(float)).sort_values("place")
        step = _APART * shift
        place = line["place"] * (high / low) ** step if self.is_log else line["place"] + (high - low) * step
        axes.errorbar(place, line["mean"], yerr=line["half"].fillna(0), **style.look(), ls=style.stroke, label=words)

    def label(self, axes: Axes, metric: str) -> None:
        """Say what is along both axes."""
        if self.is_log:
            axes.set_xscale("log")
        axes.set_xticks(self.values, [f"{value:g}" for value in self.values])
        axes.xaxis.minorticks_off()
        axes.set_xlabel(_typeset(SETTINGS[self.setting]), size=8)
        axes.set_ylabel(metric, size=8)


class Names:
    """A vertical axis with the names of a setting's values."""

    def __init__(self, setting: str, rows: pd.DataFrame) -> None:
        self.setting, self.names = setting, sorted(set(rows["value"]), key=ORDER.index)

    def draw(self, axes: Axes, line: pd.DataFrame, shift: float, style: Style, words: str) -> None:
        """Draw the points of a line, below those of the line before."""
        place = [self.names.index(name) + _APART_BY_NAME * shift for name in line["value"]]
        axes.errorbar(line["mean"], place, xerr=line["half"].fillna(0), **style.look(), ls="none", label=words)

    def label(self, axes: Axes, metric: str) -> None:
        """Say what is along both axes."""
        axes.set_yticks(range(len(self.names)), [_typeset(VALUES.get(name, name)) for name in self.names])
        axes.set_ylim(len(self.names) - 0.5, -0.5)
        axes.grid(axis="x", color="#e4e4e4", lw=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(metric, size=8)
        axes.set_ylabel(SETTINGS[self.setting], size=8)


def rows_of(panel: Panel, means: pd.DataFrame) -> pd.DataFrame:
    """The means that a panel shows."""
    chosen = means[(means["setting"] == panel.setting) & means["metric"].isin(panel.metrics)]
    return chosen if panel.only is None else chosen[chosen["class"] == panel.only]


def is_numeric(rows: pd.DataFrame) -> bool:
    """Whether all values of a setting are numbers, and not names."""
    return all(isinstance(as_number(value), float) for value in rows["value"])


def draw_panel(axes: Axes, panel: Panel, means: pd.DataFrame) -> None:
    """Draw the lines of a panel and label its axes."""
    rows = rows_of(panel, means)
    scale = (Numbers if is_numeric(rows) else Names)(panel.setting, rows)
    styles = {name: style for name, style in _styles(panel).items() if name in set(rows[panel.by])}
    words = CLASS_WORDS if panel.only is None else METRICS
    for index, (name, style) in enumerate(styles.items()):
        scale.draw(axes, rows[rows[panel.by] == name], index - (len(styles) - 1) / 2, style, words[name])
        if panel.setting in HYPERPARAMETERS:
            axes.axvline(true_value(panel.setting, name), **style.dotted(TRUTH))
    _draw_levels(axes, panel, means)
    scale.label(axes, METRICS[panel.metrics[0]] if len(panel.metrics) == 1 else SEVERAL)
    if panel.only is not None:
        axes.set_title(CLASS_WORDS[panel.only], size=8)
    if panel.metrics[0].endswith("_error"):
        _percent(axes)
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _styles(panel: Panel) -> dict[str, Style]:
    return _BY_CLASS if panel.only is None else dict(zip(panel.metrics, _BY_METRIC, strict=True))


def _draw_levels(axes: Axes, panel: Panel, means: pd.DataFrame) -> None:
    """Draw what all classes are to be compared with."""
    for setting, stroke in zip(panel.levels, _LEVEL_STROKES, strict=False):
        level = means[(means["setting"] == setting) & means["metric"].isin(panel.metrics)]
        if len(level):
            axes.axhline(level["mean"].mean(), color="#777777", lw=1, ls=stroke, label=SETTINGS[setting])


def _typeset(words: str) -> str:
    """Words in which symbols such as σ_b have their index below the line."""
    return re.sub(r"\b(\w_\w)\b", r"$\1$", words)


def _percent(axes: Axes) -> None:
    """A logarithmic scale of shares, in per cent."""
    from matplotlib.ticker import LogLocator, PercentFormatter

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=None))
    axes.yaxis.minorticks_off()
