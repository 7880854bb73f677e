"""Figures in files: the same bytes for the same data, and matplotlib's settings as others set them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from peerage.evaluation.figure_files import new_figure, save_figure


def test_settings_that_another_thread_changes_meanwhile_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = new_figure(2, 1)
    figure.subplots().set_title("Words")
    writing, changed = threading.Event(), threading.Event()
    write = figure.savefig

    def slow(*args: Any, **kwargs: Any) -> None:
        writing.set()
        assert changed.wait(60)
        write(*args, **kwargs)

    monkeypatch.setattr(figure, "savefig", slow)
    monkeypatch.setitem(mpl.rcParams, "lines.linewidth", 1.5)
    before = mpl.rcParams["svg.hashsalt"], mpl.rcParams["svg.fonttype"]
    thread = threading.Thread(target=save_figure, args=(figure, tmp_path, "figure"))
    thread.start()
    assert writing.wait(60)
    mpl.rcParams["lines.linewidth"] = 4.0
    changed.set()
    thread.join(60)
    assert mpl.rcParams["lines.linewidth"] == 4.0
    assert (mpl.rcParams["svg.hashsalt"], mpl.rcParams["svg.fonttype"]) == before
    assert ">Words</text>" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_the_same_data_give_the_same_files(tmp_path: Path) -> None:
    written = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        folder.mkdir()
        figure = new_figure(2, 1)
        figure.subplots().plot([1, 2, 3])
        written.append([(folder / name).read_bytes() for name in save_figure(figure, folder, "figure")])
    assert written[0] == written[1]
