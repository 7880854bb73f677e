"""``peerage fit``: from a table of grades to a folder of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli import fit_and_show
from peerage.cli.options import data_options, decision_options, sampling_options, staff_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.project_file import PROJECT
from peerage.cli.terminal.console import output
from peerage.results import result_folder

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="The folder to write. Default: named after GRADES."),
]


@grouped
def command(
    *,
    grades: data_options.ProjectGrades = None,
    out: Out = None,
    data: data_options.DataOptions,
    by: data_options.By = None,
    model_name: sampling_options.ModelName = None,
    features: sampling_options.ModelOptions,
    decisions: decision_options.DecisionOptions,
    staff: staff_options.StaffOptions,
    sampling: sampling_options.SamplingOptions,
    pseudonyms: staff_options.Pseudonyms = None,
    as_json: data_options.Json = False,
) -> None:
    """Estimate the grades of all submissions and how well everyone grades, and write them to a folder."""
    grades = data_options.named_grades(grades)
    choices = decisions.choices()
    out = grades[0].with_suffix("") if out is None else out
    named = features.files(data.rubric, data.exclude, staff.override, pseudonyms)
    result_folder.check_target(out, [*grades, *named])
    if model_name is not None and features.any_chosen:
        raise typer.BadParameter(
            "the model is chosen automatically; leave out options that switch features on or off", param_hint="--model"
        )
    staff_options.say_forgotten(out, grades)
    kept = staff_options.handed_out(staff.published, replaced=staff.republish)
    if staff.republish and not kept:
        raise typer.BadParameter("name the published results with --published", param_hint="--republish")
    from peerage.workflow.fit_plan import FitPlan

    plan = FitPlan(features.chosen(), model_name is not None, choices, sampling.plan(), staff.republish)
    files = staff_options.StaffFiles(grades, staff.override, features.fixed, kept, pseudonyms)
    record = fit_and_show.fit_and_show(data.read_classes(grades, by), by, plan, files, out, shown=not as_json)
    if as_json:
        typer.echo(json.dumps(record, indent=2))
    elif Path(PROJECT).is_file():
        output().print(f"Once students have these grades, run: peerage publish {out}", soft_wrap=True)
