"""``peerage evaluate``: how well models predict reviews that they have not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli.options import data_options, sampling_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal.console import output, warn
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
    typer.Option("--methods", metavar="NAME,...", help="Other methods to compare, from docs/methods.md."),
]


@grouped
def command(
    *,
    grades: data_options.Grades,
    out: Out = None,
    data: data_options.DataOptions,
    folds: Folds = None,
    loo: Loo = False,
    methods: Methods = None,
    features: sampling_options.ModelOptions,
    length: sampling_options.LengthOptions,
    tasks: sampling_options.RunningOptions,
    as_json: data_options.Json = False,
) -> None:
    """Compare how well a model, its variants and simple baselines predict held-out reviews.

    Writes evaluation.csv, reviews.csv, tests.csv, a figure and a text that says what they mean.
    """
    if loo and folds is not None:
        raise typer.BadParameter("leave-one-out has no folds; give one of --loo and --folds", param_hint="--loo")
    out = grades[0].with_name(f"{grades[0].stem}-evaluation") if out is None else out
    result_folder.check_target(out, [*grades, *features.files(data.rubric, data.exclude)])
    from peerage.evaluation.evaluating import FOLDS, evaluate
    from peerage.evaluation.evaluation_files import record, write_evaluation
    from peerage.evaluation.figure_files import require_figures

    require_figures()
    book, model = sampling_options.with_fixed(data.read(grades), features.chosen(), features.fixed)
    warn(book.notices)
    others = [name.strip() for name in methods.split(",")] if methods else []
    folds, sampling, running = FOLDS if folds is None else folds, length.sampling(tasks.seed), tasks.running()
    found = evaluate(book, model, folds=folds, loo=loo, methods=others, sampling=sampling, running=running)
    names = write_evaluation(found, out)
    if as_json:
        typer.echo(json.dumps(record(found), indent=2))
        return
    console = output()
    console.print(*found.sentences, sep="\n")
    console.print(f"\nWritten to {out}: {', '.join(names)}", soft_wrap=True)
