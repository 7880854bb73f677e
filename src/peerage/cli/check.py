"""``peerage check``: what was understood of a table of grades, and what is wrong with it."""

from __future__ import annotations

import typer

from peerage.cli import options


def command(
    grades: options.Grades,
    rubric: options.RubricFile = None,
    columns: options.Columns = None,
    snap: options.Snap = False,
    duplicates: options.DuplicatesOption = options.Duplicates.ERROR,
) -> None:
    """Say what was understood of GRADES and what is wrong, without fitting."""
    typer.echo(repr(options.load_gradebook(grades, rubric, columns, snap, duplicates)))
