"""Write docs/commands.md: what every command says of itself with --help, at a fixed width.

.venv/bin/python docs/command_reference.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import typer
from typer import rich_utils
from typer.testing import CliRunner

from peerage.cli import app

PAGE = Path(__file__).with_name("commands.md")
WIDTH = 88
COLOURS = re.compile(r"\x1b\[[0-9;]*m")

OPENING = """\
# Commands

This page is what `peerage COMMAND --help` prints. [The start page](index.md#commands) says which command is for what.
`docs/command_reference.py` writes this page.
"""


def commands(group: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command, groups of commands first."""
    yield path
    for name, command in sorted(getattr(group, "commands", {}).items()):
        yield from commands(command, (*path, name))


def help_text(path: tuple[str, ...]) -> str:
    """What a command prints with --help, without colours and without spaces at the ends of lines."""
    with patch.object(rich_utils, "MAX_WIDTH", WIDTH):
        shown = CliRunner().invoke(app, [*path, "--help"], prog_name="peerage", catch_exceptions=False).stdout
    return "\n".join(line.rstrip() for line in COLOURS.sub("", shown).strip().splitlines())


def reference() -> str:
    """The whole page."""
    parts = [OPENING]
    for path in commands(typer.main.get_command(app)):
        name = " ".join(("peerage", *path))
        parts.append(f"## {name}\n\n```text\n{help_text(path)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE.write_text(reference(), encoding='utf-8')} characters written to {PAGE}\n")
