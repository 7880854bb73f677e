"""``peerage report``: the page about a saved fit, and the pages that students may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli import data_options
from peerage.cli.console import output
from peerage.errors import ResultsError
from peerage.results import result_folder
from peerage.support.atomic import replacing
from peerage.support.wording import counted

if TYPE_CHECKING:
    from peerage.report.report_source import Fitted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
ForStudent = Annotated[
    str | None, typer.Option("--for-student", metavar="ID", help="Write the page that this author may see.")
]
ForStudents = Annotated[
    Path | None, typer.Option("--for-students", metavar="OUT", help="Write such pages for all authors to this folder.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The student's page. Default: named after the student, here."),
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
    """Write report.html anew from a saved fit; or pages for students, each about its reader alone."""
    if student is not None and pages is not None:
        raise typer.BadParameter("choose one student or all", param_hint="--for-students")
    if student is None and (out is not None or force):
        raise typer.BadParameter(
            "only the page of one student (--for-student) has a file to choose", param_hint="--out"
        )
    found = result_folder.find(folder)
    if pages is not None:
        _refuse_inside(pages, result_folder.outermost(found))
        result_folder.check_target(pages, [found / result_folder.MARKER])
    from peerage.report.pages import rewrite
    from peerage.report.report_source import Fitted

    if student is not None:
        written = {student: _write_one(Fitted.read(found), student, out, result_folder.outermost(found), force)}
    elif pages is not None:
        written = _write_all(Fitted.read(found), pages)
    else:
        written = rewrite(found)
    if as_json:
        typer.echo(json.dumps({reader: str(path) for reader, path in written.items()}, indent=2))
    elif pages is None:
        output().print(*(f"Written to {path}" for path in written.values()), soft_wrap=True)
    else:
        output().print(f"Written to {pages}: {counted(len(written), 'page')}, one for each author", soft_wrap=True)


def _write_one(fitted: Fitted, student: str, out: Path | None, folder: Path, force: bool) -> Path:
    from peerage.report.pages import student_html
    from peerage.report.student_page import file_name

    target = Path(file_name(fitted, student)) if out is None else out
    _refuse_inside(target, folder)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ResultsError(f"{target}: a page is a file that ends in .html; name one")
    if target.is_dir():
        raise ResultsError(f"{target}: this is a folder; name a file")
    if target.exists() and not force:
        raise ResultsError(f"{target}: this file exists; name another, or replace it with --force")
    text = student_html(fitted, student)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            part.write_bytes(text.encode())
    except OSError as error:
        raise ResultsError(f"{target}: cannot be written ({error.strerror or error}); name another file") from error
    return target


def _write_all(fitted: Fitted, out: Path) -> dict[str, Path]:
    from peerage.report.pages import student_files, student_html

    files = student_files(fitted)
    texts = {name: student_html(fitted, student) for student, name in files.items()}
    with result_folder.writing(out) as folder:
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode())
    return {student: out / name for student, name in files.items()}


def _refuse_inside(target: Path, folder: Path) -> None:
    if target.resolve().is_relative_to(folder):
        raise ResultsError(f"{target}: this is in the folder of results, which holds nothing else; name another place")
