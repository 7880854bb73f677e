"""``peerage update``: grades added to a fitted class, or corrected, without fitting it anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from peerage.cli import data_options, sampling_options
from peerage.cli.console import output, say, warn
from peerage.cli.fit import say_warnings
from peerage.errors import InputError, Problem, ResultsError
from peerage.results import result_folder
from peerage.support.wording import counted, quoted

if TYPE_CHECKING:
    from peerage.gradebook.book import Gradebook
    from peerage.inference.posterior import Posterior
    from peerage.results.outputs import Outputs
    from peerage.results.saved_results import Result

SHOWN = 10
"""How many changed grades of a kind are printed."""

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results, which are replaced and kept beside.")]
NewGrades = Annotated[
    list[Path], typer.Argument(metavar="NEW_GRADES", help="Tables of grades that are new or replace earlier ones.")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write another folder, and leave DIR as it is.")
]
Draws = Annotated[
    int | None, typer.Option(min=1, help="How many draws each chain keeps.", show_default="a few seconds' worth")
]
BurnIn = Annotated[int | None, typer.Option(min=0, help="How many draws each chain discards first.", show_default="25")]


class Change(NamedTuple):
    """A grade that is not what it was; a submission that is new had none."""

    submission: str
    component: str
    before: float | None
    after: float
    has_new_grades: bool


def command(
    folder: Folder,
    grades: NewGrades,
    out: Out = None,
    columns: data_options.Columns = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    draws: Draws = None,
    burn_in: BurnIn = None,
    workers: sampling_options.Workers = None,
    quiet: data_options.Quiet = False,
    as_json: data_options.Json = False,
) -> None:
    """Add grades to a fitted class or correct them, such as a TA's after a spot check, and say which grades change."""
    found = result_folder.find(folder)
    target = folder if out is None else out
    result_folder.check_target(result_folder.outermost(folder) if out is None else out, grades)
    from peerage.decisions.choices import Choices
    from peerage.gradebook.rulings import Override
    from peerage.inference.storage import load
    from peerage.results.outputs import POSTERIOR, Outputs
    from peerage.results.saved_results import Result
    from peerage.term.published import Published

    result = Result.read(found)
    if not result.record["choices"]:
        raise ResultsError(f"{folder}: these results do not say how they were made; fit the class again")
    if result.record.get("pseudonyms"):
        raise ResultsError(f"{folder}: these results hold made-up names; fit all grades anew with --pseudonyms")
    choices, before = Choices.from_dict(result.record["choices"]), load(found / POSTERIOR)
    grades_before = result.grades
    new = _read_new(grades, before.book, result.record.get("class"), columns, snap, duplicates)
    after = before.update(new, draws=draws, burn_in=burn_in, workers=workers, progress=not quiet)
    warn(notice for notice in after.book.notices if notice not in before.book.notices)
    overrides = [Override.from_dict(entries) for entries in result.record.get("overrides", [])]
    published = Published(result, kept_alone=True)
    outputs = Outputs.of(after, grades, choices, overrides=overrides, handed_out=published.handed_out)
    if result.record.get("published"):
        outputs = published.proposed(outputs)
    earlier = [entry for entry in result.record.get("input", []) if entry not in outputs.record["input"]]
    own = {"class": result.record["class"]} if "class" in result.record else {}
    outputs = replace(outputs, record=outputs.record | own | {"input": [*earlier, *outputs.record["input"]]})
    kept = _write(outputs, result, target)
    changes = list(_changes(grades_before, outputs, set(new.submissions)))
    if as_json:
        named = {"written": str(target), "previous": None if kept is None else str(kept)}
        typer.echo(json.dumps(named | {"changes": [change._asdict() for change in changes]}, indent=2))
    else:
        _show(changes, before, after)
        output().print(f"\nWritten to {target}: {', '.join(outputs.files)}", soft_wrap=True)
        if kept is not None:
            output().print(f"The results before are in {kept}", soft_wrap=True)
    say_warnings(outputs)


def _read_new(
    grades: list[Path],
    book: Gradebook,
    own: Mapping[str, str] | None,
    columns: str | None,
    snap: bool,
    duplicates: data_options.Duplicates,
) -> Gradebook:
    """The new grades; of files that tell classes apart as the results do, those of the ``own`` one alone."""
    by, name = (None, "") if own is None else (own["by"], own["name"])
    classes = data_options.load_classes(
        grades, book.rubric, columns, snap, duplicates, book.exclusions, until=None, by=by, by_optional=True
    )
    if "" in classes:
        return classes[""]
    if name not in classes:
        message = f"there are no grades of {by} {name!r}, which these results are about"
        raise InputError(Problem(message, "name the folder of another class, or other grades"))
    others = [other for other in classes if other != name]
    if others:
        say(f"note: grades of {by} {quoted(others)} left out: these results are about {name!r}")
    return classes[name]


def _write(outputs: Outputs, earlier: Result, target: Path) -> Path | None:
    """Write the results; those that they replace, if these are the earlier ones, are kept in the folder returned."""
    from peerage.results import several_classes_results
    from peerage.results.saved_results import Result

    with several_classes_results.writing(target) as fresh:
        kept = None
        if target.resolve() == earlier.folder:
            # Other writers wait now, so nothing can come between this look and what follows.
            if Result.read(earlier.folder).record != earlier.record:
                raise ResultsError(f"{target}: these results were replaced meanwhile; run the update again")
            kept = result_folder.keep(result_folder.outermost(target))
        outputs.write(fresh)
    return kept


def _changes(before: dict[tuple[str, str], float], outputs: Outputs, named: set[str]) -> Iterator[Change]:
    """The grades that differ from the earlier ones or are new, those of submissions with new grades first."""
    from peerage.rubric import tidy

    table = outputs.tables["grades.csv"]
    rows = list(zip(table["submission"], table["component"], table["grade"], strict=True))
    for has_new in (True, False):
        for submission, component, grade in rows:
            was = before.get((submission, component))
            if (submission in named) == has_new and was != grade:
                yield Change(submission, component, None if was is None else tidy(was), grade, has_new)


def _show(changes: list[Change], before: Posterior, after: Posterior) -> None:
    more = after.book.n_grades - before.book.n_grades
    grades, reviews = counted(after.book.n_grades, "grade"), counted(after.book.n_reviews, "review")
    output().print(f"{grades} in {reviews}, {more:,} more than before.")
    new = after.book.n_submissions - before.book.n_submissions
    if new:
        output().print(f"{counted(new, 'submission')} {'is' if new == 1 else 'are'} new.")
    changed = [change for change in changes if change.before is not None]
    for has_new, where in ((True, "submissions with new grades"), (False, "other submissions")):
        _show_some([change for change in changed if change.has_new_grades == has_new], where)


def _show_some(changes: list[Change], where: str) -> None:
    console = output()
    if not changes:
        console.print(f"No grade of {where} changed.")
        return
    console.print(f"{counted(len(changes), 'grade')} of {where} changed:")
    for change in changes[:SHOWN]:
        what = f"{change.submission} in {change.component}: {change.before:g} → {change.after:g}"
        console.print(f"  {' '.join(what.split())}", soft_wrap=True)
    if len(changes) > SHOWN:
        console.print(f"  and {len(changes) - SHOWN:,} more; --json lists all")
