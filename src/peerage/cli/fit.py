"""``peerage fit``: from a table of grades to a folder of results."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage import results
from peerage.cli import classes, credit, decided, options, sampling
from peerage.cli.console import output, say, warn
from peerage.wording import counted

if TYPE_CHECKING:
    from peerage.cli.plan import Plan
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
    by: options.By = None,
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
    draws: sampling.DrawsOrTarget = None,
    target_ess: sampling.TargetEss = None,
    burn_in: sampling.BurnIn = None,
    seed: sampling.Seed = 0,
    workers: sampling.Workers = None,
    memory: sampling.Memory = 1.0,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Estimate the grades of all submissions and how well everybody grades, and write them to a folder."""
    from peerage.decisions.choices import Choices
    from peerage.decisions.credit import Scale
    from peerage.fitting import DEFAULT_DRAWS

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
    results.check_target(out, [*grades, *sampling.files_of(priors, rubric, fixed, exclude, override, pseudonyms)])
    if model_name is not None and (no_bias or no_effort or no_censoring or correlation):
        raise typer.BadParameter("a model that is chosen leaves no feature to be chosen by hand", param_hint="--model")
    if draws is not None and target_ess is not None:
        raise typer.BadParameter("give a number of draws or a target of effective ones", param_hint="--target-ess")
    if republish and published is None:
        raise typer.BadParameter("name the results that were handed out with --published", param_hint="--republish")
    model = sampling.load_model(no_bias, no_effort, no_censoring, correlation, priors)
    from peerage.cli.plan import Plan
    from peerage.pseudonyms import Key

    plan = Plan(
        grades=grades,
        model=model,
        chosen=model_name is not None,
        choices=choices,
        sampling={
            "chains": chains,
            "draws": DEFAULT_DRAWS if draws is None else draws,
            "target_ess": target_ess,
            "burn_in": burn_in,
            "seed": seed,
            "workers": workers,
            "memory": memory,
            "progress": not quiet,
        },
        override=override,
        fixed=fixed,
        key=None if pseudonyms is None else Key.read(pseudonyms),
        key_file=pseudonyms,
        republish=republish,
    )
    books = options.load_classes(grades, rubric, columns, snap, duplicates, exclude, until, by)
    if by is None:
        record = _fit_one(plan, books[""], published, out, shown=not as_json)
    else:
        record = classes.fit_all(plan, by, books, published, out, shown=not as_json)
    if as_json:
        typer.echo(json.dumps(record, indent=2))


def _fit_one(plan: Plan, book: Gradebook, published: Path | None, out: Path, *, shown: bool) -> Mapping[str, Any]:
    """Fit a class, write its results, and return the record of it."""
    from peerage.term.published import Published

    prepared = plan.prepare(book, None if published is None else Published.read(published))
    warn(prepared.said)
    outputs = plan.outputs(prepared)
    with results.writing(out) as folder:
        plan.write_key()
        outputs.write(folder)
    if shown:
        show(outputs, out)
    say_warnings(outputs)
    return outputs.record


def with_fixed(
    book: Gradebook, model: Model, path: Path | None, elsewhere: Collection[str] = ()
) -> tuple[Gradebook, Model]:
    """The model with what the file fixes, and the gradebook with what was surprising about the file.

    Rows about ids that are only found ``elsewhere``, in other classes, are passed over.
    """
    if path is None:
        return book, model
    from peerage.formats.fixed import read_fixed

    fixed, notices = read_fixed(path, book, elsewhere)
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


def say_warnings(outputs: Outputs, where: str = "") -> None:
    """Write to standard error what may be wrong with a fit, and of which class, if there are several."""
    for warning in outputs.warnings:
        say(f"warning: {where}{warning}")
