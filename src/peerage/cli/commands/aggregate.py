"""``peerage aggregate``: one grade of several, by one of the methods of the field."""

from __future__ import annotations

from typing import Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal import table_output
from peerage.cli.terminal.console import say, warn


@grouped
def command(
    *,
    grades: data_options.Grades,
    method: Annotated[str, typer.Option(metavar="NAME", help="The method: a name from docs/methods.md.")],
    out: table_output.Out = None,
    data: data_options.DataOptions,
    graders: Annotated[bool, typer.Option("--graders", help="Show graders' weights and biases instead.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same grades.")] = 0,
    as_json: data_options.Json = False,
) -> None:
    """Combine several grades into one: a table of submission, component, grade and standard deviation."""
    from peerage.methods.method_registry import aggregate, find

    chosen = find(method)
    table_output.check(out, [*grades, data.rubric, data.exclude])
    book = data.read(grades)
    warn(book.notices)
    found = aggregate(book, chosen, seed=seed)
    if not found.converged:
        say(f"note: {method} had not converged after {found.iterations:,} steps")
    table = found.graders() if graders else found.ranking() if found.is_ranking else found.grades()
    table_output.put(table, out, as_json, lambda rows: {"converged": found.converged, "rows": rows})
