"""A folder of results, read back: its tables as text, and the record of the fit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from peerage.decisions.credit import Scale
from peerage.errors import InputError, Problem, ResultsError
from peerage.results import result_folder
from peerage.rubric import Rubric
from peerage.support.wording import listed
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.reading_files import read_sheet
from peerage.tables.sheet import Sheet

_NEEDED = ("grades.csv", "totals.csv", "graders.csv")
_OPTIONAL = ("weights.csv", "explanations.csv", "spotchecks.csv", "proposals.csv", "changes.csv")
RECORD = "run.json"
_ENTRIES = {"rubric": dict, "counts": dict, "input": list, "warnings": list, "choices": dict, "final": str}
REMEDY = "fit the class again"
"""What to do about results that are incomplete or damaged."""


@dataclass(frozen=True)
class Classes:
    """The classes whose results are in a folder: the column that tells them apart, and the folder of each value.

    A folder about one class alone has none.
    """

    by: str
    folders: Mapping[str, Path]

    @classmethod
    def of(cls, folder: Path) -> Classes:
        """What the record in a folder says."""
        record = read_record(folder)
        folders = {entry["name"]: folder / entry["folder"] for entry in record.get("classes", ())}
        return cls(record.get("by", ""), folders)


def read_record(folder: Path) -> dict[str, Any]:
    """What ``run.json`` in a folder of results holds."""
    try:
        return dict(json.loads((folder / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise InputError(Problem("is missing or damaged", REMEDY, RECORD)) from None


class Total(NamedTuple):
    """The points of a submission, once for each of its authors; the author is empty if unknown."""

    submission: str
    assignment: str
    author: str
    total: float


class Grader(NamedTuple):
    """A grader's dependability as it is believed to be, the mark for peer grading if there is one, and a note on it."""

    grader: str
    role: str
    lower: float
    dependability: float
    upper: float
    credit: float | None
    note: str


