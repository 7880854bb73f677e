"""``peerage fit``: from a table of grades to a folder of results."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli import credit, data_options, fit_classes, sampling_options, staff_options
from peerage.results import result_folder


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
    grades: data_options.Grades,
    out: Out = None,
    rubric: data_options.RubricFile = None,
    columns: data_options.Columns = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    exclude: data_options.Exclude = None,
    until: data_options.Until = None,
    by: data_options.By = None,
    override: staff_options.OverrideFile = None,
    published: staff_options.PublishedFolder = None,
    republish: staff_options.Republish = False,
    pseudonyms: staff_options.Pseudonyms = None,
    no_bias: sampling_options.NoBias = False,
    no_effort: sampling_options.NoEffort = False,
    no_censoring: sampling_options.NoCensoring = False,
    correlation: sampling_options.Correlation = False,
    model_name: sampling_options.ModelName = None,
    priors: sampling_options.PriorsOption = "learned",
    fixed: sampling_options.FixedFile = None,
    final: FinalOption = Final.EXPLAINED,
    adjust_bias: AdjustBias = False,
    name_graders: NameGraders = False,
    staff_final: StaffFinal = False,
    spot_checks: SpotChecks = 20,
    random_share: RandomShare = 0.1,
    credit_scale: credit.ScaleOption = credit.SCALE,
    required_reviews: credit.RequiredReviews = 0,
    minimum_reviews: credit.MinimumReviews = 3,
    chains: sampling_options.Chains = 4,
    draws: sampling_options.DrawsOrTarget = None,
    target_ess: sampling_options.TargetEss = None,
    burn_in: sampling_options.BurnIn = None,
    seed: sampling_options.Seed = 0,
    workers: sampling_options.Workers = None,
    memory: sampling_options.Memory = 1.0,
    quiet: data_options.Quiet = False,
    as_json: data_options.Json = False,
) -> None:
    """Estimate the grades of all submissions and how well everybody grades, and write them to a folder."""
    from peerage.decisions.choices import Choices
    from peerage.decisions.credit import Scale
    from peerage.inference.fitting import DEFAULT_DRAWS
    from peerage.workflow.fit_plan import FitPlan, Sampling

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
    result_folder.check_target(
        out, [*grades, *sampling_options.files_of(priors, rubric, fixed, exclude, override, pseudonyms)]
    )
    if model_name is not None and (no_bias or no_effort or no_censoring or correlation):
        raise typer.BadParameter("a model that is chosen leaves no feature to be chosen by hand", param_hint="--model")
    if draws is not None and target_ess is not None:
        raise typer.BadParameter("give a number of draws or a target of effective ones", param_hint="--target-ess")
    if republish and published is None:
        raise typer.BadParameter("name the results that were handed out with --published", param_hint="--republish")
    plan = FitPlan(
        model=sampling_options.load_model(no_bias, no_effort, no_censoring, correlation, priors),
        choose_model=model_name is not None,
        choices=choices,
        sampling=Sampling(
            chains=chains,
            draws=DEFAULT_DRAWS if draws is None else draws,
            target_ess=target_ess,
            burn_in=burn_in,
            seed=seed,
            workers=workers,
            memory=memory,
            progress=not quiet,
        ),
        republish=republish,
    )
    files = staff_options.StaffFiles.of(grades, override, fixed, published, pseudonyms)
    books = data_options.load_classes(grades, rubric, columns, snap, duplicates, exclude, until, by)
    record = (
        fit_classes.fit_one(books[""], plan, files, out, shown=not as_json)
        if by is None
        else fit_classes.fit_all(books, by, plan, files, out, shown=not as_json)
    )
    if as_json:
        typer.echo(json.dumps(record, indent=2))
