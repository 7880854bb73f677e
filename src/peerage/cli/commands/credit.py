"""``peerage credit``: marks for peer grading from a saved fit, to try a scale before it is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import name_cell, output
from peerage.cli.terminal.table_output import rows_of
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from peerage.decisions.choices import DecisionChoices
    from peerage.results.results import Results

_BAR = 40


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.")],
    scale: Annotated[str | None, typer.Option("--scale", metavar="D:MARK,...", help="Another scale of marks.")] = None,
    required_reviews: Annotated[
        str | None, typer.Option(metavar="N|NAME=N,...", help="How many reviews each student owes.")
    ] = None,
    completion: Annotated[
        float | None, typer.Option(min=0, max=1, help="The part of the mark that is for doing the reviews.")
    ] = None,
    sceptical: Annotated[
        bool | None,
        typer.Option(
            "--sceptical/--trusting", help="Whether students have to show quality before they get marks for it."
        ),
    ] = None,
    minimum_reviews: Annotated[int | None, typer.Option(min=0, help="Students with fewer reviews get no mark.")] = None,
    as_json: data_options.Json = False,
) -> None:
    """Show what mark each student would get for peer grading, without fitting or writing anything."""
    from peerage.results.results import Results

    changes = {
        "credit_scale": scale,
        "completion": completion,
        "sceptical": sceptical,
        "required_reviews": required_reviews,
        "minimum_reviews": minimum_reviews,
    }
    results = Results.read(folder)
    choices = _choices(results, {name: value for name, value in changes.items() if value is not None})
    marks = choices.credit(results.posterior)
    if as_json:
        typer.echo(json.dumps({"choices": choices.to_dict(), "marks": rows_of(marks)}, indent=2))
    else:
        _show(marks, choices)


def _choices(results: Results, changes: dict[str, Any]) -> DecisionChoices:
    """What the results were made with, but for some changes."""
    from peerage.decisions.choices import DecisionChoices

    return DecisionChoices.from_dict({**results.choices.to_dict(), **changes})


def _show(marks: pd.DataFrame, choices: DecisionChoices) -> None:
    """Print how many students get which marks, and who gets what."""
    console = output()
    quality = " (sceptical: few reviews give few marks)" if choices.sceptical else ""
    console.print(f"{choices.completion:.0%} of the mark is for doing the reviews, the rest for their quality.")
    console.print(f"Marks for quality, by dependability{quality}: {choices.credit_scale}")
    console.print(f"Required reviews: {choices.required_reviews or 'none'}\n")
    top = choices.credit_scale.points[-1][1]
    known = marks["credit"].dropna()
    tenths = (known / top * 10).clip(0, 9).astype(int).value_counts()
    longest = max(int(tenths.max()), 1) if len(known) else 1
    for tenth in range(10):
        number = int(tenths.get(tenth, 0))
        ends = f"{top * tenth / 10:g} to {top * (tenth + 1) / 10:g}"
        console.print(f"{ends:>14}  {number:>5,}  {'█' * round(_BAR * number / longest)}".rstrip())
    if len(known) < len(marks):
        console.print(f"{'none':>14}  {len(marks) - len(known):>5,}  too little to tell")
    if len(known):
        console.print(f"\nMean {known.mean():.1f}, median {known.median():.1f}, of {counted(len(known), 'student')}.\n")
    _table(marks, console)


def _table(marks: pd.DataFrame, console: Any) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("student", min_width=8)
    for name in ("reviews", "estimate", "mark"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in marks.sort_values("credit", ascending=False, kind="stable").to_dict("records"):
        cells = [
            f"{row[name]:{form}}" if row[name] == row[name] else ""
            for name, form in (("estimate", ".2f"), ("credit", ".1f"))
        ]
        table.add_row(name_cell(row["grader"]), f"{row['n_graded']:,}", *cells, row["note"])
    console.print(table)