@dataclass(frozen=True, eq=False)
class Result:
    """The tables of a result folder as text, by file name, and the record of the fit."""

    folder: Path
    sheets: Mapping[str, Sheet]
    record: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> Result:
        """Read a result folder; tables that not every fit writes may be missing."""
        return cls.of(result_folder.find(path))

    @classmethod
    def of(cls, folder: Path) -> Result:
        """The same for a folder that may still be written."""
        missing = [name for name in _NEEDED if not (folder / name).exists()]
        if missing:
            raise InputError(Problem("is missing or damaged", REMEDY, missing[0]))
        classes = Classes.of(folder).folders
        if classes:
            names = listed(map(str, classes.values()))
            raise ResultsError(f"{folder}: holds the results of several classes; name one of them: {names}")
        found = [name for name in (*_NEEDED, *_OPTIONAL) if (folder / name).exists()]
        return cls(folder, {name: read_sheet(folder / name, name) for name in found}, _complete(read_record(folder)))

    def rows(self, file: str) -> list[dict[str, str]]:
        """The rows of a table by column; none if there is no such table."""
        if file not in self.sheets:
            return []
        sheet = self.sheets[file]
        return [
            dict(zip(sheet.header, cells, strict=True))
            for cells in zip(*(map(column.__getitem__, range(len(sheet))) for column in sheet.columns), strict=True)
        ]

    @property
    def names_graders(self) -> bool:
        """Whether there are sentences that name graders; where the record does not say, they may."""
        explained = self.record.get("explanations", {})
        return "explanations.csv" in self.sheets and bool(explained.get("name_graders", True))

    def require(self, file: str, columns: Iterable[str]) -> None:
        """Refuse a table that lacks some columns."""
        missing = [name for name in columns if name not in self.sheets[file].header]
        if missing:
            raise InputError(Problem(f"has no column {missing[0]!r}", REMEDY, file))

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric of the fit."""
        return Rubric.from_dict(self.record["rubric"], file=RECORD)

    @cached_property
    def grades(self) -> dict[tuple[str, str], float]:
        """The final grade of each submission's components."""
        rows = self._filled("grades.csv", ("submission", "component", "grade"))
        return {
            (row["submission"], row["component"]): _number(row, "grade", "grades.csv", number) for number, row in rows
        }

    @cached_property
    def totals(self) -> list[Total]:
        """The rows of totals.csv."""
        rows = self._filled("totals.csv", ("submission", "assignment", "author", "total"))
        return [
            Total(row["submission"], row["assignment"], row["author"], _number(row, "total", "totals.csv", number))
            for number, row in rows
        ]

    @cached_property
    def graders(self) -> list[Grader]:
        """The rows of graders.csv."""
        numbers = ("dependability_lower", "dependability", "dependability_upper")
        rows = self._filled("graders.csv", ("grader", "role", *numbers))
        return [
            Grader(
                row["grader"],
                row["role"],
                _number(row, "dependability_lower", "graders.csv", number),
                _number(row, "dependability", "graders.csv", number),
                _number(row, "dependability_upper", "graders.csv", number),
                _number(row, "credit", "graders.csv", number) if row.get("credit", "").strip() else None,
                row.get("credit_note", ""),
            )
            for number, row in rows
        ]

    @property
    def has_credit(self) -> bool:
        """Whether the fit marked peer grading."""
        return "credit" in self.sheets["graders.csv"].header

    @cached_property
    def credit(self) -> dict[str, float]:
        """The mark for peer grading of each student who has one; authors who owed reviews and did none have 0."""
        marks = {grader.grader: grader.credit for grader in self.graders if grader.credit is not None}
        if self.record["choices"].get("required_reviews"):
            graders = {grader.grader for grader in self.graders}
            marks |= {total.author: 0.0 for total in self.totals if total.author and total.author not in graders}
        return marks

    @cached_property
    def most_credit(self) -> float:
        """The highest mark for peer grading on the scale that the fit used."""
        scale = self.record["choices"].get("credit_scale")
        return (Scale() if scale is None else Scale.parse(str(scale))).points[-1][1]

    @cached_property
    def spot_checks(self) -> list[str]:
        """The submissions that staff should grade, the first one first."""
        rows = self._filled("spotchecks.csv", ("rank", "submission"))
        ranked = [(_number(row, "rank", "spotchecks.csv", number), row["submission"]) for number, row in rows]
        return [submission for _, submission in sorted(ranked, key=lambda pair: pair[0])]

    @cached_property
    def weights(self) -> dict[str, list[tuple[str, float]]]:
        """The graders of each submission and how much each counts."""
        found: dict[str, list[tuple[str, float]]] = {}
        for number, row in self._filled("weights.csv", ("submission", "grader", "weight")):
            pair = row["grader"], _number(row, "weight", "weights.csv", number)
            found.setdefault(row["submission"], []).append(pair)
        return found

    @cached_property
    def most(self) -> dict[str, float]:
        """The points that a submission of each assignment can get at most."""
        assignments: dict[str, set[str]] = {}
        for total in self.totals:
            assignments.setdefault(total.submission, set()).add(total.assignment)
        graded: dict[str, set[str]] = {total.assignment: set() for total in self.totals}
        for _, row in self._filled("grades.csv", ("submission", "component")):
            for assignment in assignments.get(row["submission"], ()):
                graded[assignment].add(row["component"])
        return {
            assignment: sum(max(component.worth) for component in self.rubric.components if component.name in names)
            for assignment, names in graded.items()
        }

    def _filled(self, file: str, columns: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
        """The rows of a table with their numbers, if it has the columns or does not exist."""
        if file not in self.sheets:
            return []
        self.require(file, columns)
        return list(zip(self.sheets[file].rows.tolist(), self.rows(file), strict=True))


def _complete(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record, if it has an entry of the right kind for everything in :data:`_ENTRIES`."""
    record = {"choices": {}, **record}
    for name, kind in _ENTRIES.items():
        if not isinstance(record.get(name), kind):
            raise InputError(Problem(f"does not say what the {name} is", REMEDY, RECORD))
    return record


def _number(row: Mapping[str, str], column: str, file: str, number: int) -> float:
    if not is_number(row[column]):
        raise InputError(Problem(f"{row[column]!r} in the column {column!r} is not a number", REMEDY, file, number))
    return parse_number(row[column])
