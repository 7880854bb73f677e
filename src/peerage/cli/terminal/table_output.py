"""A table that is a command's whole result: to a file, or printed as CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.errors import ResultsError
from peerage.support.files.system_errors import reason

if TYPE_CHECKING:
    import pandas as pd

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A file for the table.")]

Rows = list[dict[str, Any]]

_MOST_DECIMALS = 10
_TYPED = ".parquet"
"""Files whose columns have a type, so that whole numbers and others do not mix."""


def check(out: Path | None, inputs: Iterable[Path | None]) -> None:
    """Refuse a file that cannot be written, or that is one of the inputs, before anything is computed for it."""
    from peerage.tables.writing_tables import check_table_target

    if out is not None:
        check_table_target(out, [file for file in inputs if file is not None])


def put(table: pd.DataFrame, out: Path | None, as_json: bool, wrap: Callable[[Rows], Any] = lambda rows: rows) -> None:
    """Write a table to a file, or print it, with few digits; ``wrap`` says what JSON holds beside its rows."""
    from peerage.tables.writing_tables import csv_text, write_table

    table = _in_few_digits(table, whole=out is None or out.suffix.lower() != _TYPED)
    if out is not None:
        try:
            write_table(table, out)
        except OSError as error:
            raise ResultsError(f"{out}: cannot be written ({reason(error)}); name another file") from error
    elif as_json:
        typer.echo(json.dumps(wrap(rows_of(table)), indent=2))
    else:
        typer.echo(csv_text(table), nl=False)


def _in_few_digits(table: pd.DataFrame, *, whole: bool) -> pd.DataFrame:
    """Numbers as result folders have them: five significant digits and, if wanted, whole ones without decimals."""
    import numpy as np

    from peerage.results.table_values import significant
    from peerage.rubric import tidy

    def short(value: float) -> float:
        # The last digits of sums that should be 0 are no number either; adding 0 takes the sign off a zero.
        value = round(significant(value), _MOST_DECIMALS) + 0.0
        return tidy(value) if whole else value

    kind: type = object if whole else float
    numbers = {name: column for name, column in table.items() if column.dtype.kind == "f"}
    return table.assign(
        **{str(name): np.array([short(value) for value in cells.tolist()], kind) for name, cells in numbers.items()}
    )


def rows_of(table: pd.DataFrame) -> Rows:
    """The rows of a table as JSON holds them: what is missing is null."""
    rows: Rows = table.astype(object).where(table.notna(), None).to_dict("records")  # type: ignore[assignment]
    return rows
