"""The results of several classes: a folder for each, and what all of them have in common above.

The tables, the record and the page of all classes are made from the classes' own folders, so that they can be made anew
when one class changes.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from peerage.errors import Problem
from peerage.report.pages import REPORT, classes_html
from peerage.results import result_folder
from peerage.results.outputs import GRADERS, RECORD, Outputs
from peerage.results.saved_results import read_record
from peerage.tables.escaping import guard
from peerage.version import __version__

TABLES = ("grades.csv", "totals.csv", GRADERS)
"""The tables that all classes share."""

FILES = (REPORT, *TABLES, RECORD)
"""What lies above the classes' own folders."""

_COUNTS = ("grades", "reviews", "submissions")
_UNSAFE = re.compile(r"[^\w-]+|_")
_LONGEST_NAME = 40
_RESERVED = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that Windows keeps for devices."""


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


def write(folder: Path, by: str, outputs: Mapping[str, Outputs], notices: Sequence[Problem]) -> dict[str, Any]:
    """Write the results of classes told apart by a column into a folder, and return the record of all of them.

    ``notices`` are about the files as a whole.
    """
    names = folder_names(outputs)
    for value, written in outputs.items():
        (folder / names[value]).mkdir()
        written.record["class"] = {"by": by, "name": value}
        written.write(folder / names[value])
        result_folder.seal(folder / names[value])
    record = {
        "version": __version__,
        "by": by,
        "classes": [{"name": value, "folder": name} for value, name in names.items()],
        "notices": [asdict(notice) for notice in notices],
    }
    return _join(folder, record)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Like :func:`results.writing`; a class of several is replaced together with what it has in common with others."""
    target, home = path.resolve(), result_folder.outermost(path)
    if target == home:
        with result_folder.writing(path) as fresh:
            yield fresh
        return
    with result_folder.writing(home) as fresh:
        shutil.copytree(home, fresh, dirs_exist_ok=True)
        shutil.rmtree(fresh / target.name)
        (fresh / target.name).mkdir()
        yield fresh / target.name
        result_folder.seal(fresh / target.name)
        _join(fresh, read_record(fresh))


def _join(folder: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Write what is above the classes' folders, and return the record."""
    places = {entry["name"]: folder / entry["folder"] for entry in record["classes"]}
    for table in TABLES:
        text = _joined({name: (place / table).read_bytes().decode() for name, place in places.items()}, record["by"])
        (folder / table).write_bytes(text.encode())
    records = {name: read_record(place) for name, place in places.items()}
    joined = dict(record) | {
        "input": list({entry["sha256"]: entry for own in records.values() for entry in own["input"]}.values()),
        "counts": {name: sum(own["counts"][name] for own in records.values()) for name in _COUNTS},
        "classes": [
            entry | {"counts": records[entry["name"]]["counts"], "warnings": len(records[entry["name"]]["warnings"])}
            for entry in record["classes"]
        ],
    }
    (folder / RECORD).write_text(json.dumps(joined, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / REPORT).write_bytes(classes_html(folder).encode())
    return joined


def _joined(texts: Mapping[str, str], by: str) -> str:
    """Tables of the same columns below each other, as text, with the class in the first column.

    Cells are taken over as they were written, so that none is guarded twice.
    """
    tables = {name: list(csv.reader(io.StringIO(text, newline=""))) for name, text in texts.items()}
    header = next(iter(tables.values()))[0]
    rows = [[guard("class" if by in header else by), *header]]
    rows += ([guard(name), *row] for name, table in tables.items() for row in table[1:])
    out = io.StringIO()
    # A lone carriage return would be left unquoted, and readers take it for the end of the row.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if any("\r" in cell for row in rows for cell in row) else csv.QUOTE_MINIMAL
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(rows)
    return out.getvalue()
