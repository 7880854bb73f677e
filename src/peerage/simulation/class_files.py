"""A simulated class as the files that a real one would have, and its truth beside them."""

from __future__ import annotations

from pathlib import Path

from peerage.simulation.truth import Truth
from peerage.tables.writing_tables import write_table

GRADES = "peer_grades.csv"


def write_class(truth: Truth, folder: Path) -> None:
    """Write ``peer_grades.csv``, ``rubric.toml``, ``true_grades.csv`` and ``graders_truth.csv``.

    Where biases drift, ``biases_truth.csv`` has those in each assignment.
    """
    truth.book.write(folder / GRADES, rubric=True)
    write_table(truth.true_grades(), folder / "true_grades.csv")
    write_table(truth.graders(), folder / "graders_truth.csv")
    if truth.drift.any():
        write_table(truth.biases(), folder / "biases_truth.csv")
