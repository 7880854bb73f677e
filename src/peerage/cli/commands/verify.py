"""``peerage verify``: whether results are what was written."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import output, say
from peerage.support.words.visible import one_line
from peerage.support.words.wording import counted

DAMAGED = 2

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that peerage wrote.")]


def command(folder: Folder, as_json: data_options.Json = False) -> None:
    """Compare every file in DIR with the checksum taken when it was written; exit with status 2 if one has changed."""
    from peerage.results.verifying import verify

    found = verify(folder)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    else:
        for note in found.notes:
            say(f"note: {note}")
        lines = [*map(one_line, found.findings), f"{counted(found.files, 'file')} as written."]
        output().print(*lines, sep="\n", soft_wrap=True)
    if found.findings:
        raise typer.Exit(DAMAGED)
