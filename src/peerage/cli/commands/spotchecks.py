"""``peerage spotchecks``: which submissions staff should grade next, from a saved fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import output

if TYPE_CHECKING:
    import pandas as pd

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.")]
Budget = Annotated[
    int | None,
    typer.Option(min=1, help="How many submissions staff can grade.", show_default="as many as the fit proposed"),
]


def command(folder: Folder, budget: Budget = None, as_json: data_options.Json = False) -> None:
    """Show which submissions staff should grade next and why, without fitting or writing anything."""
    from peerage.results.results import Results
    from peerage.workflow.propose_checks import propose_checks

    checks = propose_checks(Results.read(folder), budget)
    if as_json:
        typer.echo(json.dumps(checks.to_dict("records"), indent=2))
    else:
        _show(checks, folder)


def _show(checks: pd.DataFrame, folder: Path) -> None:
    """Print the submissions, what grading each is worth, and what to do with the grades."""
    from rich.table import Table

    console = output()
    if not len(checks):
        console.print("Staff have graded everything; there is nothing left to check.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("submission", overflow="fold")
    table.add_column("priority", justify="right", no_wrap=True)
    table.add_column("why")
    for row in checks.to_dict("records"):
        name = " ".join(row["submission"].split())
        table.add_row(str(row["rank"]), name, f"{row['priority']:.2f}", " ".join(row["reason"].split()))
    console.print(table)
    meaning = "by how much a grade by staff is expected to reduce the variance of the submission's grades"
    console.print(f"\nPriority: {meaning}, in squared points.", soft_wrap=True)
    console.print(f"Once staff have graded any of these, run: peerage update {folder} NEW_GRADES", soft_wrap=True)
