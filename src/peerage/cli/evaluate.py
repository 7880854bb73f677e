"""``peerage evaluate``: how well models predict reviews that they have not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from peerage.cli import data_options, sampling_options
from peerage.cli.console import output, warn
from peerage.results import result_folder

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write. Default: GRADES-evaluation, beside GRADES."),
]
Folds = Annotated[
    int | None, typer.Option(min=2, help="How many folds the reviews are divided into.", show_default="10")
]
Loo = Annotated[bool, typer.Option("--loo", help="Leave-one-out from one fit of each model, instead of folds.")]

Methods = Annotated[
    str | None,
    typer.Option("--methods", metavar="NAME,...", help="Other methods to compare, of those in docs/methods.md."),
]


def command(
    grades: data_options.Grades,
    out: Out = None,
    rubric: data_options.RubricFile = None,
    columns: data_options.Columns = None,
    components: data_options.Components = None,
    drop: data_options.Drop = None,
    exact_ids: data_options.ExactIds = False,
    limits: data_options.Limits = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    exclude: data_options.Exclude = None,
    until: data_options.Until = None,
    folds: Folds = None,
    loo: Loo = False,
    methods: Methods = None,
    no_bias: sampling_options.NoBias = False,
    no_effort: sampling_options.NoEffort = False,
    no_censoring: sampling_options.NoCensoring = False,
    correlation: sampling_options.Correlation = False,
    merit: sampling_options.Merit = False,
    halo: sampling_options.Halo = False,
    priors: sampling_options.PriorsOption = "learned",
    fixed: sampling_options.FixedFile = None,
    chains: sampling_options.Chains = 4,
    draws: sampling_options.Draws = 1000,
    burn_in: sampling_options.BurnIn = None,
    seed: sampling_options.Seed = 0,
    workers: sampling_options.Fits = None,
    scheduler: sampling_options.Scheduler = None,
    quiet: data_options.Quiet = False,
    as_json: data_options.Json = False,
) -> None:
    """Compare how well a model, those that differ in one feature, and simple baselines predict reviews.

    Writes evaluation.csv, reviews.csv, tests.csv, a figure and a text that says what they mean.
    """
    if loo and folds is not None:
        raise typer.BadParameter("leave-one-out has no folds; give one of --loo and --folds", param_hint="--loo")
    out = grades[0].with_name(f"{grades[0].stem}-evaluation") if out is None else out
    result_folder.check_target(out, [*grades, *sampling_options.files_of(priors, rubric, fixed, exclude)])
    from peerage.evaluation.evaluating import FOLDS, evaluate
    from peerage.evaluation.evaluation_files import record, write
    from peerage.evaluation.figure_files import require_figures
    from peerage.results.provenance import InputFile

    require_figures()
    model = sampling_options.load_model(no_bias, no_effort, no_censoring, correlation, priors, merit=merit, halo=halo)
    book = data_options.load_gradebook(
        grades, rubric, columns, snap, duplicates, exclude, until, components, drop, exact_ids, limits
    )
    book, model = sampling_options.with_fixed(book, model, fixed)
    warn(book.notices)
    long: dict[str, Any] = {"chains": chains, "draws": draws, "burn_in": burn_in, "seed": seed}
    where: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "progress": not quiet}
    others = [name.strip() for name in methods.split(",")] if methods else []
    folds = FOLDS if folds is None else folds
    found = evaluate(book, model, folds=folds, loo=loo, methods=others, **long, **where)
    inputs = [InputFile.of(path) for path in grades]
    with result_folder.writing(out) as folder:
        names = write(found, folder, inputs)
    if as_json:
        typer.echo(json.dumps(record(found, inputs), indent=2))
        return
    console = output()
    console.print(*found.sentences, sep="\n")
    console.print(f"\nWritten to {out}: {', '.join(names)}", soft_wrap=True)
