"""Options that the commands that sample share: which model to fit, and how long to sample."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli import panels

if TYPE_CHECKING:
    from peerage.gradebook.book import Gradebook
    from peerage.model import Model, Priors
    from peerage.workflow.fit_plan import SamplingPlan

PRIORS_BY_NAME = ("paper", "learned")

NoBias = Annotated[
    bool, typer.Option("--no-bias", help="Graders are neither severe nor lenient.", rich_help_panel=panels.MODEL)
]
NoEffort = Annotated[
    bool, typer.Option("--no-effort", help="Every review was made with effort.", rich_help_panel=panels.MODEL)
]
NoCensoring = Annotated[
    bool,
    typer.Option(
        "--no-censoring", help="Treat reports as exact numbers, not as rounded.", rich_help_panel=panels.MODEL
    ),
]
Correlation = Annotated[
    bool,
    typer.Option(
        "--correlation", help="Authors of good work grade more reliably. Needs authors.", rich_help_panel=panels.MODEL
    ),
]
Merit = Annotated[
    bool,
    typer.Option(
        "--merit", help="Experimental: a submission's components have merit in common.", rich_help_panel=panels.MODEL
    ),
]
Halo = Annotated[
    bool,
    typer.Option(
        "--halo", help="Experimental: the errors of a review's components go together.", rich_help_panel=panels.MODEL
    ),
]


class Chosen(StrEnum):
    """Models that are chosen for the class."""

    AUTO = "auto"


ModelName = Annotated[
    Chosen | None,
    typer.Option(
        "--model",
        help="Compare models with and without bias and effort, and use the simplest that predicts as well as any.",
        rich_help_panel=panels.MODEL,
    ),
]
PriorsOption = Annotated[
    str,
    typer.Option(
        "--priors",
        metavar="learned|paper|FILE",
        help="Learned from the class, the paper's, or those in a TOML file.",
        rich_help_panel=panels.MODEL,
    ),
]
LEARNED = "learned"
TaSpread = Annotated[
    str,
    typer.Option(
        metavar="learned|students|NUMBER",
        help="How much TAs' biases differ: learned, as much as the students', or a number.",
        rich_help_panel=panels.MODEL,
    ),
]
FixedFile = Annotated[
    Path | None,
    typer.Option(
        "--fixed",
        metavar="FILE",
        help="Known values: a table of variable, id, component, value.",
        rich_help_panel=panels.MODEL,
    ),
]
Chains = Annotated[
    int, typer.Option(min=1, help="How many independent chains are run.", rich_help_panel=panels.SAMPLING)
]
Draws = Annotated[int, typer.Option(min=1, help="How many draws each chain keeps.", rich_help_panel=panels.SAMPLING)]
DrawsOrTarget = Annotated[
    int | None,
    typer.Option(
        "--draws",
        min=1,
        help="How many draws each chain keeps.",
        show_default="until chains agree",
        rich_help_panel=panels.SAMPLING,
    ),
]
TargetEss = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Draw until every grade, grader and prior has this many effective draws; not with --draws.",
        rich_help_panel=panels.SAMPLING,
    ),
]
BurnIn = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="How many draws each chain discards first.",
        show_default="until chains have settled",
        rich_help_panel=panels.SAMPLING,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many chains run at the same time.",
        show_default="one per processor",
        rich_help_panel=panels.SAMPLING,
    ),
]
Fits = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="How many fits run at the same time.",
        show_default="one per processor",
        rich_help_panel=panels.SAMPLING,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="tcp://HOST:PORT",
        help="Run the fits on the Dask cluster of this scheduler.",
        rich_help_panel=panels.SAMPLING,
    ),
]
Memory = Annotated[
    float,
    typer.Option(
        metavar="GB",
        help="Gigabytes that draws may take; if that is too little, only some are kept.",
        rich_help_panel=panels.SAMPLING,
    ),
]


def load_priors(text: str) -> Priors | str:
    """The priors of a name, or those in the file at a path."""
    from peerage.model import Priors

    return text if text in PRIORS_BY_NAME else Priors.read(text)


def load_model(
    no_bias: bool,
    no_effort: bool,
    no_censoring: bool,
    correlation: bool,
    priors: str,
    ta_spread: str = LEARNED,
    merit: bool = False,
    halo: bool = False,
) -> Model:
    """The model that options describe."""
    from peerage.model import Model

    return Model(
        bias=not no_bias,
        effort=not no_effort,
        censoring=not no_censoring,
        correlation=correlation,
        priors=load_priors(priors),
        ta_spread=_number_or_word(ta_spread),
        merit=merit,
        halo=halo,
    )


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def sampling(
    chains: int,
    draws: int | None,
    target_ess: int | None,
    burn_in: int | None,
    seed: int,
    workers: int | None,
    memory: float,
    quiet: bool,
) -> SamplingPlan:
    """How long to sample, as options describe it."""
    if draws is not None and target_ess is not None:
        raise typer.BadParameter(
            "give a number of draws or a target of effective draws, not both", param_hint="--target-ess"
        )
    from peerage.workflow.fit_plan import SamplingPlan

    return SamplingPlan(chains, draws, target_ess, burn_in, seed, workers, memory, progress=not quiet)


def with_fixed(book: Gradebook, model: Model, path: Path | None) -> tuple[Gradebook, Model]:
    """The model with what the file fixes, and the gradebook with what was surprising about the file."""
    if path is None:
        return book, model
    from peerage.formats.staff.fixed_values import read_fixed

    fixed, notices = read_fixed(path, book)
    return replace(book, notices=(*book.notices, *notices)), replace(model, fixed=fixed)


def files_of(priors: str, *others: Path | None) -> list[Path]:
    """The files that options name, beside the grades; results must not be written over them."""
    named = [*others, None if priors in PRIORS_BY_NAME else Path(priors)]
    return [path for path in named if path is not None]
