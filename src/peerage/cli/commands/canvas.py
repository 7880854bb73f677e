"""``peerage canvas``: peer reviews from Canvas, and grades back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from peerage.canvas.place import PATIENCE, Place, checked_token
from peerage.canvas.store import RAW
from peerage.cli.options import data_options
from peerage.cli.setting_flags import TOKEN_VARIABLE
from peerage.cli.terminal.console import never_print, output, say, warn
from peerage.cli.terminal.kept_grades import show_kept
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
    from peerage.gradebook.writing import GRADES_NAME
    from peerage.rubric import RUBRIC_NAME
    from peerage.workflow.pull_from_canvas import pull_from_canvas, unfinished

    reading = data_options.ReadingOptions(snap=snap, duplicates=duplicates).reading()
    with _kept(unfinished(out)):
        book = pull_from_canvas(place, _token(), out, rubric, reading, patience=PATIENCE, report=say)
    show_kept(book)
    output().print(f"Written to {out}: {GRADES_NAME}, {RUBRIC_NAME}, {RAW}", soft_wrap=True)


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
    place = Place.of(url, course, assignment)
    credit = None if credit_assignment is None else Place.of(url, course, credit_assignment)
    from peerage.results.results import Results
    from peerage.workflow.push_to_canvas import desired_in_canvas, plan_push, push_to_canvas

    desired = desired_in_canvas(Results.read(folder), place, credit, only=only, with_comments=comment)
    warn(desired.notices)
    planned = plan_push(desired, _token(), patience=PATIENCE, report=say)
    for push in planned:
        output().print(*push.plan.lines(), sep="\n", soft_wrap=True)
    changes = sum(len(push.plan.changes) for push in planned)
    if not changes:
        output().print("There is nothing to write.")
    elif not yes:
        output().print(f"Nothing was written. To write {counted(changes, 'change')}, add --yes.", soft_wrap=True)
    else:
        push_to_canvas(planned)
        output().print(f"Written: {counted(changes, 'change')}.")


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
    if not token and sys.stdin.isatty():
        with suppress(EOFError):
            token = getpass("Canvas access token (not shown): ", stream=sys.stderr)
    never_print(token.strip())
    return checked_token(token)
