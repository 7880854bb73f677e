"""Processes that write to the same place at the same time; run as a program by ``test_many_writers.py``.

``python many_writers.py FOLDER WHAT WRITERS ROUNDS`` starts that many processes. Each writes ``FOLDER/key.csv``,
``FOLDER/table.csv`` or ``FOLDER/results`` as often as ROUNDS says, and notes what it expects to find in a file of its
own.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pandas as pd

from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.rulings import Exclusion
from peerage.results import result_folder
from peerage.tables.writing_tables import write_table
from support.classes.tiny import tiny_class

ROWS = 200


def add_to_key(folder: Path, writer: int, round_: int) -> list[list[str]]:
    """Draw a name for somebody whom this writer alone knows and for somebody whom all know; both are returned."""
    from dataclasses import replace

    ids = [f"own {writer} {round_}", f"common {round_}"]
    excluded = tuple(Exclusion(name, "", "late") for name in ids)
    with Key.kept(folder / "key.csv") as key:
        hidden = key.hide(replace(tiny_class(1), exclusions=excluded))
    return [[name, rule.grader] for name, rule in zip(ids, hidden.exclusions, strict=True)]


def export_table(folder: Path, writer: int, round_: int) -> list[list[str]]:
    """Replace the table."""
    write_table(pd.DataFrame({"writer": [f"{writer} {round_}"] * ROWS}), folder / "table.csv")
    return []


def write_results(folder: Path, writer: int, round_: int) -> list[list[str]]:
    """Replace the results, both of whose files hold the same."""
    with result_folder.writing(folder / "results") as fresh:
        for name in ("grades.csv", "graders.csv"):
            (fresh / name).write_text(f"{writer} {round_}")
    return []


def add_to_results(folder: Path, writer: int, round_: int) -> list[list[str]]:
    """Add a file to the results."""
    result_folder.add(folder / "results", f"{writer}.txt", f"{writer} {round_}")
    return []


WRITERS = {"key": add_to_key, "table": export_table, "results": write_results, "added": add_to_results}


def write_all(folder: Path, what: str, writers: int, rounds: int) -> None:
    """Start the writers, and wait for them; one that fails makes this process fail."""
    children = []
    for writer in range(writers):
        child = os.fork()
        if child == 0:
            expected = [pair for number in range(rounds) for pair in WRITERS[what](folder, writer, number)]
            (folder / f"expected-{writer}.json").write_text(json.dumps(expected))
            os._exit(0)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    sys.exit(len(failed))


if __name__ == "__main__":
    write_all(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
