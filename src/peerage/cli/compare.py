"""``peerage compare``: what changed between two results of a class, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import output, say
from peerage.support.wording import counted

if TYPE_CHECKING:
    from peerage.results.results import Results
    from peerage.workflow.compare_results import Comparison

SHOWN = 10
"""How many changed grades are printed."""

Old = Annotated[Path, typer.Argument(metavar="OLD", help="The folder of the earlier results.")]
New = Annotated[
    Path, typer.Argument(metavar="NEW", help="The folder of the later results; changes.csv is written there.")
]

_KINDS = {
    "set by staff": "set by staff, or no longer",
    "published": "kept as published, or no longer",
    "new review": "new reviews of the submission",
    "correction": "corrected reviews of the submission",
    "excluded": "excluded reviews of the submission",
    "review gone": "reviews that are no longer there",
    "level": "grades by staff that moved the class as a whole",
    "re-estimated": "a grader of the submission re-estimated",
    "class": "the class as a whole re-estimated",
    "settings": "other settings",
    "sampled again": "nothing but other draws",
    "unknown": "reviews behind the earlier grade that are not known",
}
"""What the kinds of reasons are called in the summary."""


def command(old: Old, new: New, as_json: data_options.Json = False) -> None:
    """List which grades changed between two results and why, and add the list to NEW and its report."""
    from peerage.results.schema import CHANGES, REPORT
    from peerage.workflow.compare_results import compare
    from peerage.workflow.saving import add_changes

    listed = {}
    for name, (heading, before, after, place) in _pairs(old, new).items():
        compared = compare(before, after)
        add_changes(compared.results, place)
        listed[name] = [asdict(change) for change in compared.changes]
        if not as_json:
            if heading:
                output().print(heading, soft_wrap=True)
            _show(compared)
    if as_json:
        typer.echo(json.dumps(listed.get("", listed), indent=2))
    else:
        output().print(f"\nWritten to {new}: {CHANGES.file}, {REPORT}", soft_wrap=True)


def _pairs(old: Path, new: Path) -> dict[str, tuple[str, Results, Results, Path]]:
    """What is compared: the two results, or those of each class that both have; by name, with heading and folder."""
    from peerage.results.results import Results
    from peerage.results.several_classes_results import SeveralResults

    before, after = SeveralResults.read(old), SeveralResults.read(new)
    if before.by != after.by or not after.classes:
        return {"": ("", Results.read(old), Results.read(new), new)}
    for name in sorted(before.classes.keys() ^ after.classes.keys()):
        say(f"note: {after.by} {name!r} is only in {old if name in before.classes else new}")
    return {
        name: (f"{after.by} {name!r}:", before.classes[name], results, new / after.folders[name])
        for name, results in after.classes.items()
        if name in before.classes
    }


def _show(compared: Comparison) -> None:
    from peerage.results.schema import CHANGES
    from peerage.term.changes import kinds_of

    console, changes = output(), compared.changes
    moved = [change for change in changes if change.before is not None and change.after is not None]
    fresh = sum(change.before is None for change in changes)
    gone = sum(change.after is None for change in changes)
    console.print(
        f"{counted(compared.n_before, 'grade')} before, {compared.n_after:,} now: {len(moved):,} changed, "
        f"{fresh:,} new, {gone:,} gone."
    )
    for kind, number in kinds_of(changes).items():
        console.print(f"  {number:,} × {_KINDS[kind]}")
    for change in moved[:SHOWN]:
        words = f"{change.submission} in {change.component}: {change.before:g} → {change.after:g}, {change.why}"
        console.print(" ".join(words.split()), soft_wrap=True)
    if len(moved) > SHOWN:
        console.print(f"and {len(moved) - SHOWN:,} more in {CHANGES.file}")
