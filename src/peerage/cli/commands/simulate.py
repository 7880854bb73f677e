"""``peerage simulate``: a class that never was, as files, with the truth behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli.options.option_groups import grouped
from peerage.errors import InputError, Problem
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.rubric import Rubric


class Setting(StrEnum):
    """The paper's simulated classes."""

    A = "a"
    B = "b"
    C = "c"


@dataclass(frozen=True)
class ScheduleOptions:
    """Who is in the class, and what they do each week."""

    students: Annotated[int, typer.Option(help="How many students there are.")] = 120
    weeks: Annotated[int, typer.Option(help="How many weeks the class lasts.")] = 10
    reviews_per_student: Annotated[int, typer.Option(help="Reviews that each student gives per week.")] = 4
    tas: Annotated[int, typer.Option(help="How many TAs there are.")] = 3
    ta_share: Annotated[float, typer.Option(help="The share of submissions that a TA grades.")] = 0.25
    calibrations: Annotated[int, typer.Option(help="Submissions that the instructor and all students grade.")] = 0
    submissions_per_week: Annotated[
        int | None, typer.Option(help="Submissions per week. Default: one per student or team.")
    ] = None
    team_size: Annotated[int, typer.Option(help="Authors per submission.")] = 1


@dataclass(frozen=True)
class TruthOptions:
    """How true grades and graders are drawn."""

    setting: Annotated[
        Setting | None, typer.Option(help="One of the paper's classes: sets sigma_b and tau_l. The default is b.")
    ] = None
    priors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Hyperparameters (TOML), by the paper's names.")
    ] = None
    no_bias: Annotated[bool, typer.Option("--no-bias", help="Graders have no bias.")] = False
    no_effort: Annotated[bool, typer.Option("--no-effort", help="Everyone always makes an effort.")] = False
    correlation: Annotated[
        bool, typer.Option("--correlation", help="Authors of good work are more reliable graders.")
    ] = False
    merit: Annotated[
        float, typer.Option(help="The part of true grades' variance that a submission's components share.")
    ] = 0.0
    halo: Annotated[float, typer.Option(help="The part of errors' variance that a review's components share.")] = 0.0
    scale: Annotated[float, typer.Option(help="How much students' use of the scale differs (sd).")] = 0.0
    drift: Annotated[float, typer.Option(help="How far students' biases move from week to week (sd).")] = 0.0

    def settings(self) -> dict[str, Any]:
        """The same, as :func:`peerage.simulate` takes it."""
        from peerage.model import Model, Priors

        priors = Priors.paper() if self.priors is None else Priors.read(self.priors)
        model = Model(bias=not self.no_bias, effort=not self.no_effort, correlation=self.correlation, priors=priors)
        parts = {name: getattr(self, name) for name in ("merit", "halo", "scale", "drift")}
        return {"setting": self.setting, "model": model, **parts}


@grouped
def command(
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")] = Path("simulated"),
    schedule: ScheduleOptions,
    components: Annotated[int | None, typer.Option(help="How many components are graded 0 to 5. Default: 4.")] = None,
    rubric: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rubric (TOML) to use instead of --components.")
    ] = None,
    hidden: TruthOptions,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same class.")] = 0,
) -> None:
    """Simulate a class: peer_grades.csv, rubric.toml, and its truth in true_grades.csv and graders_truth.csv."""
    result_folder.check_target(out, [path for path in (rubric, hidden.priors) if path is not None])
    from peerage.simulation.class_files import write_class
    from peerage.simulation.simulated_class import simulate

    graded = _components(components, rubric)
    book, truth = simulate(seed=seed, components=graded, **asdict(schedule), **hidden.settings())
    with result_folder.writing(out) as folder:
        write_class(truth, folder)
    typer.echo(f"{book!r}\nwritten to {out}")


def _components(count: int | None, file: Path | None) -> int | Rubric:
    if file is None:
        return 4 if count is None else count
    if count is not None:
        raise InputError(Problem("--rubric and --components cannot be used together", "give one of them"))
    from peerage.rubric import Rubric

    return Rubric.read(file)
