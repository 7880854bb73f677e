"""A posterior's tables as pictures; matplotlib draws them, on axes that are given or on new ones.

Functions take tables and return axes, so that a title, a colour or a file is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import MissingExtraError
from peerage.gradebook.book import ROLE_WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ESTIMATE, REPORT, PALE = "#2f6fb5", "#b3541e", "#8a94a3"
"""Colours: what is believed, what was reported, and how sure it is."""

MOST_NAMED = 40
"""With more rows than this, their names are left out."""

UNITLESS = ("reliability_shape", "effort_concentration")
"""Hyperparameters that are neither on the scale of grades nor shares."""

_ROLES = {"student": ESTIMATE, "ta": REPORT, "instructor": "#8a4fa3", "machine": "#4d5866"}


def new_axes(width: float, height: float, columns: int = 1) -> Any:
    """Axes of a new figure of a size in inches, several beside each other if there are several columns.

    The figure is pyplot's, as in pandas: notebooks show those, and pyplot keeps them until they are closed. Whoever
    wants neither gives axes.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise MissingExtraError("A plot", "figures") from None
    _, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained", squeeze=False)
    return axes[0] if columns > 1 else axes[0, 0]


def draw_grades(grades: pd.DataFrame, ax: Axes | None) -> Axes:
    """Each submission's expected grade and interval on one component, in order, beside the mean of its peers."""
    rows = grades.sort_values("expected", kind="stable").reset_index(drop=True)
    ax = new_axes(6.0, max(2.5, 0.19 * min(len(rows), MOST_NAMED) + 1)) if ax is None else ax
    place = np.arange(len(rows))
    ax.hlines(place, rows["lower"], rows["upper"], color=PALE, linewidth=2.5, label="90% interval")
    ax.plot(rows["peer_mean"], place, "x", color=REPORT, markersize=5, label="peers' mean")
    ax.plot(rows["expected"], place, "o", color=ESTIMATE, markersize=5, label="expected grade")
    _name_rows(ax, list(rows["submission"]), "submissions, in order")
    ax.set_xlabel(str(rows["component"].iloc[0]) if len(rows) else "grade")
    ax.legend(loc="best", frameon=False, fontsize="small")
    return ax


def draw_graders(graders: pd.DataFrame, ax: Axes | None) -> Axes:
    """Each grader's bias against dependability, with intervals."""
    ax = new_axes(6.0, 4.5) if ax is None else ax
    for role, colour in _ROLES.items():
        rows = graders[graders["role"] == role]
        if not len(rows):
            continue
        x, y = rows["dependability"].to_numpy(float), rows["bias"].to_numpy(float)
        for values, name, line in ((x, "dependability", ax.hlines), (y, "bias", ax.vlines)):
            low, high = rows[f"{name}_lower"].to_numpy(float), rows[f"{name}_upper"].to_numpy(float)
            other = y if values is x else x
            line(other, low, high, color=colour, alpha=0.2, linewidth=1)
        ax.plot(x, y, "o", color=colour, markersize=5, label=f"{ROLE_WORDS[role]}s")
    ax.axhline(0, color=PALE, linewidth=1)
    ax.set_xlabel("dependability: how much the grades tell about the work")
    ax.set_ylabel("bias, on a scale of 0 to 5")
    ax.legend(loc="best", frameon=False, fontsize="small")
    return ax


def draw_submission(
    mass: pd.DataFrame, reports: Sequence[NDArray[np.float64]], name: str, axes: Sequence[Axes] | None
) -> NDArray[Any]:
    """How probable each grade is on each component of a submission, above what was reported."""
    components = list(dict.fromkeys(mass["component"]))
    made = new_axes(3.0 * len(components), 2.8, len(components)) if axes is None else axes
    drawn = np.atleast_1d(np.asarray(made, dtype=object))
    for ax, component, given in zip(drawn, components, reports, strict=True):
        rows = mass[mass["component"] == component]
        grades = rows["grade"].to_numpy(float)
        width = 0.8 * float(np.diff(grades).min()) if len(grades) > 1 else 0.8
        ax.bar(grades, rows["probability"], width, color=ESTIMATE)
        below = -0.04 * (1 + _stacked(given))
        ax.plot(given, below * float(rows["probability"].max()), "v", color=REPORT, markersize=6, clip_on=False)
        ax.set_xlabel(str(component))
        ax.margins(y=0.05)
        ax.axhline(0, color=PALE, linewidth=1)
    drawn[0].set_ylabel("probability")
    drawn[0].set_title(f"{name}: bars are beliefs, triangles are reports", loc="left", fontsize="medium")
    return drawn


def draw_priors(priors: pd.DataFrame, ax: Axes | None) -> Axes:
    """Each hyperparameter with its interval, where it was learned, in words.

    How alike students are has no unit of its own, and is left out.
    """
    rows = priors[~priors["parameter"].isin(UNITLESS)].iloc[::-1].reset_index(drop=True)
    ax = new_axes(7.5, max(2.0, 0.3 * len(rows) + 0.8)) if ax is None else ax
    place = np.arange(len(rows))
    ax.hlines(place, rows["lower"], rows["upper"], color=PALE, linewidth=2.5)
    ax.plot(rows["value"], place, "o", color=ESTIMATE, markersize=5)
    named = [
        f"{meaning}, {component}" if component else str(meaning)
        for meaning, component in zip(rows["meaning"], rows["component"], strict=True)
    ]
    ax.set_yticks(place, named, fontsize="small")
    ax.set_xlabel("on the scale of 0 to 5, or a share; lines are 90% intervals", loc="right")
    return ax


def _stacked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many equal values come before each."""
    return np.array([float(np.sum(values[:index] == value)) for index, value in enumerate(values)])


def _name_rows(ax: Axes, names: Sequence[str], words: str) -> None:
    if len(names) > MOST_NAMED:
        ax.set_yticks([])
        ax.set_ylabel(words)
    else:
        ax.set_yticks(np.arange(len(names)), names, fontsize="small")
