"""``peerage publish``: record in a project that grades were handed out, so that they stay."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.project_file import PROJECT
from peerage.cli.terminal.console import output, warn
from peerage.errors import ResultsError
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    from peerage.workflow.publishing import Announced, Publication

SHOWN = 10
"""How many changed grades are printed."""

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The result folder whose grades were handed out.")]
Replace = Annotated[
    bool, typer.Option("--replace", help="Record them even if they differ from grades handed out before.")
]


def command(folder: Folder, replace: Replace = False, as_json: data_options.Json = False) -> None:
    """Record that the grades in DIR were handed out. From then on, fit and update in this project keep them."""
    if not Path(PROJECT).is_file():
        raise ResultsError(f"there is no {PROJECT} here, so nothing can be recorded; write one with peerage init")
    from peerage.workflow.publishing import publish

    recorded, announced = publish(folder, Path(), datetime.now(UTC).astimezone(), replace=replace)
    warn(announced.notices)
    if as_json:
        typer.echo(json.dumps(_plain(recorded, announced), indent=2))
        return
    for line in _lines(folder, recorded, announced):
        output().print(line, soft_wrap=True)


def _lines(folder: Path, recorded: Publication | None, announced: Announced) -> list[str]:
    """What was recorded, in words."""
    if recorded is None:
        return [f"All {counted(announced.same, 'grade')} in {folder} were handed out before; nothing is recorded."]
    number = announced.new + announced.same + len(announced.changed)
    parts = f"{announced.new:,} new, {announced.same:,} as before, {len(announced.changed):,} changed"
    lines = [f"Recorded in {recorded.path}: {counted(number, 'grade')} in {folder} are handed out ({parts})."]
    changes = [
        " ".join(f"{submission} in {component}: {before:g} → {after:g}".split())
        for (submission, component), (before, after) in announced.changed.items()
    ]
    lines += [f"  {change}" for change in changes[:SHOWN]]
    if len(changes) > SHOWN:
        lines.append(f"  and {len(changes) - SHOWN:,} more; --json lists all")
    if announced.missing:
        lines.append(f"{counted(announced.missing, 'grade')} handed out before, not in {folder}, stay on record.")
    return [*lines, "From now on, peerage fit and peerage update keep these grades."]


def _plain(recorded: Publication | None, announced: Announced) -> dict[str, object]:
    changed = [
        {"submission": submission, "component": component, "before": before, "after": after}
        for (submission, component), (before, after) in announced.changed.items()
    ]
    counts = {"new": announced.new, "same": announced.same, "missing": announced.missing}
    return {"recorded": None if recorded is None else str(recorded.path), **counts, "changed": changed}
