"""The folder of a search: what it is about, what it has found so far, and its table.

::

    search.json      the class, the model and how it is sampled: tasks of another search have no place here
    findings.jsonl   a line for each task that is done, added when it is
    search.csv       the table, written anew as tasks are done

A search that is killed has lost the tasks that were running, and a line that it was about to add. Whoever starts it
again reads the others and goes on. A search holds a lock on its folder, which the system releases when it ends or dies.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from peerage.evaluation.prior_search.search_tasks import SearchFinding, SearchTask
from peerage.model import Priors
from peerage.results import result_folder
from peerage.support.files.journal import Journal, at_work, check_record

RECORD, FINDINGS, TABLE = "search.json", "findings.jsonl", "search.csv"

_TABLE_EVERY = 1.0
"""Seconds between two versions of the table, at least."""

_TABLE_SHARE = 20
"""How many times as long as it takes to make the table passes before the next: a long one must cost little."""


class Folder:
    """An open folder, with everything found so far."""

    def __init__(self, path: Path, n_sums: int) -> None:
        self.path = path
        self.journal = Journal(path / FINDINGS, _encode, partial(_decode, n_sums), "a search", _SHAPE)
        self._table_due = 0.0

    @property
    def found(self) -> dict[SearchTask, SearchFinding]:
        """What has been found, by task."""
        return self.journal.found

    def add(self, task: SearchTask, finding: SearchFinding) -> None:
        """Keep what a task found."""
        self.journal.add(task, finding)

    def show(self, text: Callable[[], str], *, now: bool = False) -> None:
        """Write the table, unless that was done a moment ago."""
        begun = time.monotonic()
        if now or begun >= self._table_due:
            self.put(TABLE, text())
            ended = time.monotonic()
            self._table_due = ended + max(_TABLE_EVERY, _TABLE_SHARE * (ended - begun))

    def put(self, name: str, content: str | bytes) -> None:
        """Put a file into the folder, whole or not at all."""
        result_folder.add(self.path, name, content)


@contextmanager
def open_folder(path: str | Path, record: dict[str, Any], n_sums: int) -> Iterator[Folder]:
    """A new folder for the search that a record describes, or the one that it has begun there.

    Each finding has ``n_sums`` sums, one for each submission with reviews.
    """
    result_folder.check_target(path)
    target = Path(path).resolve()
    with at_work(path, "search"):
        if not target.exists() or not any(target.iterdir()):
            with result_folder.writing(target) as fresh:
                (fresh / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
                (fresh / FINDINGS).touch()
        check_record(path, target / RECORD, record, "search")
        yield Folder(target, n_sums)


def _encode(task: SearchTask, finding: SearchFinding) -> dict[str, Any]:
    return {
        "priors": task.priors.to_dict(),
        "fold": task.fold,
        "seconds": finding.seconds,
        "sums": base64.b64encode(finding.sums.astype("<f8").tobytes()).decode(),
    }


_SHAPE = {"priors": {}, "fold": int, "seconds": (int, float), "sums": str}


def _decode(n_sums: int, entries: Mapping[str, Any]) -> tuple[SearchTask, SearchFinding]:
    sums = np.frombuffer(base64.b64decode(entries["sums"]), "<f8").astype(np.float64)
    if len(sums) != n_sums or np.isnan(sums).any():
        raise ValueError("not the sums of this class")
    return SearchTask(Priors.paper(**entries["priors"]), entries["fold"]), SearchFinding(sums, entries["seconds"])
