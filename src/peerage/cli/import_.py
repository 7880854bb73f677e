"""``peerage import``: other systems' files as peer_grades.csv and rubric.toml."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage import results
from peerage.canvas.store import pulled_files
from peerage.cli import options
from peerage.cli.console import output
from peerage.errors import InputError, Problem
from peerage.wording import counted

if TYPE_CHECKING:
    from peerage.gradebook import Gradebook

GRADES = "peer_grades.csv"

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE", help="Files of one class, as other systems export them, or what `canvas pull` wrote."
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")]
FormatName = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="The format of all files. Default: recognised from what they hold."),
]


def command(
    sources: Sources,
    out: Out,
    format_name: FormatName = None,
    rubric: options.RubricFile = None,
    columns: options.Columns = None,
    snap: options.Snap = False,
    duplicates: options.DuplicatesOption = options.Duplicates.ERROR,
) -> None:
    """Turn other systems' files into peer_grades.csv and rubric.toml, and say what was left out and why."""
    sources, format_name = _pulled(sources, format_name)
    results.check_target(out, [*sources, *([] if rubric is None else [rubric])])
    from peerage.formats import read_grades
    from peerage.formats.read import RUBRIC_NAME

    book = read_grades(
        sources,
        rubric,
        columns=options.parse_columns(columns),
        snap=snap,
        duplicates=duplicates.value,
        format_name=format_name,
    )
    with results.writing(out) as folder:
        book.write(folder / GRADES, rubric=True)
    show_kept(book)
    output().print(f"Written to {out}: {GRADES}, {RUBRIC_NAME}", soft_wrap=True)


def _pulled(sources: list[Path], format_name: str | None) -> tuple[list[Path], str | None]:
    """The files that are meant: a folder that ``peerage canvas pull`` wrote stands for what Canvas answered."""
    files = {source: pulled_files(source) if source.is_dir() else [source] for source in sources}
    for source, found in files.items():
        if not found:
            message = "is a folder, and not one that peerage canvas pull has written"
            raise InputError(Problem(message, "name the files in it", str(source)))
    if format_name is None and all(source.is_dir() for source in sources):
        format_name = "canvas-json"
    return [file for found in files.values() for file in found], format_name


def show_kept(book: Gradebook) -> None:
    """Print what was kept, and everything that was noticed."""
    from peerage.gradebook import ROLES

    console = output()
    for notice in book.notices:
        console.print(f"note: {notice}", soft_wrap=True)
    roles = ((int((book.roles == index).sum()), role) for index, role in enumerate(ROLES))
    graders = ", ".join(counted(number, role) for number, role in roles if number)
    kept = f"{counted(book.n_grades, 'grade')} in {counted(book.n_reviews, 'review')}"
    console.print(f"Kept {kept} of {counted(book.n_submissions, 'submission')} by {graders}.", soft_wrap=True)
    for component in book.rubric.components:
        console.print(f"  {component.name}: {component.legend}", soft_wrap=True)
