"""Figures as files: PNG and SVG, the same bytes for the same data."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from peerage.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")


def require_figures() -> None:
    """Refuse at once, before long work, where figures cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("A figure", "figures")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches; no window and no global state."""
    require_figures()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, folder: Path, stem: str) -> list[str]:
    """Write a figure as PNG and as SVG, whose text stays text, and return the names of the files."""
    import matplotlib as mpl

    names = [stem + suffix for suffix in SUFFIXES]
    with mpl.rc_context({"svg.hashsalt": stem, "svg.fonttype": "none"}):
        for name in names:
            # Without a date, the same data give the same file.
            figure.savefig(folder / name, dpi=150, metadata={"Date": None} if name.endswith(".svg") else None)
    return names
