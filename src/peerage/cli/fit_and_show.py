"""One class or several: what is said about it, the fit, and what is shown of its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.cli.options import staff_options
from peerage.cli.print_results import say_warnings, show
from peerage.cli.setting_flags import as_line
from peerage.cli.terminal.console import output, say, warn

if TYPE_CHECKING:
    from peerage.cli.options.staff_options import StaffFiles
    from peerage.errors import Problem
    from peerage.gradebook.book import Gradebook
    from peerage.results.results import Results
    from peerage.results.several_classes_results import SeveralResults
    from peerage.workflow.fit_plan import FitPlan


def fit_and_show(
    books: Mapping[str, Gradebook], by: str | None, plan: FitPlan, files: StaffFiles, out: Path, *, shown: bool
) -> Mapping[str, Any]:
    """Fit the class, or the classes that a column tells apart, and return the record of it."""
    if by is None:
        return _fit_one(books[""], plan, files, out, shown=shown)
    return _fit_all(books, by, plan, files, out, shown=shown)


def _fit_one(book: Gradebook, plan: FitPlan, files: StaffFiles, out: Path, *, shown: bool) -> Mapping[str, Any]:
    """Fit a class, write its results, and return the record of it."""
    from peerage.workflow.fit_class import fit_prepared, prepare
    from peerage.workflow.publishing import published_alone
    from peerage.workflow.save_results import write_results

    staff, published = files.read({"": book})[""], published_alone(files.published)
    with files.key() as key:
        prepared = prepare(book, plan, staff=staff, published=published, key=key)
    warn(prepared.notices)
    results = fit_prepared(prepared, plan, tell=_tell(plan))
    _say_missed_target(results, plan)
    write_results(results, out)
    if shown:
        show(results, out)
    say_warnings(results)
    return results.record


def _fit_all(
    books: Mapping[str, Gradebook], by: str, plan: FitPlan, files: StaffFiles, out: Path, *, shown: bool
) -> Mapping[str, Any]:
    """Fit the classes that a column tells apart, write their results, and return the record of all of them."""
    from peerage.formats.several_classes import common_notices
    from peerage.workflow.fit_classes import fit_all_prepared, prepare_classes, unmatched
    from peerage.workflow.publishing import published_classes
    from peerage.workflow.save_results import write_classes

    published = published_classes(files.published, by)
    warn(unmatched(published, by, books))
    staff = files.read(books)
    with files.key() as key:
        prepared = prepare_classes(books, plan, by=by, staff=staff, published=published, key=key)
    common = common_notices(ready.notices for ready in prepared.values())
    _say({name: ready.notices for name, ready in prepared.items()}, common, by)
    several = fit_all_prepared(prepared, by, plan, tell=_tell(plan))
    for results in several.classes.values():
        _say_missed_target(results, plan)
    write_classes(several, out)
    if shown:
        _show(several, out)
    for name, results in several.classes.items():
        say_warnings(results, f"{by} {name!r}: ")
    return several.record


def _tell(plan: FitPlan) -> Callable[[str], None] | None:
    """What writes how far a fit is, if that is wanted."""
    return say if plan.sampling.progress else None


def _say_missed_target(results: Results, plan: FitPlan) -> None:
    from peerage.workflow.fit_class import missed_target

    missed = missed_target(results.posterior, plan.sampling.target_ess)
    if missed is not None:
        say(as_line(missed))


def _say(notices: Mapping[str, Sequence[Problem]], common: Sequence[Problem], by: str) -> None:
    """Write to standard error what is noted of every class, and then what is noted of some."""
    warn(common)
    for name, own in notices.items():
        warn((notice for notice in own if notice not in common), f"{by} {name!r}: ")


def _show(several: SeveralResults, out: Path) -> None:
    """Print a few numbers about each class, and where the files are."""
    from rich.table import Table

    from peerage.results.summary import summarise
    from peerage.workflow.save_results import CLASSES_FILES

    console, by = output(), several.by
    table = Table(box=None, pad_edge=False)
    table.add_column(by, overflow="fold")
    for heading in ("submissions", "reviews", "graders", "differ", "certain", "warnings"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, results in several.classes.items():
        book, summary = results.posterior.book, summarise(results.posterior, list(results.grades.values()))
        counts = (f"{number:,}" for number in (book.n_submissions, book.n_reviews, book.n_graders))
        title = " ".join(name.split())
        differ = f"{summary.n_changed / summary.n_compared:.0%}" if summary.n_compared else ""
        table.add_row(title, *counts, differ, f"{summary.confidence:.0%}", f"{len(results.warnings):,}")
    console.print(table)
    console.print("\ndiffer: grades that round to a different grade from the peers' mean.", end=" ")
    console.print("certain: how certain a most likely grade is on average.")
    for name, results in several.classes.items():
        staff_options.show(results, console, f"{by} {name!r}")
    console.print(f"\nWritten to {out}: {', '.join(CLASSES_FILES)}, and a folder for each {by}", soft_wrap=True)
