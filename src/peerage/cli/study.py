"""``peerage study``: the paper's experiments on simulated classes, and ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli import options, sampling
from peerage.cli.console import output, say
from peerage.simulation.studies import NAMES

if TYPE_CHECKING:
    from peerage.simulation.studies.claims import Verdict

ALL = "all"

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"{', '.join(NAMES)}, or all.")]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write, or to go on with; all studies share it."),
]
Classes = Annotated[str, typer.Option(metavar="LETTERS", help="Which of the paper's classes (a), (b) and (c).")]
Replicates = Annotated[
    int | None, typer.Option(min=1, help="Simulated classes a point.", show_default="15; 3 if quick")
]
Quick = Annotated[bool, typer.Option("--quick", help="Small classes, few values and few replicates, in minutes.")]


def command(
    name: Name,
    out: Out = Path("studies"),
    classes: Classes = "abc",
    replicates: Replicates = None,
    quick: Quick = False,
    seed: sampling.Seed = 0,
    workers: sampling.Fits = None,
    scheduler: sampling.Scheduler = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Repeat an experiment on simulated classes; started again, it goes on, also with more replicates or classes.

    Writes a table (CSV), a figure (PNG and SVG) and what they show beside what the paper says (Markdown).
    """
    from peerage.evaluation.figures import require_figures
    from peerage.simulation.studies.run import run_study
    from peerage.simulation.studies.tables import verdicts
    from peerage.simulation.studies.writing import write_up

    if name not in (*NAMES, ALL):
        raise typer.BadParameter(f"there is no study {name!r}; choose one of {', '.join(NAMES)}, or all")
    require_figures()
    chosen = NAMES if name == ALL else (name,)
    found = {}
    try:
        for place, study in enumerate(chosen, start=1):
            if not quiet:
                say(f"{study} ({place} of {len(chosen)})" if len(chosen) > 1 else study)
            table = run_study(
                study,
                out,
                classes=tuple(classes),
                replicates=replicates,
                quick=quick,
                seed=seed,
                workers=workers,
                scheduler=scheduler,
                progress=not quiet,
            )
            files = write_up(out, study)
            found[study] = verdicts(study, table)
            if not as_json:
                _show(study, found[study], out, files)
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here")
        raise
    if as_json:
        typer.echo(
            json.dumps({study: [_entries(verdict) for verdict in rows] for study, rows in found.items()}, indent=2)
        )


def _show(study: str, found: list[Verdict], out: Path, files: list[str]) -> None:
    from peerage.simulation.studies.tables import summary

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
