"""Options that several commands share: which grades to read, and how to read them."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import panels
from peerage.errors import InputError, Problem

if TYPE_CHECKING:
    from peerage.formats.reading_choices import Reading
    from peerage.gradebook.book import Gradebook

LONGEST_LIMIT = 15
"""How many digits a limit can have."""


class Duplicates(StrEnum):
    """What to do with several reviews of one submission by one grader."""

    ERROR = "error"
    LAST = "last"
    MEAN = "mean"


Grades = Annotated[list[Path], typer.Argument(help="Tables of grades: CSV, TSV, XLSX or Parquet.", metavar="GRADES")]
ProjectGrades = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Tables of grades: CSV, TSV, XLSX or Parquet. Not needed if peerage.toml names them (see peerage init).",
        metavar="[GRADES]...",
        show_default=False,
    ),
]
RubricFile = Annotated[
    Path | None,
    typer.Option(
        "--rubric", metavar="FILE", help="The rubric (TOML). Default: rubric.toml in the folder of GRADES, if any."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="NAME=COLUMN,...", help="Which column is which: grader=Reviewer,submission=Paper."),
]
Components = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="The only columns or components to read as grades: Structure,Evidence.",
        rich_help_panel=panels.DATA,
    ),
]
Drop = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="Columns or components to leave out, such as a total.",
        rich_help_panel=panels.DATA,
    ),
]
ExactIds = Annotated[
    bool,
    typer.Option(
        "--exact-ids",
        help="Treat ids that differ only in capitals or spaces as different people.",
        rich_help_panel=panels.DATA,
    ),
]
Limits = Annotated[
    str | None,
    typer.Option(
        "--limits",
        metavar="NAME=NUMBER,...",
        help="Limits on how much is read: rows=20000000,columns=2000.",
        rich_help_panel=panels.DATA,
    ),
]
Snap = Annotated[
    bool,
    typer.Option(
        "--snap", help="Move grades that are not on the rubric to the nearest legal grade.", rich_help_panel=panels.DATA
    ),
]
DuplicatesOption = Annotated[
    Duplicates,
    typer.Option(
        "--duplicates",
        help="If a grader graded a submission twice: refuse, keep the last, or average.",
        rich_help_panel=panels.DATA,
    ),
]
Exclude = Annotated[
    Path | None,
    typer.Option(
        "--exclude",
        metavar="FILE",
        help="Reviews that do not count: grader, submission, reason. Default: an exclude.csv in the folder of GRADES.",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="[ASSIGNMENT=]DATE,...",
        help="Leave out reviews written after this day or time. Each assignment can have its own.",
        rich_help_panel=panels.DATA,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="The column that says which class a row belongs to, such as the section.",
        rich_help_panel=panels.DATA,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.", rich_help_panel=panels.OUTPUT)]


def named_grades(grades: list[Path] | None) -> list[Path]:
    """The tables of grades, which the command line or the project file has to name."""
    if not grades:
        remedy = "name a table of grades, or run peerage init once, which asks for it and writes peerage.toml"
        raise InputError(Problem("there are no grades to read", remedy))
    if any(os.path.isdir(file) for file in grades):  # noqa: PTH112 - which fails for no name
        # A folder would be taken for the place of the results, too, which are named after the grades.
        from peerage.formats.given_files import given_files

        given_files(grades)
    return grades


@dataclass(frozen=True)
class ReadingOptions:
    """How tables of grades are read."""

    rubric: RubricFile = None
    columns: Columns = None
    components: Components = None
    drop: Drop = None
    exact_ids: ExactIds = False
    limits: Limits = None
    snap: Snap = False
    duplicates: DuplicatesOption = Duplicates.ERROR

    def reading(self) -> Reading:
        """The same, as the library takes it."""
        from peerage.formats.reading_choices import Reading

        return Reading(
            columns=parse_columns(self.columns) or {},
            components=None if self.components is None else parse_names(self.components),
            drop=parse_names(self.drop or ""),
            exact_ids=self.exact_ids,
            limits=parse_limits(self.limits),
            snap=self.snap,
            duplicates=self.duplicates.value,
        )


@dataclass(frozen=True)
class DataOptions(ReadingOptions):
    """How tables of grades are read, and which of their reviews count."""

    exclude: Exclude = None
    until: Until = None

    def reading(self) -> Reading:
        """The same, as the library takes it."""
        return replace(super().reading(), exclude=self.exclude, until=self.until)

    def read(self, grades: list[Path]) -> Gradebook:
        """Read the gradebook of one class."""
        return self.read_classes(grades, None)[""]

    def read_classes(self, grades: list[Path], by: str | None) -> dict[str, Gradebook]:
        """Read the gradebook of each class; without a column that tells them apart there is one."""
        from peerage.formats import read_classes

        return read_classes(grades, self.rubric, by=by, reading=self.reading())


def parse_names(text: str) -> tuple[str, ...]:
    """The names in a list such as ``Structure,"Evidence, if any"``."""
    return tuple(name.strip() for line in csv.reader([text], skipinitialspace=True) for name in line if name.strip())


def parse_limits(text: str | None) -> dict[str, int]:
    """Turn ``rows=20000000,columns=2000`` into numbers by name."""
    pairs = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for name, _, number in pairs:
        if not number.strip().isdecimal() or len(number) > LONGEST_LIMIT:
            raise InputError(Problem(f"--limits: {name.strip()!r} has no whole number", "write it as rows=20000000"))
    return {name.strip(): int(number) for name, _, number in pairs}


def parse_columns(text: str | None) -> dict[str, str] | None:
    """Turn ``grader=Reviewer,submission=Paper`` into a mapping from our names to the file's."""
    if text is None:
        return None
    # A comma that no name and equals sign follow belongs to the column's own name.
    pairs = [part.partition("=") for part in re.split(r",(?=[^,=]*=)", text)]
    broken = [f"{name}{sign}{column}" for name, sign, column in pairs if not (name.strip() and column.strip())]
    if broken:
        remedy = "write it as grader=Reviewer,submission=Paper"
        raise InputError(Problem(f"--columns: {broken[0]!r} does not pair a name with a column", remedy))
    return {name.strip(): column.strip() for name, _, column in pairs}
