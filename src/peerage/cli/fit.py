"""``peerage fit``: from a table of grades to a folder of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli import credit, data_options, fit_classes, panels, sampling_options, staff_options
from peerage.cli.console import output
from peerage.cli.project_file import PROJECT
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.decisions.choices import DecisionChoices
    from peerage.model import Model
    from peerage.workflow.fit_plan import FitPlan, SamplingPlan


class Final(StrEnum):
    """Which grades the class is given."""

    AVERAGE = "average"
    EXPLAINED = "explained"
    MOST_LIKELY = "most-likely"
    MEAN = "mean"


FinalOption = Annotated[
    Final,
    typer.Option(
        "--final",
        help="The grades to give: weighted averages of the reports; the same, rounded to legal grades (explained); the "
        "most likely grades; or plain means.",
    ),
]
AdjustBias = Annotated[
    bool,
    typer.Option(
        "--adjust-bias",
        help="Subtract graders' biases from their reports before averaging.",
        rich_help_panel=panels.DECISIONS,
    ),
]
NameGraders = Annotated[
    bool, typer.Option("--name-graders", help="Name the graders in explanations.csv.", rich_help_panel=panels.DECISIONS)
]
Decimals = Annotated[
    int,
    typer.Option(
        min=0, max=6, help="With how many decimals to give averages and means.", rich_help_panel=panels.DECISIONS
    ),
]
StaffFinal = Annotated[
    bool,
    typer.Option(
        "--staff-final/--no-staff-final",
        help="Where staff graded, their grade is final, or one of several.",
        rich_help_panel=panels.DECISIONS,
    ),
]
SpotChecks = Annotated[int, typer.Option(min=0, help="How many submissions to propose to staff for a check.")]
RandomShare = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="The share of spot checks that is chosen at random.", rich_help_panel=panels.DECISIONS
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write. Default: named after GRADES."),
]


def command(
    grades: data_options.ProjectGrades = None,
    out: Out = None,
    rubric: data_options.RubricFile = None,
    columns: data_options.Columns = None,
    exclude: data_options.Exclude = None,
    final: FinalOption = Final.AVERAGE,
    published: staff_options.PublishedFolder = None,
    spot_checks: SpotChecks = 20,
    required_reviews: credit.RequiredReviews = "0",
    seed: sampling_options.Seed = 0,
    quiet: data_options.Quiet = False,
    components: data_options.Components = None,
    drop: data_options.Drop = None,
    exact_ids: data_options.ExactIds = False,
    limits: data_options.Limits = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    until: data_options.Until = None,
    by: data_options.By = None,
    model_name: sampling_options.ModelName = None,
    no_bias: sampling_options.NoBias = False,
    no_effort: sampling_options.NoEffort = False,
    no_censoring: sampling_options.NoCensoring = False,
    correlation: sampling_options.Correlation = False,
    merit: sampling_options.Merit = False,
    halo: sampling_options.Halo = False,
    priors: sampling_options.PriorsOption = "learned",
    ta_spread: sampling_options.TaSpread = sampling_options.LEARNED,
    fixed: sampling_options.FixedFile = None,
    decimals: Decimals = 1,
    staff_final: StaffFinal = True,
    adjust_bias: AdjustBias = False,
    name_graders: NameGraders = False,
    random_share: RandomShare = 0.1,
    credit_scale: credit.ScaleOption = credit.SCALE,
    minimum_reviews: credit.MinimumReviews = 3,
    override: staff_options.OverrideFile = None,
    republish: staff_options.Republish = False,
    chains: sampling_options.Chains = 4,
    draws: sampling_options.DrawsOrTarget = None,
    target_ess: sampling_options.TargetEss = None,
    burn_in: sampling_options.BurnIn = None,
    workers: sampling_options.Workers = None,
    memory: sampling_options.Memory = 1.0,
    pseudonyms: staff_options.Pseudonyms = None,
    as_json: data_options.Json = False,
) -> None:
    """Estimate the grades of all submissions and how well everyone grades, and write them to a folder."""
    grades = data_options.named_grades(grades)
    marks = credit.marking(credit_scale, required_reviews, minimum_reviews)
    choices = _choices(final, decimals, adjust_bias, name_graders, staff_final, spot_checks, random_share, marks)
    out = grades[0].with_suffix("") if out is None else out
    given = sampling_options.files_of(priors, rubric, fixed, exclude, override, pseudonyms)
    result_folder.check_target(out, [*grades, *given])
    if model_name is not None and (no_bias or no_effort or no_censoring or correlation or merit or halo):
        raise typer.BadParameter(
            "with an automatic choice of model, no feature can be chosen by hand", param_hint="--model"
        )
    staff_options.say_forgotten(out, grades)
    kept = staff_options.handed_out(published, replaced=republish)
    if republish and not kept:
        raise typer.BadParameter("name the published results with --published", param_hint="--republish")
    model = sampling_options.load_model(no_bias, no_effort, no_censoring, correlation, priors, ta_spread, merit, halo)
    sampling = sampling_options.sampling(chains, draws, target_ess, burn_in, seed, workers, memory, quiet)
    plan = _plan(model, model_name is not None, choices, sampling, republish)
    files = staff_options.StaffFiles.of(grades, override, fixed, kept, pseudonyms)
    books = data_options.load_classes(
        grades, rubric, columns, snap, duplicates, exclude, until, by, False, components, drop, exact_ids, limits
    )
    record = fit_classes.fit_and_show(books, by, plan, files, out, shown=not as_json)
    if as_json:
        typer.echo(json.dumps(record, indent=2))
    elif Path(PROJECT).is_file():
        output().print(f"Once students have these grades, run: peerage publish {out}", soft_wrap=True)


def _choices(
    final: Final,
    decimals: int,
    adjust_bias: bool,
    name_graders: bool,
    staff_final: bool,
    spot_checks: int,
    random_share: float,
    marks: Mapping[str, Any],
) -> DecisionChoices:
    """What is made of the posterior."""
    from peerage.decisions.choices import DecisionChoices

    return DecisionChoices(
        final=final.value,
        decimals=decimals,
        adjust_bias=adjust_bias,
        name_graders=name_graders,
        staff_final=staff_final,
        spot_checks=spot_checks,
        random_share=random_share,
        **marks,
    )


def _plan(
    model: Model, choose_model: bool, choices: DecisionChoices, sampling: SamplingPlan, republish: bool
) -> FitPlan:
    """How every class is fitted."""
    from peerage.workflow.fit_plan import FitPlan

    return FitPlan(model, choose_model, choices, sampling, republish)
