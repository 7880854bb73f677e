"""Peer reviews from Canvas as a folder with grades, their rubric, and what Canvas answered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from peerage.canvas.place import PATIENCE, Patience, Place, Report, say_nothing
from peerage.canvas.pull import pull
from peerage.canvas.store import RAW
from peerage.formats import read_classes
from peerage.formats.reading_choices import Reading
from peerage.gradebook.book import Gradebook
from peerage.gradebook.writing import GRADES_NAME
from peerage.results import result_folder


def pull_from_canvas(
    place: Place,
    token: str,
    out: Path,
    rubric: Path | None = None,
    reading: Reading | None = None,
    *,
    patience: Patience = PATIENCE,
    report: Report = say_nothing,
) -> Gradebook:
    """Fetch an assignment's peer reviews and write them to a folder.

    What was fetched is kept in :func:`unfinished` until all of it is there, and the next pull continues from it.
    """
    result_folder.check_target(out, [] if rubric is None else [rubric])
    partial = unfinished(out)
    files = pull(place, token, partial, patience, report)
    reading = replace(reading or Reading(), format_name="canvas-json", exclude=())
    book = read_classes(files, rubric, by=None, reading=reading)[""]
    with result_folder.writing(out) as folder:
        shutil.copytree(partial, folder / RAW)
        book.write(folder / GRADES_NAME, rubric=True)
    shutil.rmtree(partial)
    return book


def unfinished(out: Path) -> Path:
    """The folder of an unfinished pull, beside the one that it is to write."""
    return out.with_name(f"{out.name}.partial")
