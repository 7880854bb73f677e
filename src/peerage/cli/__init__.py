"""The command line: a module for each command in :mod:`peerage.cli.commands`, and what they share.

Command modules import pandas, scipy and numba inside their functions, so that ``peerage --help`` stays fast.
Results go to standard output or to files, progress and warnings to standard error.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli.commands import (
    aggregate,
    benchmark,
    canvas,
    check,
    compare,
    credit,
    demo,
    evaluate,
    export,
    fit,
    import_,
    init,
    pay,
    publish,
    report,
    search,
    simulate,
    spotchecks,
    study,
    update,
    verify,
)
from peerage.cli.options import panels
from peerage.cli.terminal.console import describe_error, describe_failure, say
from peerage.errors import PeerageError, ServiceError
from peerage.version import __version__

BAD_INPUT, INTERRUPTED, FAULT = 2, 130, 1

app = typer.Typer(
    name="peerage",
    help="Turn noisy peer grades into grades that a class can trust.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_PANELS: dict[str, dict[str, Callable[..., None]]] = {
    panels.START: {
        "demo": demo.command,
        "check": check.command,
        "fit": fit.command,
        "report": report.command,
        "import": import_.command,
        "export": export.command,
    },
    panels.WEEKS: {
        "init": init.command,
        "publish": publish.command,
        "spotchecks": spotchecks.command,
        "update": update.command,
        "compare": compare.command,
        "credit": credit.command,
        "verify": verify.command,
    },
    panels.RESEARCH: {
        "simulate": simulate.command,
        "evaluate": evaluate.command,
        "search": search.command,
        "aggregate": aggregate.command,
        "benchmark": benchmark.command,
        "pay": pay.command,
        "study": study.command,
    },
}
"""The commands, in the panels and the order in which ``--help`` lists them."""

for _panel, _commands in _PANELS.items():
    for _name, _command in _commands.items():
        app.command(_name, rich_help_panel=_panel)(_command)
app.add_typer(canvas.app, name="canvas", rich_help_panel=panels.START)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"peerage {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Options that belong to no command."""
    from peerage.cli.project_file import PROJECT, defaults

    project = Path(PROJECT)
    if context.invoked_subcommand in ("check", "fit") and project.is_file():
        say(f"note: using the settings in {PROJECT}; options override them")
        context.default_map = defaults(project)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, 2 (bad usage or input), 130 (Ctrl-C) or 1."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Whoever closes a stream does not want to read it, which must not end the command either.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a name must not end the command.
            stream.reconfigure(errors="backslashreplace")
    try:
        typer.main.get_command(app).main(None if arguments is None else list(arguments), prog_name="peerage")
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say("interrupted")
        return stop.code if isinstance(stop.code, int) else FAULT if stop.code else 0
    except PeerageError as error:
        for line in describe_error(error):
            say(line)
        return FAULT if isinstance(error, ServiceError) else BAD_INPUT
    except OSError as error:
        say(describe_failure(error))
        return FAULT
    except MemoryError as error:
        say("there is not enough memory for this; use a smaller input, or fewer draws or chains")
        for note in getattr(error, "__notes__", ()):
            say(note)
        return FAULT
    except Exception:
        traceback.print_exc(file=sys.stderr)
        say("this is a fault in peerage; please report it with the lines above")
        return FAULT
    return 0
