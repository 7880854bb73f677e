"""What the staff decided, on the command line: reviews excluded, grades set, grades handed out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.support.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from peerage.errors import Problem
    from peerage.formats.staff.pseudonyms import Key
    from peerage.gradebook.book import Gradebook
    from peerage.gradebook.rulings import Override
    from peerage.model import Model
    from peerage.results.outputs import Outputs
    from peerage.term.published import Published

SHOWN = 10
"""How many decisions of a kind are printed."""

OverrideFile = Annotated[
    Path | None,
    typer.Option(
        "--override",
        metavar="FILE",
        help="Grades set by staff: submission, component, grade, reason. Default: override.csv beside GRADES, if any.",
    ),
]
PublishedFolder = Annotated[
    Path | None,
    typer.Option("--published", metavar="DIR", help="Keep the grades in DIR, and list what would change."),
]
Republish = Annotated[bool, typer.Option("--republish", help="Take over what would change of the published grades.")]

Pseudonyms = Annotated[
    Path | None,
    typer.Option(
        "--pseudonyms", metavar="KEY", help="Write made-up names instead of ids, and the key to them to this file."
    ),
]


def with_overrides(
    book: Gradebook, grades: Sequence[Path], path: Path | None, elsewhere: Collection[str] = ()
) -> tuple[Gradebook, tuple[Override, ...]]:
    """The grades that staff set, and the gradebook with what was surprising about their file.

    Rows about submissions ``elsewhere``, in other classes, are passed over.
    """
    from peerage.formats.staff.overrides import overrides_beside, read_overrides

    if path is None:
        overrides, notices = overrides_beside(grades, book, elsewhere)
    else:
        overrides, notices = read_overrides(path, book, elsewhere)
    return replace(book, notices=(*book.notices, *notices)), overrides


def beside_published(book: Gradebook, published: Published, republish: bool) -> tuple[Problem, ...]:
    """What is surprising about a class beside the grades that were handed out, all of which can be kept."""
    if not republish:
        published.check(book)
    return tuple(published.notices(book))


def hidden(
    book: Gradebook, model: Model, overrides: tuple[Override, ...], key: Key
) -> tuple[Gradebook, Model, tuple[Override, ...]]:
    """The class and what is known about it with made-up names."""
    book = key.hide(book)
    return book, replace(model, fixed=key.hide_fixed(model.fixed)), key.hide_overrides(overrides)


def show(outputs: Outputs, console: Console, heading: str = "") -> None:
    """Print what staff decided and what became of the grades that were handed out, under a heading if there is any."""
    lines = list(_lines(outputs))
    for line in [f"\n{heading}:", *lines] if heading and lines else lines:
        console.print(line, soft_wrap=True)


def _lines(outputs: Outputs) -> Iterator[str]:
    from peerage.results.outputs import CHANGES

    exclusions, overrides = outputs.posterior.book.exclusions, outputs.record["overrides"]
    if exclusions:
        yield "\nExcluded:"
        yield from _some(f"{rule.what} ({counted(rule.n_reviews, 'review')}): {rule.reason}" for rule in exclusions)
    if overrides:
        yield "\nSet by the staff:"
        yield from _some(
            f"{row['submission']} in {row['component']}: {row['grade']:g} ({row['reason']})" for row in overrides
        )
    published = outputs.record.get("published")
    if published:
        sure = f"{published['sure']:,} of them with a certainty of 90% or more"
        yield f"\nKept {counted(published['kept'], 'published grade')}."
        yield f"Today's estimates would change {published['proposed']:,}, {sure} (proposals.csv)."
    if CHANGES in outputs.tables:
        table = outputs.tables[CHANGES]
        changed = int((table["before"].notna() & table["after"].notna()).sum())
        yield f"\n{counted(changed, 'published grade')} changed (changes.csv)."


def _some(lines: Iterator[str]) -> Iterator[str]:
    """The first few lines, indented, and how many more there are."""
    everything = list(lines)
    yield from (f"  {' '.join(line.split())}" for line in everything[:SHOWN])
    if len(everything) > SHOWN:
        yield f"  and {len(everything) - SHOWN:,} more (run.json)"
