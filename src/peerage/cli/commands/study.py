"""``peerage study``: the paper's experiments on simulated classes, and ours."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli.options import data_options, sampling_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal.console import output, say
from peerage.errors import InputError, Problem

if TYPE_CHECKING:
    from peerage_studies.claims import Verdict

ALL = "all"

Name = Annotated[str, typer.Argument(metavar="NAME", help="A study, or all; an unknown name lists them.")]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write, or to continue in; all studies share it."),
]
Classes = Annotated[str, typer.Option(metavar="LETTERS", help="Which of the paper's classes (a), (b) and (c).")]
Replicates = Annotated[
    int | None, typer.Option(min=1, help="Simulated classes per point.", show_default="15; 3 if quick")
]
Quick = Annotated[bool, typer.Option("--quick", help="Small classes, few values and few replicates, in minutes.")]


@grouped
def command(
    *,
    name: Name,
    out: Out = Path("studies"),
    classes: Classes = "abc",
    replicates: Replicates = None,
    quick: Quick = False,
    tasks: sampling_options.RunningOptions,
    as_json: data_options.Json = False,
) -> None:
    """Repeat an experiment on simulated classes. A stopped study can be continued, even with more replicates.

    Writes a table (CSV), a figure (PNG and SVG), and a comparison with what the paper says (Markdown).
    """
    names: tuple[str, ...] = _studies().NAMES
    from peerage.evaluation.figure_files import require_figures
    from peerage_studies.running import run_study
    from peerage_studies.study_tables import verdicts
    from peerage_studies.write_up import write_up

    if name not in (*names, ALL):
        raise typer.BadParameter(f"there is no study {name!r}; choose one of {', '.join(names)}, or all")
    require_figures()
    chosen = names if name == ALL else (name,)
    found = {}
    try:
        for place, study in enumerate(chosen, start=1):
            if not tasks.quiet:
                say(f"{study} ({place} of {len(chosen)})" if len(chosen) > 1 else study)
            points: dict[str, Any] = {"classes": tuple(classes), "replicates": replicates, "quick": quick}
            table = run_study(study, out, **points, **tasks.settings())
            files = write_up(out, study)
            found[study] = verdicts(study, table)
            if not as_json:
                _show(study, found[study], out, files)
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        raise
    if as_json:
        typer.echo(
            json.dumps({study: [_entries(verdict) for verdict in rows] for study, rows in found.items()}, indent=2)
        )


def _studies() -> ModuleType:
    """The package of the studies, which a clone of the repository has and the installed program has not."""
    try:
        import peerage_studies
    except ModuleNotFoundError:
        remedy = "clone Peerage's repository and run `make install` there, or `pip install -e ./studies`"
        raise InputError(Problem("the studies are not part of the installed program", remedy)) from None
    return peerage_studies


def _show(study: str, found: list[Verdict], out: Path, files: list[str]) -> None:
    from peerage_studies.study_tables import summary

    console = output()
    console.print(*summary(study, found), sep="\n", soft_wrap=True)
    console.print(f"Written to {out}: {', '.join(files)}", soft_wrap=True)


def _entries(verdict: Verdict) -> dict[str, object]:
    return {
        "claim": verdict.claim.says,
        "paper": not verdict.claim.ours,
        "holds": verdict.holds,
        "measured": {name: finding.measured for name, finding in verdict.findings.items()},
        "why": verdict.why,
    }
