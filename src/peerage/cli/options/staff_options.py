"""What the staff decided, on the command line: reviews excluded, grades set, grades handed out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import panels
from peerage.cli.project_file import PROJECT
from peerage.cli.terminal.console import say
from peerage.errors import InputError
from peerage.support.words.wording import counted, quoted

if TYPE_CHECKING:
    from rich.console import Console

    from peerage.formats.staff.pseudonyms import Key
    from peerage.gradebook.book import Gradebook
    from peerage.results.results import Results
    from peerage.term.published import Published
    from peerage.workflow.fit_plan import StaffInput

SHOWN = 10
"""How many decisions of a kind are printed."""

OverrideFile = Annotated[
    Path | None,
    typer.Option(
        "--override",
        metavar="FILE",
        help="Grades set by staff: submission, component, grade, reason. Default: an override.csv beside GRADES.",
        rich_help_panel=panels.TERM,
    ),
]
PublishedFolder = Annotated[
    Path | None,
    typer.Option(
        "--published",
        metavar="DIR",
        help="Keep the published grades in DIR, and list what would change. Default: what peerage publish recorded.",
    ),
]
Republish = Annotated[
    bool,
    typer.Option("--republish", help="Replace published grades with today's.", rich_help_panel=panels.TERM),
]

Pseudonyms = Annotated[
    Path | None,
    typer.Option(
        "--pseudonyms",
        metavar="KEY",
        help="Write made-up names instead of ids, and the key to this file.",
        rich_help_panel=panels.OUTPUT,
    ),
]


@dataclass(frozen=True)
class StaffFiles:
    """The files beside the grades that options name.

    Attributes
    ----------
    grades: the files of grades
    override, fixed: grades that staff set, and values that are known
    published: folders of results that were handed out, the latest first
    key_file: the file for the key to made-up names, if ids are hidden
    """

    grades: Sequence[Path]
    override: Path | None
    fixed: Path | None
    published: Sequence[Path]
    key_file: Path | None

    def read(self, books: Mapping[str, Gradebook]) -> dict[str, StaffInput]:
        """What the files say about each class."""
        from peerage.workflow.staff_files import read_staff_files

        return read_staff_files(books, self.grades, override=self.override, fixed=self.fixed)

    @contextmanager
    def key(self) -> Iterator[Key | None]:
        """The key to made-up names, if ids are hidden; it keeps those that it gets in the block."""
        if self.key_file is None:
            yield None
            return
        from peerage.formats.staff.pseudonyms import Key

        with Key.kept(self.key_file) as key:
            yield key


@dataclass(frozen=True)
class StaffOptions:
    """What staff decided."""

    published: PublishedFolder = None
    override: OverrideFile = None
    republish: Republish = False


def say_forgotten(out: Path, grades: Sequence[Path]) -> None:
    """Name files behind the results that are to be replaced which are not among today's grades."""
    from peerage.results.run_record import read_record
    from peerage.results.schema import RECORD

    if not (out / RECORD).is_file():
        return
    try:
        record = read_record(out)
    except InputError:  # what is damaged is to be replaced
        return
    names = {path.name for path in grades}
    before = dict.fromkeys(entry["name"] for entry in record.get("input") or ())
    lost = [name for name in before if name not in names]
    if lost:
        it, is_not = ("it", "is not") if len(lost) == 1 else ("them", "are not")
        where = f"add {it} to the setting 'grades' of {PROJECT}" if Path(PROJECT).is_file() else f"name {it} too"
        also = f"the results in {out} also used {quoted(lost)}, which {is_not} read today"
        say(f"note: {also}; unless that is meant, {where}")


def handed_out(named: Path | None, *, replaced: bool = False) -> list[Path]:
    """The folders of results that were handed out, the latest first: the one named, or else those of the project."""
    found = [named] if named is not None else _in_project("replacing" if replaced else "keeping")
    if found and named is None and not replaced:
        say("note: to replace them with today's instead: peerage fit --republish")
    return found


def _in_project(doing: str) -> list[Path]:
    """The folders of what was handed out in the project, after a word on what is done with it."""
    from peerage.workflow.publishing import publications

    found = publications(Path()) if Path(PROJECT).is_file() else []
    if found:
        say(f"note: {doing} the grades that were handed out, the latest on {found[0].at:%Y-%m-%d} ({found[0].path})")
    return [entry.path for entry in found]


def handed_out_of_class(own: Mapping[str, str] | None) -> Published | None:
    """What was handed out in the project about a class: the only one, or the one that the record names."""
    from peerage.workflow.publishing import published_in

    return published_in(_in_project("keeping")).get("" if own is None else own["name"])


def show(results: Results, console: Console, heading: str = "") -> None:
    """Print what staff decided and what became of the grades that were handed out, under a heading if there is any."""
    lines = list(_lines(results))
    for line in [f"\n{heading}:", *lines] if heading and lines else lines:
        console.print(line, soft_wrap=True)


def _lines(results: Results) -> Iterator[str]:
    from peerage.results.schema import CHANGES, PROPOSALS

    exclusions, overrides = results.posterior.book.exclusions, results.record["overrides"]
    if exclusions:
        yield "\nExcluded:"
        yield from _some(f"{rule.what} ({counted(rule.n_reviews, 'review')}): {rule.reason}" for rule in exclusions)
    if overrides:
        yield "\nSet by the staff:"
        yield from _some(
            f"{row['submission']} in {row['component']}: {row['grade']:g} ({row['reason']})" for row in overrides
        )
    published = results.record.get("published")
    if published:
        sure = f"{published['sure']:,} of them with a certainty of 90% or more"
        yield f"\nKept {counted(published['kept'], 'published grade')}."
        yield f"Today's estimates would change {published['proposed']:,}, {sure} ({PROPOSALS.file})."
        yield from _contradicted(results)
    if CHANGES in results.tables:
        table = results.tables[CHANGES]
        changed = int((table["before"].notna() & table["after"].notna()).sum())
        yield f"\n{counted(changed, 'published grade')} changed ({CHANGES.file})."


def _contradicted(results: Results) -> Iterator[str]:
    """Published grades that stay although staff gave something else, as after a spot check, and how to change them."""
    from peerage.results.schema import PROPOSALS
    from peerage.term.published import contradicted_by_staff

    found = contradicted_by_staff(results)
    if len(found):
        stay = "this one stays" if len(found) == 1 else "these stay"
        yield f"Staff gave other grades than were handed out; {stay} unless override.csv sets the grade:"
        rows = zip(found["submission"], found["component"], found["published"], found["proposed"], strict=True)
        lines = (f"{name} in {part}: {before:g}, by staff {now:g}" for name, part, before, now in rows)
        yield from _some(lines, PROPOSALS.file)


def _some(lines: Iterator[str], where: str = "") -> Iterator[str]:
    """The first few lines, indented, and how many more there are in which file; by default in the record."""
    from peerage.results.schema import RECORD

    everything = list(lines)
    yield from (f"  {' '.join(line.split())}" for line in everything[:SHOWN])
    if len(everything) > SHOWN:
        yield f"  and {len(everything) - SHOWN:,} more ({where or RECORD})"
