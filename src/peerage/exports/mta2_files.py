"""The three files that Mechanical TA 2 imports, without headers and quoted by ``|``.

Grades with weights: a submission, its grade, and each grader with a weight. Reliability: a user name and how dependable
that grader is at least, on average and at most. Spot-check priorities: a submission and a number, the lowest first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from peerage.errors import InputError, Problem
from peerage.exports.delimited import as_text, read_rows, write_rows
from peerage.exports.export_options import Options, Prepared, renamed
from peerage.exports.student_marks import everyone
from peerage.results.results import Results
from peerage.support.words.wording import counted
from peerage.tables.numbers import is_number, parse_number

NAME = "mta2"
TITLE = "a folder of files for Mechanical TA 2"
ENDING = "-mta2"
USES: tuple[str, ...] = ("roster", "match", "id_column")

GRADES, RELIABILITY, PRIORITIES = "grades.csv", "reliability.csv", "spotchecks.csv"
QUOTE = "|"

Grade = tuple[str, float, tuple[tuple[str, float], ...]]
Reliability = tuple[str, float, float, float]
Priority = tuple[str, float]
Row = TypeVar("Row")


@dataclass(frozen=True)
class Files:
    """The rows of the three files; one without rows is not written."""

    grades: tuple[Grade, ...]
    reliability: tuple[Reliability, ...] = ()
    priorities: tuple[Priority, ...] = ()


def prepare(results: Results, options: Options) -> Prepared:
    """The files of a class; only students' reliabilities are written."""
    people = [grader.grader for grader in results.grader_marks]
    names, notices = renamed(people, options, (options.id_column or "username",))
    unknown = [name for name in people if name not in names]
    if unknown:
        message = f"the roster does not name {everyone(unknown)}, whose weights belong to the grades"
        raise InputError(Problem(message, "add everyone who graded to the roster"))
    totals = {total.submission: total.total for total in results.totals}
    grades = tuple(
        (
            submission,
            total,
            tuple((names[grader], weight) for grader, weight in results.weights.get(submission, [])),
        )
        for submission, total in totals.items()
    )
    reliability = tuple(
        (names[grader.grader], grader.lower, grader.dependability, grader.upper)
        for grader in results.grader_marks
        if grader.role == "student"
    )
    priorities = tuple((submission, float(rank)) for rank, submission in enumerate(results.spot_checks, start=1))
    missing = [] if results.weights else [Problem("weights were left out", "the most likely grades have none")]
    if not priorities:
        missing.append(Problem(f"{PRIORITIES} was left out: these results have no spot checks", "fit the class again"))
    summary = f"{counted(len(grades), 'submission')}, {counted(len(reliability), 'student')}"
    return Prepared(Files(grades, reliability, priorities), summary, (*missing, *notices))


def write(content: Files, path: Path) -> None:
    """Write the files into a folder."""
    graded = [
        [submission, as_text(grade), *(cell for grader, weight in weights for cell in (grader, as_text(weight)))]
        for submission, grade, weights in content.grades
    ]
    reliable = [[name, *map(as_text, numbers)] for name, *numbers in content.reliability]
    urgent = [[submission, as_text(priority)] for submission, priority in content.priorities]
    for name, rows in ((GRADES, graded), (RELIABILITY, reliable), (PRIORITIES, urgent)):
        if rows:
            write_rows(rows, path / name, quote=QUOTE)


def read(path: Path) -> Files:
    """Read the files in a folder."""
    return Files(
        _read(path / GRADES, _grade),
        _read(path / RELIABILITY, _reliability),
        _read(path / PRIORITIES, _priority),
    )


def _read(path: Path, parse: Callable[[Sequence[str]], Row]) -> tuple[Row, ...]:
    """The rows of one file; none if it does not exist."""
    rows = read_rows(path, quote=QUOTE) if path.exists() else []
    found = []
    for number, cells in rows:
        try:
            found.append(parse(cells))
        except ValueError as error:
            raise InputError(
                Problem(f"is not a row of {TITLE}: {error}", "export it again", path.name, number)
            ) from None
    return tuple(found)


def _grade(cells: Sequence[str]) -> Grade:
    submission, grade, *rest = _of_length(cells, 2 if len(cells) < 2 else len(cells) - len(cells) % 2)
    weights = tuple((grader, _number(weight)) for grader, weight in zip(rest[::2], rest[1::2], strict=True))
    return submission, _number(grade), weights


def _reliability(cells: Sequence[str]) -> Reliability:
    name, lower, load, upper = _of_length(cells, 4)
    return name, _number(lower), _number(load), _number(upper)


def _priority(cells: Sequence[str]) -> Priority:
    submission, priority = _of_length(cells, 2)
    return submission, _number(priority)


def _of_length(cells: Sequence[str], length: int) -> Sequence[str]:
    if len(cells) != length:
        raise ValueError(f"it has {counted(len(cells), 'cell')} where {length} are expected")
    return cells


def _number(text: str) -> float:
    if not is_number(text):
        raise ValueError(f"{text!r} is not a number")
    return parse_number(text)
