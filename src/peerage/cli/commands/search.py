"""``peerage search``: which fixed priors predict a class best."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import data_options, sampling_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal.console import output, say, warn
from peerage.results import result_folder

if TYPE_CHECKING:
    from peerage.evaluation.prior_search.prior_search import Search
    from peerage.evaluation.prior_search.search_plan import SearchPlan

SUFFIX = "-search"
"""What is put after the input's name to name the folder."""

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="The folder to write, or to continue in. Default: GRADES-search, beside GRADES.",
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
    bool, typer.Option("--no-screening", help="Cross-validate all settings, not only the promising ones.")
]
Keep = Annotated[int, typer.Option(min=1, help="The least number of settings to cross-validate.")]
Folds = Annotated[int, typer.Option(min=2, help="How many folds the reviews are divided into.")]
BasePriors = Annotated[
    str,
    typer.Option(
        "--priors",
        metavar="paper|FILE",
        help="Values of hyperparameters that the grid does not name: the paper's, or those in a file.",
    ),
]


@dataclass(frozen=True)
class SearchOptions:
    """Which settings are tried, and how they are compared."""

    grid: GridOption = "reduced"
    random: Random = None
    one_at_a_time: OneAtATime = False
    no_screening: NoScreening = False
    keep: Keep = 5
    folds: Folds = 10

    def plan(self) -> SearchPlan:
        """The same, but for the grid, as the library takes it."""
        from peerage.evaluation.prior_search.search_plan import SearchPlan

        return SearchPlan(self.random, self.one_at_a_time, not self.no_screening, self.keep, self.folds)


@grouped
def command(
    *,
    grades: data_options.Grades,
    out: Out = None,
    data: data_options.DataOptions,
    features: sampling_options.FeatureOptions,
    priors: BasePriors = "paper",
    fixed: sampling_options.FixedFile = None,
    options: SearchOptions,
    length: sampling_options.LengthOptions,
    tasks: sampling_options.RunningOptions,
    as_json: data_options.Json = False,
) -> None:
    """Search for the fixed priors that predict held-out reviews best. A stopped search can be continued."""
    from peerage.evaluation.figure_files import add_figure, require_figures
    from peerage.evaluation.prior_search.prior_search import search
    from peerage.evaluation.prior_search.search_figure import draw
    from peerage.model import LEARNED

    require_figures()
    if priors == LEARNED:
        raise typer.BadParameter("a search is for fixed priors; give paper or a file", param_hint="--priors")
    out = grades[0].with_name(grades[0].stem + SUFFIX) if out is None else out
    result_folder.check_target(out, [*grades, *sampling_options.files_of(priors, data.rubric, fixed, data.exclude)])
    book, model = sampling_options.with_fixed(data.read(grades), features.model(priors), fixed)
    warn(book.notices)
    plan, sampling, running = options.plan(), length.sampling(tasks.seed), tasks.running()
    try:
        found = search(book, model, grid=options.grid, plan=plan, out=out, sampling=sampling, running=running)
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        raise
    warn(found.notices)
    figures = add_figure(draw(found), out, "search")
    if as_json:
        typer.echo(json.dumps({"best": found.best.to_dict(), "sentences": found.sentences}, indent=2))
    else:
        _show(found, out, figures)


def _show(found: Search, out: Path, figures: list[str]) -> None:
    from peerage.evaluation.prior_search.prior_search import BEST
    from peerage.evaluation.prior_search.search_folder import TABLE

    console = output()
    console.print(*found.sentences, sep="\n", soft_wrap=True)
    console.print(f"\nWritten to {out}: {', '.join([TABLE, BEST, *figures])}", soft_wrap=True)
    console.print(f"Fit with these priors: peerage fit GRADES --priors {out / BEST}", soft_wrap=True)
