"""``peerage fit``: from a table of grades to a folder of results."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage import results
from peerage.cli import credit, decided, options, sampling
from peerage.cli.console import output, say, warn
from peerage.wording import counted

if TYPE_CHECKING:
    from peerage.gradebook import Gradebook
    from peerage.model import Model
    from peerage.outputs import Outputs


class Final(StrEnum):
    """Which grades the class is given."""

    EXPLAINED = "explained"
    MOST_LIKELY = "most-likely"


FinalOption = Annotated[
    Final,
    typer.Option("--final", help="The grades to give: rounded weighted averages of the reports, or the most likely."),
]
AdjustBias = Annotated[
    bool, typer.Option("--adjust-bias", help="Take graders' biases off their reports before these are averaged.")
]
NameGraders = Annotated[bool, typer.Option("--name-graders", help="Name the graders in explanations.csv.")]
StaffFinal = Annotated[
    bool, typer.Option("--staff-final", help="Where staff graded, their reports alone make the grade.")
]
SpotChecks = Annotated[int, typer.Option(min=0, help="How many submissions to propose to staff for a check.")]
RandomShare = Annotated[float, typer.Option(min=0, max=1, help="The share of these that is chosen at random.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write. Default: GRADES without its suffix."),
]


def command(
    grades: options.Grades,
    out: Out = None,
    rubric: options.RubricFile = None,
    columns: options.Columns = None,
    snap: options.Snap = False,
    duplicates: options.DuplicatesOption = options.Duplicates.ERROR,
    exclude: options.Exclude = None,
    until: options.Until = None,
    override: decided.OverrideFile = None,
    published: decided.PublishedFolder = None,
    republish: decided.Republish = False,
    pseudonyms: decided.Pseudonyms = None,
    no_bias: sampling.NoBias = False,
    no_effort: sampling.NoEffort = False,
    no_censoring: sampling.NoCensoring = False,
    correlation: sampling.Correlation = False,
    model_name: sampling.ModelName = None,
    priors: sampling.PriorsOption = "learned",
    fixed: sampling.FixedFile = None,
    final: FinalOption = Final.EXPLAINED,
    adjust_bias: AdjustBias = False,
    name_graders: NameGraders = False,
    staff_final: StaffFinal = False,
    spot_checks: SpotChecks = 20,
    random_share: RandomShare = 0.1,
    credit_scale: credit.ScaleOption = credit.SCALE,
    required_reviews: credit.RequiredReviews = 0,
    minimum_reviews: credit.MinimumReviews = 3,
    chains: sampling.Chains = 4,
    draws: sampling.Draws = 1000,
    burn_in: sampling.BurnIn = None,
    seed: sampling.Seed = 0,
    workers: sampling.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Estimate the grades of all submissions and how well everybody grades, and write them to a folder."""
    from peerage.decisions.choices import Choices
    from peerage.decisions.credit import Scale
    from peerage.model import Model

    choices = Choices(
        final=final.value,
        adjust_bias=adjust_bias,
        name_graders=name_graders,
        staff_final=staff_final,
        spot_checks=spot_checks,
        random_share=random_share,
        credit_scale=Scale.parse(credit_scale),
        required_reviews=required_reviews,
        minimum_reviews=minimum_reviews,
    )
    out = grades[0].with_suffix("") if out is None else out
    settings = [
        rubric,
        fixed,
        exclude,
        override,
        pseudonyms,
        None if priors in sampling.PRIORS_BY_NAME else Path(priors),
    ]
    results.check_target(out, [*grades, *(path for path in settings if path is not None)])
    if model_name is not None and (no_bias or no_effort or no_censoring or correlation):
        raise typer.BadParameter("a model that is chosen leaves no feature to be chosen by hand", param_hint="--model")
    handed_out = decided.read_published(published, republish)
    model = Model(
        bias=not no_bias,
        effort=not no_effort,
        censoring=not no_censoring,
        correlation=correlation,
        priors=sampling.load_priors(priors),
    )
    book = options.load_gradebook(grades, rubric, columns, snap, duplicates, exclude, until)
    book, model = with_fixed(book, model, fixed)
    book, overrides = decided.with_overrides(book, grades, override)
    warn(book.notices)
    key = None
    if pseudonyms is not None:
        book, model, overrides, key = decided.hidden(book, model, overrides, pseudonyms)
    book = decided.beside_published(book, handed_out, republish)
    from peerage.decisions.search import must_compile
    from peerage.fitting import fit, fit_chosen
    from peerage.outputs import Outputs

    fitted = fit if model_name is None else fit_chosen
    posterior = fitted(
        book, model, chains=chains, draws=draws, burn_in=burn_in, seed=seed, workers=workers, progress=not quiet
    )
    if final is Final.EXPLAINED and not quiet and must_compile():
        say("compiling the search for weights, once after installation …")
    kept = None if handed_out is None or republish else handed_out.handed_out
    outputs = Outputs.of(posterior, grades, choices, overrides=overrides, handed_out=kept)
    if handed_out is not None:
        outputs = handed_out.republished(outputs) if republish else handed_out.proposed(outputs)
    with results.writing(out) as folder:
        if key is not None and pseudonyms is not None:
            key.write(pseudonyms)
            outputs.record["pseudonyms"] = True
        outputs.write(folder)
    if as_json:
        typer.echo(json.dumps(outputs.record, indent=2))
    else:
        show(outputs, out)
    say_warnings(outputs)


def with_fixed(book: Gradebook, model: Model, path: Path | None) -> tuple[Gradebook, Model]:
    """The model with what the file fixes, and the gradebook with what was surprising about the file."""
    if path is None:
        return book, model
    from peerage.formats.fixed import read_fixed

    fixed, notices = read_fixed(path, book)
    return replace(book, notices=(*book.notices, *notices)), replace(model, fixed=fixed)


def show(outputs: Outputs, out: Path) -> None:
    """Print the summary of a fit and where its files are."""
    from peerage.cli import summary
    from peerage.outputs import CHECKS, GRADERS

    console = output()
    summary.show(outputs.posterior, console, outputs.final)
    if outputs.explanation is not None:
        different, total = outputs.explanation.n_different, len(outputs.explanation.grades)
        share = f"{different:,} of {counted(total, 'explained grade')} ({different / total:.0%})"
        console.print(f"\n{share} differ from the most likely ones.")
    console.print(*summary.attention(outputs.tables[CHECKS], outputs.tables[GRADERS]), sep="\n")
    decided.show(outputs, console)
    console.print(f"\nWritten to {out}: {', '.join(outputs.files)}", soft_wrap=True)


def say_warnings(outputs: Outputs) -> None:
    """Write to standard error what may be wrong with a fit."""
    for warning in outputs.warnings:
        say(f"warning: {warning}")
