"""``peerage demo``: the whole way once, on a simulated class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from peerage import results
from peerage.cli import check


def command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")] = Path("demo"),
) -> None:
    """Simulate the paper's class and say what is in it."""
    results.check_target(out)
    from peerage.simulation.classes import simulate
    from peerage.simulation.files import GRADES, write_class

    _, truth = simulate()
    with results.writing(out) as folder:
        write_class(truth, folder)
    check.command([out / GRADES])
    typer.echo(f"The class and the truth behind it are in {out}.")
