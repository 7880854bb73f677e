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
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from peerage import results
from peerage.atomic import locked
from peerage.errors import PeerageError, ResultsError
from peerage.evaluation.search_tasks import Finding, Task
from peerage.model import Priors

RECORD, FINDINGS, TABLE = "search.json", "findings.jsonl", "search.csv"

_TABLE_EVERY = 1.0
"""Seconds between two versions of the table, at least."""

_TABLE_SHARE = 20
"""How many times as long as it takes to make the table passes before the next: a long one must cost little."""


class Folder:
    """An open folder, with everything found so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found = dict(_read(path / FINDINGS))
        self._table_due = 0.0

    def add(self, task: Task, finding: Finding) -> None:
        """Keep what a task found."""
        self.found[task] = finding
        with (self.path / FINDINGS).open("ab") as file:
            file.write(_line(task, finding))
            file.flush()
            os.fsync(file.fileno())

    def show(self, text: Callable[[], str], *, now: bool = False) -> None:
        """Write the table, unless that was done a moment ago."""
        begun = time.monotonic()
        if now or begun >= self._table_due:
            self.put(TABLE, text())
            ended = time.monotonic()
            self._table_due = ended + max(_TABLE_EVERY, _TABLE_SHARE * (ended - begun))

    def put(self, name: str, content: str | bytes) -> None:
        """Put a file into the folder, whole or not at all."""
        results.add(self.path, name, content)


@contextmanager
def open_folder(path: str | Path, record: dict[str, Any]) -> Iterator[Folder]:
    """A new folder for the search that a record describes, or the one that it has begun there."""
    results.check_target(path)
    target = Path(path).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    busy = "another search is at work in this folder; wait until it ends, or name another folder"
    with locked(target.with_name(f".{target.name}.peerage-search"), busy=f"{path}: {busy}"):
        if not target.exists() or not any(target.iterdir()):
            with results.writing(target) as fresh:
                (fresh / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
                (fresh / FINDINGS).touch()
        _check(path, target, record)
        yield Folder(target)


def _check(path: str | Path, target: Path, record: dict[str, Any]) -> None:
    try:
        begun = json.loads((target / RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        raise ResultsError(f"{path}: holds other results than those of a search; name another folder") from None
    # A record of the present search, as it would be read.
    wanted = json.loads(json.dumps(record))
    differing = [key for key in wanted if begun.get(key) != wanted[key]]
    if differing:
        what = f"holds a search that differs in {', '.join(differing)}; name another folder, or remove this one"
        raise ResultsError(f"{path}: {what}")


def _line(task: Task, finding: Finding) -> bytes:
    entries = {
        "priors": task.priors.to_dict(),
        "fold": task.fold,
        "seconds": finding.seconds,
        "sums": base64.b64encode(finding.sums.astype("<f8").tobytes()).decode(),
    }
    return json.dumps(entries).encode() + b"\n"


def _read(path: Path) -> Iterator[tuple[Task, Finding]]:
    """The findings of a file, whose last line is cut off if it was not written to its end."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            entries = json.loads(line)
            sums = np.frombuffer(base64.b64decode(entries["sums"]), "<f8").astype(np.float64)
            yield Task(Priors.paper(**entries["priors"]), entries["fold"]), Finding(sums, entries["seconds"])
        except (ValueError, KeyError, TypeError, PeerageError):
            raise ResultsError(f"{path}, row {number}: is not what a search writes; remove that row") from None
