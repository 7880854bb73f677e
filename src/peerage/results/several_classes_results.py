"""The results of several classes: those of each, and what all of them have in common.

In a folder, each class has a result folder of its own, and above these are tables and a record of all classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from peerage.errors import Problem
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.results.run_record import read_record, write_record
from peerage.results.schema import NEEDED, ResultTable
from peerage.results.table_values import written
from peerage.tables.writing_tables import write_table
from peerage.version import __version__

_COUNTS = ("grades", "reviews", "submissions")
_UNSAFE = re.compile(r"[^\w-]+|_")
_LONGEST_NAME = 40
_RESERVED = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that Windows keeps for devices."""


@dataclass(frozen=True, eq=False)
class SeveralResults:
    """The results of classes that a column tells apart.

    Attributes
    ----------
    by: the column
    classes: the results of each class, by its value
    folders: the name of each class's folder, if they lie in one
    notices: what was surprising about the files as a whole, as plain values
    version: that of the program that fitted the classes
    """

    by: str
    classes: Mapping[str, Results]
    folders: Mapping[str, str]
    notices: tuple[Mapping[str, Any], ...] = ()
    version: str = __version__

    @classmethod
    def of(cls, by: str, classes: Mapping[str, Results], notices: Sequence[Problem] = ()) -> SeveralResults:
        """The results of classes that were fitted together."""
        own = {
            name: replace(results, record={**results.record, "class": {"by": by, "name": name}})
            for name, results in classes.items()
        }
        return cls(by, own, folder_names(classes), tuple(map(asdict, notices)))

    @classmethod
    def read(cls, path: str | Path) -> SeveralResults:
        """The results of the classes in a folder; one about a class alone has none."""
        folder = result_folder.find(path)
        record = read_record(folder)
        folders = {entry["name"]: entry["folder"] for entry in record.get("classes", ())}
        classes = {name: Results.read(folder / own) for name, own in folders.items()}
        return cls(record.get("by", ""), classes, folders, tuple(record.get("notices", ())), record.get("version", ""))

    @cached_property
    def record(self) -> dict[str, Any]:
        """How the results came about, as plain values."""
        records = {name: results.record for name, results in self.classes.items()}
        inputs = {entry["sha256"]: entry for own in records.values() for entry in own["input"]}
        return {
            "version": self.version,
            "by": self.by,
            "classes": [
                {
                    "name": name,
                    "folder": folder,
                    "counts": records[name]["counts"],
                    "warnings": len(records[name]["warnings"]),
                }
                for name, folder in self.folders.items()
            ],
            "notices": list(self.notices),
            "input": list(inputs.values()),
            "counts": {name: sum(own["counts"][name] for own in records.values()) for name in _COUNTS},
        }

    def joined(self, table: ResultTable) -> pd.DataFrame:
        """A table of all classes, as files have it, with the class in the first column."""
        frames = [written(table, results.tables[table]) for results in self.classes.values()]
        names = [name for name, frame in zip(self.classes, frames, strict=True) for _ in range(len(frame))]
        joined = pd.concat(frames, ignore_index=True)
        joined.insert(0, "class" if self.by in joined else self.by, pd.Series(names, dtype=object))
        return joined

    def write(self, folder: Path) -> None:
        """Write the results of each class into a folder of its own, and what they have in common above these."""
        for name, results in self.classes.items():
            own = folder / self.folders[name]
            own.mkdir(exist_ok=True)
            results.write(own)
        self.write_common(folder)

    def write_common(self, folder: Path) -> None:
        """Write the tables and the record of all classes into a folder."""
        for table in NEEDED:
            write_table(self.joined(table), folder / table.file)
        write_record(self.record, folder)


def folder_names(values: Iterable[str]) -> dict[str, str]:
    """For each class the name of its folder, which every file system takes; different ones for different classes."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for value in values:
        name = _UNSAFE.sub("-", value).strip("-")[:_LONGEST_NAME] or "class"
        name = f"class-{name}" if _RESERVED.fullmatch(name) else name
        candidates = (name if number == 1 else f"{name}-{number}" for number in range(1, len(taken) + 2))
        names[value] = next(candidate for candidate in candidates if candidate.casefold() not in taken)
        taken.add(names[value].casefold())
    return names
