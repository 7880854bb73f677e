"""``peerage check``: what was understood of a table of grades, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import typer

from peerage.cli.options import data_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.setting_flags import as_line
from peerage.cli.terminal.console import output
from peerage.errors import InputError, Problem
from peerage.support.words.wording import counted, listed


@grouped
def command(
    *,
    grades: data_options.ProjectGrades = None,
    data: data_options.DataOptions,
    by: data_options.By = None,
    as_json: data_options.Json = False,
) -> None:
    """Show how GRADES was understood and what is wrong with it, without fitting."""
    grades = data_options.named_grades(grades)
    try:
        books = data.read_classes(grades, by)
    except InputError as error:
        if as_json:
            typer.echo(json.dumps({"ok": False, "problems": [asdict(problem) for problem in error.problems]}, indent=2))
            raise typer.Exit(2) from None
        raise
    from peerage.gradebook.class_summary import class_summary

    facts = {name: class_summary(book) for name, book in books.items()}
    if as_json:
        found = facts[""] if by is None else {"by": by, "classes": facts}
        typer.echo(json.dumps({"ok": True, **found}, indent=2))
        return
    from peerage.formats.several_classes import common_notices

    common = common_notices(book.notices for book in books.values())
    for name, book in books.items():
        if by is not None:
            output().print(f"{by} {name!r}:\n", soft_wrap=True)
        _show(facts[name])
        _show_notices([notice for notice in book.notices if notice not in common])
    _show_notices(common)
    output().print("This can be fitted.", soft_wrap=True)


def _show(facts: dict[str, Any]) -> None:
    from rich.table import Table

    console = output()
    overview = Table(box=None, show_header=False, pad_edge=False)
    for name, text in _lines(facts):
        overview.add_row(name, text)
    console.print(overview)
    scales = Table("component", "legal grades", "graded", "mean", box=None, pad_edge=False)
    for name, component in facts["rubric"].items():
        mean = "" if component["mean"] is None else f"{component['mean']:.2f}"
        scales.add_row(name, component["legend"], f"{component['graded']:,}", mean)
    console.print("", scales, "", sep="\n")


def _show_notices(notices: Sequence[Problem]) -> None:
    for notice in notices:
        output().print(f"note: {as_line(notice)}", soft_wrap=True)
    if notices:
        output().print()


def _lines(facts: dict[str, Any]) -> Iterable[tuple[str, str]]:
    yield "grades", f"{facts['grades']:,} in {counted(facts['reviews'], 'review')}"
    yield "submissions", f"{facts['submissions']:,}"
    yield "graders", ", ".join(counted(number, role) for role, number in facts["roles"].items() if number)
    if facts["assignments"]:
        sizes = listed(f"{name} ({number:,})" for name, number in facts["assignments"].items())
        yield "assignments", f"{len(facts['assignments']):,}: {sizes}"
    yield "reviews per grader", _range(facts["reviews_per_grader"])
    yield "reviews per submission", _range(facts["reviews_per_submission"])
    yield "coverage", f"{facts['coverage']:.1%} of the components that reviewers could grade"
    several, mixed = facts["submissions_with_several_graders"], facts["submissions_with_students_and_staff"]
    yield "overlap", f"{several:,} submissions with two or more graders, {mixed:,} with both students and staff"
    connected = "all graders are connected" if facts["parts"] == 1 else f"{facts['parts']:,} unconnected parts"
    yield "connectedness", connected


def _range(spread: dict[str, float]) -> str:
    if spread["least"] == spread["most"]:
        return f"{spread['least']:,}"
    return f"median {spread['median']:g}, from {spread['least']:,} to {spread['most']:,}"
