"""``peerage demo``: the whole way once, on a simulated class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage import results
from peerage.cli import fit
from peerage.cli.console import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from peerage.inference.posterior import Posterior
    from peerage.simulation.truth import Truth


def command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")] = Path("demo"),
) -> None:
    """Simulate the paper's class, fit it, and compare the grades with the true ones."""
    results.check_target(out)
    from peerage.fitting import fit as sample
    from peerage.outputs import Outputs
    from peerage.simulation.classes import simulate
    from peerage.simulation.files import GRADES, write_class

    book, truth = simulate(setting="b", seed=0)
    say("simulated a class of 120 students and 10 weeks")
    posterior = sample(book, truth.model, seed=0, progress=True)
    with results.writing(out) as folder:
        write_class(truth, folder)
        outputs = Outputs.of(posterior, [folder / GRADES])
        outputs.write(folder)
    fit.show(outputs, out)
    for line in _comparison(posterior, truth):
        typer.echo(line)
    typer.echo(f"Look at {out / 'grades.csv'}, the grades, and at {out / 'graders.csv'}, how well everybody grades.")
    fit.say_warnings(outputs)


def _comparison(posterior: Posterior, truth: Truth) -> Iterator[str]:
    """How far the peers' means and the expected grades are from the true grades of the class."""
    import numpy as np

    grades = posterior.submissions()
    lowest, highest = (truth.book.rubric.components[0].grades[end] for end in (0, -1))
    clipped = np.clip(truth.true_grade.ravel(), lowest, highest)
    for name, column in (("the peers' mean", "peer_mean"), ("the expected grade", "expected")):
        error = float(np.abs(grades[column].to_numpy() - clipped).mean())
        yield f"{name} is off by {error:.2f} on average"
