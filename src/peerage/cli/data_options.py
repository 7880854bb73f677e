"""Options that several commands share: which grades to read, and how to read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli import panels
from peerage.errors import InputError, Problem

if TYPE_CHECKING:
    from peerage.gradebook.book import Gradebook
    from peerage.gradebook.rulings import Exclusion
    from peerage.rubric import Rubric


class Duplicates(StrEnum):
    """What to do with several reviews of one submission by one grader."""

    ERROR = "error"
    LAST = "last"
    MEAN = "mean"


Grades = Annotated[list[Path], typer.Argument(help="Tables of grades: CSV, TSV, XLSX or Parquet.", metavar="GRADES")]
RubricFile = Annotated[
    Path | None,
    typer.Option("--rubric", metavar="FILE", help="The rubric (TOML). Default: rubric.toml beside GRADES, if any."),
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="NAME=COLUMN,...", help="Which column is which: grader=Reviewer,submission=Paper."),
]
Snap = Annotated[
    bool,
    typer.Option(
        "--snap", help="Move a grade that is not on the rubric to the nearest that is.", rich_help_panel=panels.DATA
    ),
]
DuplicatesOption = Annotated[
    Duplicates,
    typer.Option(
        "--duplicates",
        help="The same grader twice on a submission: refuse, keep the last, or average.",
        rich_help_panel=panels.DATA,
    ),
]
Exclude = Annotated[
    Path | None,
    typer.Option(
        "--exclude",
        metavar="FILE",
        help="Reviews that do not count: grader, submission, reason. Default: exclude.csv beside GRADES, if any.",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="[ASSIGNMENT=]DATE,...",
        help="Leave out what was written after this day or time, or after each assignment's own.",
        rich_help_panel=panels.DATA,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="The column that tells several classes apart, such as the section.",
        rich_help_panel=panels.DATA,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.", rich_help_panel=panels.OUTPUT)]


def load_gradebook(
    grades: list[Path],
    rubric: Path | Rubric | None,
    columns: str | None,
    snap: bool,
    duplicates: Duplicates,
    exclude: Path | Sequence[Exclusion] | None = None,
    until: str | None = None,
) -> Gradebook:
    """Read the gradebook that the shared data options describe."""
    return load_classes(grades, rubric, columns, snap, duplicates, exclude, until, by=None)[""]


def load_classes(
    grades: list[Path],
    rubric: Path | Rubric | None,
    columns: str | None,
    snap: bool,
    duplicates: Duplicates,
    exclude: Path | Sequence[Exclusion] | None,
    until: str | None,
    by: str | None,
    by_optional: bool = False,
) -> dict[str, Gradebook]:
    """Read the gradebook of each class that the shared data options describe; without a column there is one."""
    from peerage.formats import read_classes

    return read_classes(
        grades,
        rubric,
        by=by,
        by_optional=by_optional,
        columns=parse_columns(columns),
        snap=snap,
        duplicates=duplicates.value,
        exclude=exclude,
        until=until,
    )


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
