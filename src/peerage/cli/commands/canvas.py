"""``peerage canvas``: peer reviews from Canvas, and grades back."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from peerage.canvas.place import PATIENCE, TOKEN_VARIABLE, Place
from peerage.canvas.store import RAW
from peerage.cli.commands.import_ import GRADES
from peerage.cli.options import data_options
from peerage.cli.terminal.console import never_print, output, say, warn
from peerage.cli.terminal.kept_grades import show_kept
from peerage.errors import InputError, MissingExtraError, Problem
from peerage.results import result_folder
from peerage.support.words.wording import counted

Url = Annotated[
    str, typer.Option("--url", metavar="ADDRESS", envvar="CANVAS_URL", help="The server: https://canvas.school.edu.")
]
CourseId = Annotated[int, typer.Option("--course", metavar="ID", help="The number in the course's address.")]
AssignmentId = Annotated[
    int, typer.Option("--assignment", metavar="ID", help="The number in the assignment's address.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that peerage fit has written.")]
Comment = Annotated[bool, typer.Option("--comment", help="Add the sentences that explain a grade as a comment.")]
CreditId = Annotated[
    int | None,
    typer.Option("--credit-assignment", metavar="ID", help="Write the marks for peer grading to this assignment."),
]
Only = Annotated[
    str | None, typer.Option("--only", metavar="NAME", help="The assignment to write, if the results have several.")
]
Yes = Annotated[
    bool, typer.Option("--yes", help="Write the grades. Without this, the command only shows what would change.")
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")]

app = typer.Typer(
    help=f"Fetch peer reviews from Canvas, or write grades. The access token is read from {TOKEN_VARIABLE}, or you are "
    "asked for it.",
    no_args_is_help=True,
)


@app.command("pull")
def pull_command(
    url: Url,
    course: CourseId,
    assignment: AssignmentId,
    out: Out,
    rubric: data_options.RubricFile = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
) -> None:
    """Fetch an assignment's peer reviews as peer_grades.csv and rubric.toml, with the raw JSON beside them."""
    result_folder.check_target(out, [] if rubric is None else [rubric])
    place = Place.of(url, course, assignment)
    with canvas_extra():
        from peerage.canvas.pull import pull
    partial = out.with_name(f"{out.name}.partial")
    with _kept(partial):
        files = pull(place, _token(), partial, PATIENCE, say)
        from peerage.formats import read_grades
        from peerage.rubric import RUBRIC_NAME

        book = read_grades(files, rubric, snap=snap, duplicates=duplicates.value, format_name="canvas-json", exclude=())
        with result_folder.writing(out) as folder:
            shutil.copytree(partial, folder / RAW)
            book.write(folder / GRADES, rubric=True)
        shutil.rmtree(partial)
    show_kept(book)
    output().print(f"Written to {out}: {GRADES}, {RUBRIC_NAME}, {RAW}", soft_wrap=True)


@app.command("push")
def push_command(
    folder: Folder,
    url: Url,
    course: CourseId,
    assignment: AssignmentId,
    comment: Comment = False,
    credit_assignment: CreditId = None,
    only: Only = None,
    yes: Yes = False,
) -> None:
    """Show what the final grades in DIR would change in Canvas and, with --yes, write them there."""
    places = [Place.of(url, course, assignment)]
    with canvas_extra():
        from peerage.canvas.push import Target
    from peerage.canvas.desired_grades import final_grades, peer_grading
    from peerage.results.results import Results

    results = Results.read(folder)
    found = [final_grades(results, only, comment)]
    if credit_assignment is not None:
        found.append(peer_grading(results))
        places.append(Place.of(url, course, credit_assignment))
    desired = [wanted for wanted, _ in found]
    for _, notices in found:
        warn(notices)
    token = _token()
    targets = [Target.of(place, token, PATIENCE, say) for place in places]
    plans = [target.plan(wanted) for target, wanted in zip(targets, desired, strict=True)]
    for plan in plans:
        output().print(*plan.lines(), sep="\n", soft_wrap=True)
    changes = sum(len(plan.changes) for plan in plans)
    if not changes:
        output().print("There is nothing to write.")
    elif not yes:
        output().print(f"Nothing was written. To write {counted(changes, 'change')}, add --yes.", soft_wrap=True)
    else:
        for target, wanted, plan in zip(targets, desired, plans, strict=True):
            target.write(wanted, plan)
        output().print(f"Written: {counted(changes, 'change')}.")


@contextmanager
def canvas_extra() -> Iterator[None]:
    """Say what to install where the modules that need canvasapi cannot be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("canvasapi", "requests"):
            raise
        raise MissingExtraError("Canvas", "canvas") from None


@contextmanager
def _kept(partial: Path) -> Iterator[None]:
    """Say, if a pull does not end well, that what it has fetched is kept."""
    try:
        yield
    except BaseException:
        if partial.exists():
            say(f"what was fetched is in {partial}; the same command continues from there")
        raise


def _token() -> str:
    """The token from the environment, or typed without being shown; from now on, it is never printed."""
    token = os.environ.get(TOKEN_VARIABLE, "")
    try:
        if not token and sys.stdin.isatty():
            token = getpass("Canvas access token (not shown): ", stream=sys.stderr)
    except EOFError:
        raise InputError(Problem("there is no Canvas token", f"set {TOKEN_VARIABLE}, or type it when asked")) from None
    never_print(token.strip())
    return token
