"""Several classes in one command: each is prepared, then each is fitted, then all are written together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.cli import staff_options
from peerage.cli.console import output, say, warn
from peerage.errors import ResultsError
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.cli.fit_plan import Plan
    from peerage.errors import Problem
    from peerage.gradebook.book import Gradebook
    from peerage.results.outputs import Outputs
    from peerage.term.published import Published


def fit_all(
    plan: Plan, by: str, books: Mapping[str, Gradebook], published: Path | None, out: Path, *, shown: bool
) -> Mapping[str, Any]:
    """Fit the classes that a column tells apart, write their results, and return the record of all of them."""
    from peerage.cli.fit import say_warnings
    from peerage.results import several_classes_results

    handed_out = {} if published is None else _handed_out(published, by, books)
    ids = {name: {*book.submissions, *book.graders} for name, book in books.items()}
    known = set().union(*ids.values())
    prepared = {
        name: plan.prepare(book, handed_out.get(name), elsewhere=known - ids[name]) for name, book in books.items()
    }
    common = common_notices(ready.said for ready in prepared.values())
    _say({name: ready.said for name, ready in prepared.items()}, common, by)
    outputs = {}
    for number, (name, ready) in enumerate(prepared.items(), start=1):
        if plan.sampling["progress"]:
            say(f"{by} {name!r}, {number:,} of {len(prepared):,}:")
        outputs[name] = plan.outputs(ready)
    with result_folder.writing(out) as folder:
        plan.write_key()
        record = several_classes_results.write(folder, by, outputs, () if plan.key is not None else common)
    if shown:
        _show(outputs, by, out, several_classes_results.FILES)
    for name, written in outputs.items():
        say_warnings(written, f"{by} {name!r}: ")
    return record


def common_notices(notices: Iterable[Sequence[Problem]]) -> tuple[Problem, ...]:
    """What is noted of every class."""
    first, *others = notices
    return tuple(notice for notice in first if all(notice in other for other in others))


def _say(notices: Mapping[str, Sequence[Problem]], common: Sequence[Problem], by: str) -> None:
    """Write to standard error what is noted of every class, and then what is noted of some."""
    warn(common)
    for name, own in notices.items():
        warn((notice for notice in own if notice not in common), f"{by} {name!r}: ")


def _handed_out(folder: Path, by: str, books: Mapping[str, Gradebook]) -> dict[str, Published]:
    """The results of each class that were handed out; those of a class that is no longer there are named."""
    from peerage.results.saved_results import Classes
    from peerage.term.published import Published

    earlier = Classes.of(result_folder.find(folder))
    if earlier.by != by:
        raise ResultsError(f"{folder}: these results do not have a class for each {by}; name results of --by {by}")
    for name in earlier.folders:
        if name not in books:
            say(f"note: {by} {name!r} has published grades and no grades today")
    for name in books:
        if name not in earlier.folders:
            say(f"note: {by} {name!r} has no published grades")
    return {name: Published.read(place) for name, place in earlier.folders.items() if name in books}


def _show(outputs: Mapping[str, Outputs], by: str, out: Path, files: Sequence[str]) -> None:
    """Print a few numbers about each class, and where the files are."""
    from rich.table import Table

    from peerage.results.summary import summarise

    console = output()
    table = Table(box=None, pad_edge=False)
    table.add_column(by, overflow="fold")
    for heading in ("submissions", "reviews", "graders", "differ", "certain", "warnings"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, written in outputs.items():
        book, summary = written.posterior.book, summarise(written.posterior, written.final)
        counts = (f"{number:,}" for number in (book.n_submissions, book.n_reviews, book.n_graders))
        title = " ".join(name.split())
        differ = f"{summary.n_changed / summary.n_compared:.0%}" if summary.n_compared else ""
        table.add_row(title, *counts, differ, f"{summary.confidence:.0%}", f"{len(written.warnings):,}")
    console.print(table)
    console.print("\nGrades that differ are not the peers' rounded mean; certain is a most likely grade, on average.")
    for name, written in outputs.items():
        staff_options.show(written, console, f"{by} {name!r}")
    console.print(f"\nWritten to {out}: {', '.join(files)}, and a folder for each {by}", soft_wrap=True)
