"""Other systems' files as a folder with grades and their rubric, which is read without questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from peerage.formats import read_classes
from peerage.formats.reading_choices import Reading
from peerage.formats.wizard.mapping import MAPPING_NAME
from peerage.gradebook.book import Gradebook
from peerage.gradebook.writing import GRADES_NAME
from peerage.results import result_folder


def import_class(
    sources: Sequence[Path], out: Path, rubric: Path | None = None, reading: Reading | None = None
) -> Gradebook:
    """Write the grades of one class to a folder, with their rubric and how the columns were understood.

    Reviews that the staff exclude are kept: whoever reads the folder decides about them.
    """
    result_folder.check_target(out, [*sources, *([] if rubric is None else [rubric])])
    reading = Reading(exclude=()) if reading is None else replace(reading, exclude=())
    book = read_classes(sources, rubric, by=None, reading=reading)[""]
    with result_folder.writing(out) as folder:
        book.write(folder / GRADES_NAME, rubric=True)
        if reading.mapping is not None:
            (folder / MAPPING_NAME).write_text(reading.mapping.to_toml(), encoding="utf-8")
    return book
