"""``peerage compare``: what changed between two results of a class, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli import data_options
from peerage.cli.console import output, say
from peerage.results import result_folder
from peerage.support.wording import counted

if TYPE_CHECKING:
    from peerage.term.changes import Change

SHOWN = 10
"""How many changed grades are printed."""

Old = Annotated[Path, typer.Argument(metavar="OLD", help="The folder of the earlier results.")]
New = Annotated[Path, typer.Argument(metavar="NEW", help="The folder of the later results; changes.csv is put there.")]

_KINDS = {
    "set by staff": "set by the staff, or no longer",
    "published": "kept as handed out, or no longer",
    "new review": "new reviews of the submission",
    "correction": "corrected reviews of the submission",
    "excluded": "excluded reviews of the submission",
    "review gone": "reviews that are no longer there",
    "re-estimated": "a grader of the submission re-estimated",
    "class": "the class as a whole re-estimated",
    "settings": "other settings",
    "sampled anew": "nothing but other draws",
}
"""What the kinds of reasons are called in the summary."""


def command(old: Old, new: New, as_json: data_options.Json = False) -> None:
    """Say which grades changed between two results and why, and add the list and a section of the report to NEW."""
    from peerage.report.pages import REPORT
    from peerage.results.outputs import CHANGES

    compared = {name: _compare(*sides, as_json) for name, sides in _pairs(old, new).items()}
    if as_json:
        listed = {name: [asdict(change) for change in changes] for name, changes in compared.items()}
        typer.echo(json.dumps(listed.get("", listed), indent=2))
    else:
        output().print(f"\nWritten to {new}: {CHANGES}, {REPORT}", soft_wrap=True)


def _pairs(old: Path, new: Path) -> dict[str, tuple[str, Path, Path]]:
    """What is compared: the two results, or those of each class that both have; by name, with a heading."""
    from peerage.results.saved_results import Classes

    before, after = Classes.of(result_folder.find(old)), Classes.of(result_folder.find(new))
    if before.by != after.by or not after.folders:
        return {"": ("", old, new)}
    for name in sorted(before.folders.keys() ^ after.folders.keys()):
        say(f"note: {after.by} {name!r} is in {old if name in before.folders else new} alone")
    both = (name for name in after.folders if name in before.folders)
    return {name: (f"{after.by} {name!r}:", before.folders[name], after.folders[name]) for name in both}


def _compare(heading: str, old: Path, new: Path, quiet: bool) -> Sequence[Change]:
    """Compare two results of a class, and add what was found to the later one."""
    from peerage.report.pages import REPORT, staff_html
    from peerage.results.outputs import CHANGES
    from peerage.tables.writing_tables import csv_text
    from peerage.term.changes import changes_between, changes_table
    from peerage.term.compared_results import Side

    before, after = Side.read(old), Side.read(new)
    changes = changes_between(before, after)
    target = result_folder.add(new, CHANGES, csv_text(changes_table(changes)))
    result_folder.add(new, REPORT, staff_html(target.parent))
    if not quiet:
        if heading:
            output().print(heading, soft_wrap=True)
        _show(changes, len(before.grades), len(after.grades))
    return changes


def _show(changes: Sequence[Change], n_before: int, n_after: int) -> None:
    from peerage.term.changes import kinds_of

    console = output()
    moved = [change for change in changes if change.before is not None and change.after is not None]
    fresh = sum(change.before is None for change in changes)
    gone = sum(change.after is None for change in changes)
    console.print(
        f"{counted(n_before, 'grade')} before, {n_after:,} now: {len(moved):,} changed, {fresh:,} new, {gone:,} gone."
    )
    for kind, number in kinds_of(changes).items():
        console.print(f"  {number:,} × {_KINDS[kind]}")
    for change in moved[:SHOWN]:
        words = f"{change.submission} in {change.component}: {change.before:g} → {change.after:g}, {change.why}"
        console.print(" ".join(words.split()), soft_wrap=True)
    if len(moved) > SHOWN:
        console.print(f"and {len(moved) - SHOWN:,} more in changes.csv")
