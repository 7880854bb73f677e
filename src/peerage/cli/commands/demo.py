"""``peerage demo``: simulate, fit and compare, on one class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.print_results import say_warnings, show
from peerage.cli.terminal.console import say
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.results.results import Results
    from peerage.simulation.truth import Truth

STUDENTS, WEEKS = 60, 4
"""The size of the class: large enough to show what there is, and fitted in seconds."""


def command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")] = Path("demo"),
) -> None:
    """Simulate a class like the paper's, fit it, and compare the grades with the true ones."""
    result_folder.check_target(out)
    from peerage.gradebook.input_files import InputFile
    from peerage.gradebook.writing import GRADES_NAME
    from peerage.simulation.class_files import TRUE_GRADERS, TRUE_GRADES, write_class
    from peerage.simulation.simulated_class import simulate
    from peerage.workflow.fit_class import fit_class
    from peerage.workflow.fit_plan import FitPlan, SamplingPlan
    from peerage.workflow.save_results import fill

    say(f"simulating a class of {STUDENTS} students and {WEEKS} weeks, and fitting it …")
    # Without TAs: the paper draws theirs like students, with biases as large.
    book, truth = simulate(STUDENTS, WEEKS, setting="b", seed=0, tas=0)
    plan = FitPlan(sampling=SamplingPlan(seed=0, progress=True))
    with result_folder.writing(out) as folder:
        write_class(truth, folder)
        results = fit_class(book, plan, inputs=[InputFile.of(folder / GRADES_NAME)], tell=say)
        fill(results, folder)
    show(results, out)
    for line in _comparison(results, truth):
        typer.echo(line)
    typer.echo(f"\nThe class is {out / GRADES_NAME}; the truth is in {TRUE_GRADES} and {TRUE_GRADERS} beside it.")
    say_warnings(results)


def _comparison(results: Results, truth: Truth) -> Iterator[str]:
    """How far the grades given, the expected grades and the peers' means are from the true ones, cut at the ends."""
    import numpy as np

    from peerage.results.schema import GRADES
    from peerage.rubric import MODEL_MAXIMUM

    grades = results.tables[GRADES]
    true_grade = np.clip(truth.true_grade.ravel(), 0, MODEL_MAXIMUM)
    final, expected, peers = (np.abs(grades[name] - true_grade).mean() for name in ("grade", "expected", "peer_mean"))
    yield "\nThe simulation knows the true grades. Mean absolute error, on a scale of 0 to 5:"
    yield f"  {final:.2f} for the final grades, which are weighted averages of the reports"
    yield f"  {expected:.2f} for the expected grades behind them"
    yield f"  {peers:.2f} for the plain mean of the peers' grades"
