"""Figures as files: PNG and SVG, the same bytes for the same data."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.errors import MissingExtraError
from peerage.results import result_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")

_ONE_AT_A_TIME = threading.Lock()
"""How matplotlib writes SVG is a setting of the whole process."""


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
    names = [stem + suffix for suffix in SUFFIXES]
    with _settings({"svg.hashsalt": stem, "svg.fonttype": "none"}):
        for name in names:
            # Without a date, the same data give the same file.
            figure.savefig(folder / name, dpi=150, metadata={"Date": None} if name.endswith(".svg") else None)
    return names


def add_figure(figure: Figure, out: Path, stem: str) -> list[str]:
    """Add a figure to a result folder as PNG and as SVG, and return the names of the files."""
    with tempfile.TemporaryDirectory() as drawn:
        names = save_figure(figure, Path(drawn), stem)
        for name in names:
            result_folder.add(out, name, (Path(drawn) / name).read_bytes())
    return names


@contextmanager
def _settings(wanted: dict[str, str]) -> Iterator[None]:
    """Settings of matplotlib while a figure is written; unlike its own rc_context, this leaves all others alone."""
    import matplotlib as mpl

    settings: Any = mpl.rcParams
    with _ONE_AT_A_TIME:
        before = {name: settings[name] for name in wanted}
        settings.update(wanted)
        try:
            yield
        finally:
            settings.update(before)
