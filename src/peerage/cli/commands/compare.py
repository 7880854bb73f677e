"""``peerage compare``: what changed between two results of a class, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import output, warn
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    from peerage.workflow.compare_results import Comparison

SHOWN = 10
"""How many changed grades are printed."""

Old = Annotated[Path, typer.Argument(metavar="OLD", help="The folder of the earlier results.")]
New = Annotated[
    Path, typer.Argument(metavar="NEW", help="The folder of the later results; changes.csv is written there.")
]

_KINDS = {
    "set by staff": "set by staff, or no longer set by staff",
    "published": "kept as published, or no longer kept",
    "new review": "new reviews of the submission",
    "correction": "corrected reviews of the submission",
    "excluded": "excluded reviews of the submission",
    "review gone": "reviews that are no longer there",
    "level": "grades by staff that moved the class as a whole",
    "re-estimated": "a grader of the submission re-estimated",
    "class": "the class as a whole re-estimated",
    "settings": "other settings",
    "sampled again": "only different random draws",
    "unknown": "reviews behind the earlier grade that are not known",
}
"""What the kinds of reasons are called in the summary."""


def command(old: Old, new: New, as_json: data_options.Json = False) -> None:
    """List which grades changed between two results and why, and add the list to NEW and its report."""
    from peerage.results.schema import CHANGES, REPORT
    from peerage.workflow.compare_results import compare, pairs_in
    from peerage.workflow.save_results import add_changes

    pairs = pairs_in(old, new)
    warn(pairs.notices)
    listed = {}
    for name, pair in pairs.by_class.items():
        compared = compare(pair.before, pair.after)
        add_changes(compared.results, pair.folder)
        listed[name] = [asdict(change) for change in compared.changes]
        if not as_json:
            if pairs.by:
                output().print(f"{pairs.by} {name!r}:", soft_wrap=True)
            _show(compared)
    if as_json:
        typer.echo(json.dumps(listed.get("", listed), indent=2))
    else:
        output().print(f"\nWritten to {new}: {CHANGES.file}, {REPORT}", soft_wrap=True)


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
