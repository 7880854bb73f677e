"""A simulated class as the files that a real one would have, and its truth beside them."""

from __future__ import annotations

from pathlib import Path

from peerage.gradebook.writing import GRADES_NAME
from peerage.simulation.truth import Truth
from peerage.tables.writing_tables import write_table

TRUE_GRADES, TRUE_GRADERS, TRUE_BIASES = "true_grades.csv", "graders_truth.csv", "biases_truth.csv"
"""The files that say what is true in a simulated class."""


def write_class(truth: Truth, folder: Path) -> None:
    """Write ``peer_grades.csv``, ``rubric.toml``, ``true_grades.csv`` and ``graders_truth.csv``.

    Where biases drift, ``biases_truth.csv`` has those in each assignment.
    """
    truth.book.write(folder / GRADES_NAME, rubric=True)
    write_table(truth.true_grades(), folder / TRUE_GRADES)
    write_table(truth.graders(), folder / TRUE_GRADERS)
    if truth.drift.any():
        write_table(truth.biases(), folder / TRUE_BIASES)
