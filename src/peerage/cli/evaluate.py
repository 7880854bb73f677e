"""``peerage evaluate``: how well models predict reviews that they have not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage import results
from peerage.cli import options, sampling
from peerage.cli.console import output, warn
from peerage.cli.fit import with_fixed

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write. Default: GRADES-evaluation, beside GRADES."),
]
Folds = Annotated[
    int | None, typer.Option(min=2, help="How many parts the reviews are held out in.", show_default="10")
]
Loo = Annotated[bool, typer.Option("--loo", help="Leave-one-out from one fit of each model, instead of folds.")]


def command(
    grades: options.Grades,
    out: Out = None,
    rubric: options.RubricFile = None,
    columns: options.Columns = None,
    snap: options.Snap = False,
    duplicates: options.DuplicatesOption = options.Duplicates.ERROR,
    exclude: options.Exclude = None,
    until: options.Until = None,
    folds: Folds = None,
    loo: Loo = False,
    no_bias: sampling.NoBias = False,
    no_effort: sampling.NoEffort = False,
    no_censoring: sampling.NoCensoring = False,
    correlation: sampling.Correlation = False,
    priors: sampling.PriorsOption = "learned",
    fixed: sampling.FixedFile = None,
    chains: sampling.Chains = 4,
    draws: sampling.Draws = 1000,
    burn_in: sampling.BurnIn = None,
    seed: sampling.Seed = 0,
    workers: sampling.Fits = None,
    scheduler: sampling.Scheduler = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare a model with those that differ in one feature, and with simple baselines, by how they predict reviews.

    Writes evaluation.csv, reviews.csv, tests.csv, a figure and a text that says what they mean.
    """
    if loo and folds is not None:
        raise typer.BadParameter("leave-one-out has no folds; give one of --loo and --folds", param_hint="--loo")
    out = grades[0].with_name(f"{grades[0].stem}-evaluation") if out is None else out
    results.check_target(out, [*grades, *sampling.files_of(priors, rubric, fixed, exclude)])
    from peerage.evaluation.evaluate import FOLDS, evaluate
    from peerage.evaluation.figures import require_figures
    from peerage.evaluation.files import record, write

    require_figures()
    model = sampling.load_model(no_bias, no_effort, no_censoring, correlation, priors)
    book = options.load_gradebook(grades, rubric, columns, snap, duplicates, exclude, until)
    book, model = with_fixed(book, model, fixed)
    warn(book.notices)
    found = evaluate(
        book,
        model,
        folds=FOLDS if folds is None else folds,
        loo=loo,
        chains=chains,
        draws=draws,
        burn_in=burn_in,
        seed=seed,
        workers=workers,
        scheduler=scheduler,
        progress=not quiet,
    )
    with results.writing(out) as folder:
        names = write(found, folder, grades)
    if as_json:
        typer.echo(json.dumps(record(found, grades), indent=2))
        return
    console = output()
    console.print(*found.sentences, sep="\n")
    console.print(f"\nWritten to {out}: {', '.join(names)}", soft_wrap=True)
