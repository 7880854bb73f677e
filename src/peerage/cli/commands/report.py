"""``peerage report``: the page about a saved fit, and the pages that students may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli.options import data_options
from peerage.cli.terminal.console import output, warn
from peerage.results import result_folder
from peerage.support.words.wording import counted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.")]
ForStudent = Annotated[str | None, typer.Option("--for-student", metavar="ID", help="Write the page for this author.")]
ForStudents = Annotated[
    Path | None, typer.Option("--for-students", metavar="OUT", help="Write pages for all authors to this folder.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="The student's page. Default: named after the student, in this folder."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the student's page if it exists.")]


def command(
    folder: Folder,
    student: ForStudent = None,
    pages: ForStudents = None,
    out: Out = None,
    force: Force = False,
    as_json: data_options.Json = False,
) -> None:
    """Rebuild report.html from saved results, or write a page for each student."""
    if student is not None and pages is not None:
        raise typer.BadParameter("choose one student or all", param_hint="--for-students")
    if student is None and (out is not None or force):
        hint = "--force" if out is None else "--out"
        raise typer.BadParameter("is only for the page of one student; add --for-student ID", param_hint=hint)
    from peerage.results.results import Results
    from peerage.workflow.save_results import rewrite_report
    from peerage.workflow.student_pages import refuse_inside, write_student_page, write_student_pages

    found = result_folder.find(folder)
    home = result_folder.outermost(found)
    if pages is not None:
        refuse_inside(pages, home)
        result_folder.check_target(pages, [found / result_folder.MARKER])
    if student is None and pages is None:
        written = {"staff": rewrite_report(found)}
    else:
        results = Results.read(found)
        warn(results.changed)
        if student is not None:
            written = {student: write_student_page(results, student, out, force=force, apart_from=home)}
        elif pages is not None:
            written = write_student_pages(results, pages)
    if as_json:
        typer.echo(json.dumps({reader: str(path) for reader, path in written.items()}, indent=2))
    elif pages is None:
        output().print(*(f"Written to {path}" for path in written.values()), soft_wrap=True)
    else:
        output().print(f"Written to {pages}: {counted(len(written), 'page')}, one for each author", soft_wrap=True)
