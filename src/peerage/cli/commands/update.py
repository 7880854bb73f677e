"""``peerage update``: grades added to a fitted class, or corrected, without fitting it anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options, sampling_options, staff_options
from peerage.cli.print_results import say_warnings
from peerage.cli.setting_flags import with_flag
from peerage.cli.terminal.console import output, warn
from peerage.results import result_folder
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    from peerage.inference.posterior import Posterior
    from peerage.workflow.update_class import Updated, UpdatedGrade

SHOWN = 10
"""How many changed grades of a kind are printed."""

Folder = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="A result folder, which is replaced; the earlier results are kept beside it."),
]
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
    """Add or correct grades of a fitted class, such as a TA's after a spot check, and say which grades change."""
    found = result_folder.find(folder)
    target = folder if out is None else out
    result_folder.check_target(result_folder.outermost(folder) if out is None else out, grades)
    from peerage.results.results import Results
    from peerage.workflow.save_results import files_of, replace_results, write_results
    from peerage.workflow.update_class import read_new_grades, update_class

    earlier = Results.read(found)
    options = data_options.ReadingOptions(columns=columns, snap=snap, duplicates=duplicates)
    new, left_out = read_new_grades(earlier, grades, options.reading())
    warn(left_out)
    published = staff_options.handed_out_of_class(earlier.record.get("class"))
    updated = update_class(
        earlier, new, published=published, draws=draws, burn_in=burn_in, workers=workers, progress=not quiet
    )
    warn(updated.notices)
    kept = None
    if target.resolve() == found:
        kept = replace_results(updated.results, earlier, target)
    else:
        write_results(updated.results, target)
    if as_json:
        named = {"written": str(target), "previous": None if kept is None else str(kept)}
        level = dict(zip(("before", "after"), updated.level, strict=True))
        changes = [change._asdict() for change in updated.changes]
        typer.echo(json.dumps(named | {"excess_over_staff": level, "changes": changes}, indent=2))
    else:
        _show(updated, earlier.posterior)
        staff_options.show(updated.results, output())
        output().print(f"\nWritten to {target}: {', '.join(files_of(updated.results))}", soft_wrap=True)
        if kept is not None:
            output().print(f"The earlier results are in {kept}", soft_wrap=True)
    say_warnings(updated.results)


def _show(updated: Updated, before: Posterior) -> None:
    from peerage.decisions.staff_grades import change_of_level

    after = updated.results.posterior
    more = after.book.n_grades - before.book.n_grades
    grades, reviews = counted(after.book.n_grades, "grade"), counted(after.book.n_reviews, "review")
    output().print(f"{grades} in {reviews}, {more:,} more than before.")
    new = after.book.n_submissions - before.book.n_submissions
    if new:
        output().print(f"{counted(new, 'submission')} {'is' if new == 1 else 'are'} new.")
    level = change_of_level(*updated.level)
    if level:
        moved_now = updated.level[1] != 0
        output().print(with_flag(level, "staff_level") if moved_now else level)
    changed = [change for change in updated.changes if change.before is not None]
    for has_new, where in ((True, "submissions with new grades"), (False, "other submissions")):
        _show_some([change for change in changed if change.has_new_grades == has_new], where)


def _show_some(changes: Sequence[UpdatedGrade], where: str) -> None:
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
