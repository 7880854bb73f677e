"""The criteria of a Canvas rubric: their names, and the points that their ratings are worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from peerage.errors import InputError, Problem
from peerage.formats.rows.inferred_scale import up_to
from peerage.rubric import Component
from peerage.tables.numbers import parse_number
from peerage.tables.reading_files import Source
from peerage.tables.sheet import Sheet


@dataclass(frozen=True)
class Criterion:
    """A criterion: its name, its ends, and what its ratings are worth; empty if any points in between will do."""

    name: str
    lowest: float
    maximum: float
    ratings: tuple[float, ...]

    def component(self, sheet: Sheet) -> Component:
        """The component, on the scale of the ratings or, without them, on one that suits the grades in a sheet."""
        if self.ratings:
            return Component(self.name, self.ratings)
        names, grades = sheet.column("component"), sheet.column("grade")
        seen = [parse_number(grades[row]) for row in range(len(sheet)) if names[row] == self.name]
        return up_to(self.name, self.maximum, seen, self.lowest)


def criteria_of(source: Source) -> dict[str, Criterion]:
    """The criteria of a rubric, by their ids, which are text whatever JSON says."""
    entries = source.content["data"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) and "id" in entry for entry in entries):
        raise InputError(
            Problem("its 'data' is not a list of criteria", "save the rubric again from the API", source.file)
        )
    names = [_name(entry) for entry in entries]
    repeated = Counter(names)
    criteria = {}
    problems = []
    for entry, name in zip(entries, names, strict=True):
        name = name if repeated[name] == 1 else f"{name} ({entry['id']})"
        if str(entry["id"]) in criteria:
            message = f"two criteria have the id {str(entry['id'])!r}"
            problems.append(Problem(message, "save the rubric again from the API", source.file))
        try:
            criteria[str(entry["id"])] = _criterion(name, entry)
        except (KeyError, TypeError, ValueError, OverflowError):
            message = f"the criterion {name!r} has neither ratings nor a maximum above zero"
            problems.append(Problem(message, "correct its points in Canvas, or in the file", source.file))
    if problems:
        raise InputError(problems)
    return criteria


def _name(entry: Mapping[str, Any]) -> str:
    return " ".join(str(entry.get("description") or entry["id"]).split())


def _criterion(name: str, entry: Mapping[str, Any]) -> Criterion:
    ratings = tuple(sorted({float(rating["points"]) for rating in entry.get("ratings") or ()}))
    lowest, maximum = min([0.0, *ratings]), float(max([entry.get("points") or 0, *ratings]))
    if not (math.isfinite(lowest) and math.isfinite(maximum) and maximum > lowest):
        raise ValueError(name)
    has_levels = len(ratings) > 1 and not entry.get("criterion_use_range")
    return Criterion(name, lowest, maximum, ratings if has_levels else ())
