"""The folder of studies: for each, its table, what it is about, and what its tasks have found so far.

::

    NAME.csv              the table
    NAME.json             the study, its seed and versions: tasks of another have no place here
    NAME.findings.jsonl   a line for each task that is done, added when it is
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from peerage.results import result_folder
from peerage.support.files.journal import Journal, at_work, check_record
from peerage.support.files.json_shapes import misfit
from peerage_studies.study_definition import Row, Task


class Finding(NamedTuple):
    """What a task found, and the seconds that it took."""

    rows: tuple[Row, ...]
    seconds: float


class Folder:
    """An open folder, with everything that a study has found so far, by the tasks' keys."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.journal = Journal(path / findings_file(name), _encode, _decode, "a study", _SHAPE)

    @property
    def found(self) -> dict[str, Finding]:
        """What has been found, by the tasks' keys."""
        return self.journal.found

    def add(self, task: Task, finding: Finding) -> None:
        """Keep what a task found."""
        self.journal.add(task.key, finding)

    def put(self, name: str, content: str) -> None:
        """Put a file into the folder, whole or not at all."""
        result_folder.add(self.path, name, content)


@contextmanager
def open_folder(path: str | Path, name: str, record: Mapping[str, Any]) -> Iterator[Folder]:
    """The folder of studies at a path, new or with what the study of a record has found there."""
    result_folder.check_target(path)
    target = Path(path).resolve()
    with at_work(path, "study"):
        if not target.exists() or not any(target.iterdir()):
            with result_folder.writing(target):
                pass
        if not (target / f"{name}.json").exists():
            # The record last: where it is, findings can be added.
            result_folder.add(target, findings_file(name), "")
            result_folder.add(target, f"{name}.json", json.dumps(record, indent=1) + "\n")
        check_record(path, target / f"{name}.json", record, f"study {name}")
        yield Folder(target, name)


def findings_file(name: str) -> str:
    """The name of the file with what the tasks of a study have found."""
    return f"{name}.findings.jsonl"


def _encode(key: str, finding: Finding) -> dict[str, Any]:
    return {"task": json.loads(key), "seconds": finding.seconds, "rows": finding.rows}


_SHAPE = {"task": {}, "seconds": (int, float), "rows": [list]}
_ROW = {"setting": str, "value": (str, int, float), "metric": str, "result": (int, float)}


def _decode(entries: Mapping[str, Any]) -> tuple[str, Finding]:
    rows = tuple(Row(*row) for row in entries["rows"])
    if any(misfit(row._asdict(), _ROW) for row in rows):
        raise ValueError("a row looks different")
    return json.dumps(entries["task"], sort_keys=True), Finding(rows, entries["seconds"])
