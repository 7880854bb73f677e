"""``run.json``, the record of how results came about: read and checked, and written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peerage.decisions.choices import CHOICES_SHAPE
from peerage.errors import InputError, Problem
from peerage.results.schema import RECORD
from peerage.results.table_values import REMEDY
from peerage.support.files.json_files import read_json
from peerage.support.files.json_shapes import Maybe, misfit

_RELAXED = {"submission": str, "largest_shift": (int, float), "least_weight": (int, float)}
"""Which limits a submission's weights needed."""

_PROBLEM = {"message": str, "remedy": Maybe(str), "file": Maybe(str), "row": Maybe((int, str)), "setting": Maybe(str)}
"""What a warning or a notice looks like."""

_RECORD_SHAPE = {
    "version": Maybe(str),
    "seed": Maybe(int),
    "final": Maybe(str),
    **{name: Maybe({}) for name in ("rubric", "counts", "model", "priors")},
    "explanations": Maybe({"relaxed": Maybe([_RELAXED]), "unproven": Maybe([str])}),
    "choices": Maybe(CHOICES_SHAPE),
    "model_checks": Maybe({"sentences": [str], "problems": Maybe([_PROBLEM]), "grades_since": int}),
    **{name: Maybe([(dict, str)]) for name in ("warnings", "notices")},
    "input": Maybe([{"name": str, "sha256": Maybe(str)}]),
    "overrides": Maybe([{"submission": str, "component": str, "grade": (int, float), "reason": str}]),
    "classes": Maybe([{"name": str, "folder": str}]),
    "class": Maybe({"by": str, "name": str}),
}
"""What entries of the record look like where they are there."""

_ENTRIES = {"rubric": dict, "counts": dict, "input": list, "warnings": list, "choices": dict, "final": str}
"""What every record holds, and of which kind it is."""


def read_record(folder: Path) -> dict[str, Any]:
    """What ``run.json`` in a result folder holds."""
    try:
        record = read_json(folder / RECORD)
    except ValueError:
        raise InputError(Problem("is missing or damaged", REMEDY, RECORD)) from None
    wrong = misfit(record, _RECORD_SHAPE)
    outside = [] if wrong else [entry["folder"] for entry in record.get("classes") or () if _leaves(entry["folder"])]
    if wrong or outside:
        reason = wrong or f"a class is in {outside[0]!r}"
        raise InputError(Problem(f"is missing or damaged ({reason})", REMEDY, RECORD))
    return dict(record)


def problem(entry: Mapping[str, Any]) -> Problem:
    """A warning or a notice as a record holds it."""
    return Problem(**{name: value for name, value in entry.items() if name in _PROBLEM})


def _leaves(folder: str) -> bool:
    """Whether a folder is not one within the results."""
    return Path(folder).is_absolute() or ".." in Path(folder).parts


def write_record(record: Mapping[str, Any], folder: Path) -> None:
    """Write ``run.json`` into a folder."""
    (folder / RECORD).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def complete(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record, if it has an entry of the right kind for everything in :data:`_ENTRIES`."""
    record = {**record, "choices": record.get("choices", {})}
    for name, kind in _ENTRIES.items():
        if not isinstance(record.get(name), kind):
            raise InputError(Problem(f"does not say what the {name} is", REMEDY, RECORD))
    wrong = misfit(record, {"warnings": [_PROBLEM], "notices": Maybe([_PROBLEM])})
    if wrong:
        raise InputError(Problem(f"is missing or damaged ({wrong})", REMEDY, RECORD))
    return record
