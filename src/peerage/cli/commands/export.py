"""``peerage export``: results as files of the systems that classes run on."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli.terminal.console import output, warn


class ExportFormat(StrEnum):
    """What results can be exported to."""

    CANVAS = "canvas-gradebook"
    MOODLE = "moodle-grades"
    MTA2 = "mta2"
    XLSX = "xlsx"
    CSV = "csv"


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.")]
To = Annotated[ExportFormat, typer.Option("--to", help="What to write.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The file to write; for mta2 a folder. Default: beside DIR."),
]
RosterFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="A table that links the class's ids to the other system's, such as Canvas's gradebook."
    ),
]
MatchColumn = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="COLUMN",
        help="The roster's column that holds the class's ids. Default: recognised by its contents.",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The other system's column of ids: for moodle-grades userid, useridnumber, useremail or username.",
    ),
]
AssignmentIds = Annotated[
    list[str] | None,
    typer.Option("--assignment-id", metavar="[NAME=]ID", help="The assignment's id in Canvas; once for each."),
]
CreditId = Annotated[
    str | None,
    typer.Option("--credit-assignment-id", metavar="ID", help="The id in Canvas of the assignment for peer grading."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAME", help="The assignment to write for Canvas; once for each. Default: all."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]


def command(
    folder: Folder,
    to: To,
    out: Out = None,
    roster: RosterFile = None,
    match: MatchColumn = None,
    id_column: IdColumn = None,
    assignment_ids: AssignmentIds = None,
    credit_id: CreditId = None,
    only: Only = None,
    force: Force = False,
) -> None:
    """Write final grades and marks for peer grading for another system, and say who was left out."""
    from peerage.exports.export_options import Options
    from peerage.exports.exporting import export_folder

    options = Options(roster, match, id_column, tuple(assignment_ids or ()), credit_id, tuple(only or ()))
    written = export_folder(folder, to.value, out, options, force=force)
    warn(written.notices)
    output().print(f"Written to {written.path}: {written.summary}", soft_wrap=True)
