"""``peerage pay``: what students earn for peer grading by one of the mechanisms of the literature."""

from __future__ import annotations

from typing import Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal import table_output
from peerage.cli.terminal.console import warn


@grouped
def command(
    *,
    grades: data_options.Grades,
    mechanism: Annotated[str, typer.Option(metavar="NAME", help="The mechanism: a name from docs/incentives.md.")],
    out: table_output.Out = None,
    data: data_options.DataOptions,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same payments.")] = 0,
    as_json: data_options.Json = False,
) -> None:
    """Compute what students earn for peer grading: a table of grader, assignment and payment."""
    from peerage.mechanisms.mechanism_registry import pay

    table_output.check(out, [*grades, data.rubric, data.exclude])
    book = data.read(grades)
    warn(book.notices)
    table_output.put(pay(book, mechanism, seed=seed), out, as_json)
