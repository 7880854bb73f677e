"""``peerage pay``: what students earn for peer grading by one of the mechanisms of the literature."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli import data_options
from peerage.cli.console import warn


def command(
    grades: data_options.Grades,
    mechanism: Annotated[str, typer.Option(metavar="NAME", help="One of those that docs/incentives.md describes.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A file for the table.")] = None,
    rubric: data_options.RubricFile = None,
    columns: data_options.Columns = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    exclude: data_options.Exclude = None,
    until: data_options.Until = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same payments.")] = 0,
    as_json: data_options.Json = False,
) -> None:
    """Pay students for peer grading: a table of grader, assignment and payment."""
    from peerage.mechanisms.registry import pay
    from peerage.tables.writing_tables import csv_text, write_table

    book = data_options.load_gradebook(grades, rubric, columns, snap, duplicates, exclude, until)
    warn(book.notices)
    table = pay(book, mechanism, seed=seed)
    if out is not None:
        write_table(table, out)
    elif as_json:
        typer.echo(json.dumps(table.astype(object).where(table.notna(), None).to_dict("records"), indent=2))
    else:
        typer.echo(csv_text(table), nl=False)
