"""``peerage search``: which fixed priors predict a class best."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peerage.cli import data_options, sampling_options
from peerage.cli.console import output, say, warn
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.evaluation.prior_search.prior_search import Search

FIGURE = "search"
SUFFIX = "-search"
"""What is put after the input's name to name the folder."""

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="The folder to write, or to continue in. Default: GRADES without its suffix, and -search.",
    ),
]
GridOption = Annotated[
    str,
    typer.Option("--grid", metavar="reduced|exploratory|FILE", help="One of the paper's grids, or one in a TOML file."),
]
Random = Annotated[
    int | None, typer.Option("--random", metavar="N", min=1, help="Search N settings, drawn at random, instead of all.")
]
OneAtATime = Annotated[
    bool, typer.Option("--one-at-a-time", help="Change one hyperparameter of --priors at a time, as the paper did.")
]
NoScreening = Annotated[
    bool, typer.Option("--no-screening", help="Cross-validate all settings, not only those that may be the best.")
]
Keep = Annotated[int, typer.Option(min=1, help="The least number of settings to cross-validate.")]
Folds = Annotated[int, typer.Option(min=2, help="How many folds the reviews are divided into.")]
BasePriors = Annotated[
    str,
    typer.Option(
        "--priors",
        metavar="paper|FILE",
        help="The values of what the grid does not name: the paper's, or those in a file.",
    ),
]


def command(
    grades: data_options.Grades,
    out: Out = None,
    rubric: data_options.RubricFile = None,
    columns: data_options.Columns = None,
    components: data_options.Components = None,
    drop: data_options.Drop = None,
    exact_ids: data_options.ExactIds = False,
    limits: data_options.Limits = None,
    snap: data_options.Snap = False,
    duplicates: data_options.DuplicatesOption = data_options.Duplicates.ERROR,
    exclude: data_options.Exclude = None,
    until: data_options.Until = None,
    no_bias: sampling_options.NoBias = False,
    no_effort: sampling_options.NoEffort = False,
    no_censoring: sampling_options.NoCensoring = False,
    correlation: sampling_options.Correlation = False,
    priors: BasePriors = "paper",
    fixed: sampling_options.FixedFile = None,
    grid: GridOption = "reduced",
    random: Random = None,
    one_at_a_time: OneAtATime = False,
    no_screening: NoScreening = False,
    keep: Keep = 5,
    folds: Folds = 10,
    chains: sampling_options.Chains = 4,
    draws: sampling_options.Draws = 1000,
    burn_in: sampling_options.BurnIn = None,
    seed: sampling_options.Seed = 0,
    workers: sampling_options.Fits = None,
    scheduler: sampling_options.Scheduler = None,
    quiet: data_options.Quiet = False,
    as_json: data_options.Json = False,
) -> None:
    """Search for the fixed priors that predict held-out reviews best. A stopped search can be continued."""
    from peerage.evaluation.figure_files import require_figures
    from peerage.evaluation.prior_search.prior_search import search
    from peerage.model import LEARNED

    require_figures()
    if priors == LEARNED:
        raise typer.BadParameter("a search is for fixed priors; give paper or a file", param_hint="--priors")
    out = grades[0].with_name(grades[0].stem + SUFFIX) if out is None else out
    result_folder.check_target(out, [*grades, *sampling_options.files_of(priors, rubric, fixed, exclude)])
    model = sampling_options.load_model(no_bias, no_effort, no_censoring, correlation, priors)
    book = data_options.load_gradebook(
        grades, rubric, columns, snap, duplicates, exclude, until, components, drop, exact_ids, limits
    )
    book, model = sampling_options.with_fixed(book, model, fixed)
    warn(book.notices)
    which: dict[str, Any] = {"random": random, "one_at_a_time": one_at_a_time, "screening": not no_screening}
    long: dict[str, Any] = {"chains": chains, "draws": draws, "burn_in": burn_in, "seed": seed}
    where: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "progress": not quiet}
    try:
        found = search(book, model, grid=grid, keep=keep, folds=folds, out=out, **which, **long, **where)
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        raise
    warn(found.notices)
    _draw(found, out)
    if as_json:
        typer.echo(json.dumps({"best": found.best.to_dict(), "sentences": found.sentences}, indent=2))
    else:
        _show(found, out)


def _draw(found: Search, out: Path) -> None:
    """Add the figure to the folder."""
    from peerage.evaluation.figure_files import save_figure
    from peerage.evaluation.prior_search.search_figure import draw

    with tempfile.TemporaryDirectory() as folder:
        for name in save_figure(draw(found), Path(folder), FIGURE):
            result_folder.add(out, name, (Path(folder) / name).read_bytes())


def _show(found: Search, out: Path) -> None:
    from peerage.evaluation.prior_search.prior_search import BEST
    from peerage.evaluation.prior_search.search_folder import TABLE

    console = output()
    console.print(*found.sentences, sep="\n", soft_wrap=True)
    console.print(f"\nWritten to {out}: {TABLE}, {BEST}, {FIGURE}.png, {FIGURE}.svg", soft_wrap=True)
    console.print(f"Fit with these priors: peerage fit GRADES --priors {out / BEST}", soft_wrap=True)
