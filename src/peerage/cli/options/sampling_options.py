"""Options that the commands that sample share: which model to fit, and how long to sample."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli.options import data_options, panels

if TYPE_CHECKING:
    from peerage.evaluation.scoring import Sampling
    from peerage.gradebook.book import Gradebook
    from peerage.model import Model, Priors
    from peerage.support.tasks.running_tasks import Running
    from peerage.workflow.fit_plan import SamplingPlan

PRIORS_BY_NAME = ("paper", "learned")

NoBias = Annotated[
    bool, typer.Option("--no-bias", help="Graders are neither severe nor generous.", rich_help_panel=panels.MODEL)
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
NoMerit = Annotated[
    bool,
    typer.Option("--no-merit", help="A submission's components have nothing in common.", rich_help_panel=panels.MODEL),
]
NoHalo = Annotated[
    bool,
    typer.Option(
        "--no-halo", help="The errors of a review's components are independent.", rich_help_panel=panels.MODEL
    ),
]
NoHabits = Annotated[
    bool,
    typer.Option("--no-habits", help="Nobody gives one grade whatever the work.", rich_help_panel=panels.MODEL),
]
NoScale = Annotated[
    bool,
    typer.Option("--no-scale", help="All graders use the scale to the same extent.", rich_help_panel=panels.MODEL),
]
NoFloors = Annotated[
    bool,
    typer.Option("--no-floors", help="Nobody keeps to a lowest grade of their own.", rich_help_panel=panels.MODEL),
]
NoHeaping = Annotated[
    bool,
    typer.Option("--no-heaping", help="Nobody rounds more coarsely than the scale.", rich_help_panel=panels.MODEL),
]

Drift = Annotated[
    bool,
    typer.Option(
        "--drift", help="Students' biases move from one assignment to the next.", rich_help_panel=panels.MODEL
    ),
]


class Chosen(StrEnum):
    """Models that are chosen for the class."""

    AUTO = "auto"


ModelName = Annotated[
    Chosen | None,
    typer.Option(
        "--model",
        help="Compare models with and without bias, effort, slopes, merit and halo, and use the simplest "
        "that predicts as well as any.",
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
    int, typer.Option(min=1, help="How many independent chains to run.", rich_help_panel=panels.SAMPLING)
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


@dataclass(frozen=True)
class FeatureOptions:
    """What is on in the paper's model."""

    no_bias: NoBias = False
    no_effort: NoEffort = False
    no_censoring: NoCensoring = False
    correlation: Correlation = False

    @property
    def any_chosen(self) -> bool:
        """Whether any feature is chosen by hand."""
        return self.no_bias or self.no_effort or self.no_censoring or self.correlation

    def model(self, priors: str) -> Model:
        """The model that options describe, with the priors of a name or in a file."""
        from peerage.model import Model

        return Model(
            bias=not self.no_bias,
            effort=not self.no_effort,
            censoring=not self.no_censoring,
            correlation=self.correlation,
            priors=load_priors(priors),
        )


@dataclass(frozen=True)
class ModelOptions(FeatureOptions):
    """Which model to fit."""

    no_merit: NoMerit = False
    no_halo: NoHalo = False
    no_habits: NoHabits = False
    no_scale: NoScale = False
    no_floors: NoFloors = False
    no_heaping: NoHeaping = False
    drift: Drift = False
    priors: PriorsOption = "learned"
    ta_spread: TaSpread = LEARNED
    fixed: FixedFile = None

    @property
    def any_chosen(self) -> bool:
        """Whether any feature is chosen by hand."""
        return super().any_chosen or self.drift or bool(self._switched_off())

    def chosen(self) -> Model:
        """The model that options describe."""
        spread = _number_or_word(self.ta_spread)
        off: dict[str, Any] = dict.fromkeys(self._switched_off(), False)
        return replace(self.model(self.priors), ta_spread=spread, drift=self.drift, **off)

    def _switched_off(self) -> list[str]:
        """The features that are on where they can be, but for options."""
        from peerage.model import WHERE_POSSIBLE

        return [name for name in WHERE_POSSIBLE if getattr(self, f"no_{name}")]

    def files(self, *others: Path | None) -> list[Path]:
        """The files that these and other options name."""
        return files_of(self.priors, self.fixed, *others)


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class SamplingOptions:
    """How long to sample one fit."""

    seed: Seed = 0
    quiet: data_options.Quiet = False
    chains: Chains = 4
    draws: DrawsOrTarget = None
    target_ess: TargetEss = None
    burn_in: BurnIn = None
    workers: Workers = None
    memory: Memory = 1.0

    def plan(self) -> SamplingPlan:
        """The same, as the workflow takes it."""
        if self.draws is not None and self.target_ess is not None:
            raise typer.BadParameter(
                "give a number of draws or a target of effective draws, not both", param_hint="--target-ess"
            )
        from peerage.workflow.fit_plan import SamplingPlan

        settings = asdict(self)
        progress = not settings.pop("quiet")
        return SamplingPlan(**settings, progress=progress)


@dataclass(frozen=True)
class RunningOptions:
    """Where many fits run."""

    seed: Seed = 0
    workers: Fits = None
    scheduler: Scheduler = None
    quiet: data_options.Quiet = False

    def running(self) -> Running:
        """The same, as the library takes it."""
        from peerage.support.tasks.running_tasks import Running

        return Running(self.workers, self.scheduler, not self.quiet)

    def settings(self) -> dict[str, Any]:
        """The same, by name, with the seed."""
        return {
            "seed": self.seed,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "progress": not self.quiet,
        }


@dataclass(frozen=True)
class LengthOptions:
    """How long to sample each of many fits."""

    chains: Chains = 4
    draws: Draws = 1000
    burn_in: BurnIn = None

    def sampling(self, seed: int) -> Sampling:
        """The same, with a seed, as the library takes it."""
        from peerage.evaluation.scoring import Sampling

        return Sampling(self.chains, self.draws, self.burn_in, seed)


def with_fixed(book: Gradebook, model: Model, path: Path | None) -> tuple[Gradebook, Model]:
    """The model with what the file fixes, and the gradebook with what was surprising about the file."""
    if path is None:
        return book, model
    from peerage.formats.staff.fixed_file import read_fixed

    fixed, notices = read_fixed(path, book)
    return replace(book, notices=(*book.notices, *notices)), replace(model, fixed=fixed)


def files_of(priors: str, *others: Path | None) -> list[Path]:
    """The files that options name, beside the grades; results must not be written over them."""
    named = [*others, None if priors in PRIORS_BY_NAME else Path(priors)]
    return [path for path in named if path is not None]
