"""``peerage aggregate``: one grade of several, by one of the methods of the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli import data_options as options
from peerage.cli.console import say, warn


def command(
    grades: options.Grades,
    method: Annotated[str, typer.Option(metavar="NAME", help="One of those that docs/methods.md describes.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A file for the table.")] = None,
    rubric: options.RubricFile = None,
    columns: options.Columns = None,
    snap: options.Snap = False,
    duplicates: options.DuplicatesOption = options.Duplicates.ERROR,
    exclude: options.Exclude = None,
    until: options.Until = None,
    graders: Annotated[bool, typer.Option("--graders", help="Graders' weights and biases instead of grades.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same grades.")] = 0,
    as_json: options.Json = False,
) -> None:
    """Combine several grades into one: a table of submission, component, grade and standard deviation."""
    from peerage.methods.registry import aggregate, find
    from peerage.tables.writing_tables import csv_text, write_table

    chosen = find(method)
    book = options.load_gradebook(grades, rubric, columns, snap, duplicates, exclude, until)
    warn(book.notices)
    found = aggregate(book, chosen, seed=seed)
    if not found.converged:
        say(f"note: {method} had not converged after {found.iterations:,} steps")
    table = found.graders() if graders else found.ranking() if found.is_ranking else found.grades()
    if out is not None:
        write_table(table, out)
    elif as_json:
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        typer.echo(json.dumps({"converged": found.converged, "rows": rows}, indent=2))
    else:
        typer.echo(csv_text(table), nl=False)
