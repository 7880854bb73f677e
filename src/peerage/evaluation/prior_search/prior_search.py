"""search(): which fixed priors predict a class best.

All settings of a grid are screened by leave-one-out with few draws. Those that are clearly worse than the best are
given up, the others are cross-validated.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.evaluation.folds import deal
from peerage.evaluation.prior_search.prior_grids import PriorGrid, in_words, without_effect
from peerage.evaluation.prior_search.search_folder import Folder, open_folder
from peerage.evaluation.prior_search.search_plan import SearchPlan
from peerage.evaluation.prior_search.search_table import SCORES, Standings
from peerage.evaluation.prior_search.search_tasks import SearchJob, SearchTask, run
from peerage.evaluation.scoring import Sampling
from peerage.gradebook.book import Gradebook
from peerage.inference.layout import lay_out
from peerage.inference.sampling.chains import must_compile
from peerage.model import Model, Priors
from peerage.support.tasks.executor import Executor
from peerage.support.tasks.progress import Counter, Listener
from peerage.support.tasks.running_tasks import Running
from peerage.support.words.wording import counted
from peerage.tables.writing_tables import csv_text
from peerage.version import __version__

BEST = "best.toml"
"""The file with the best priors, from which a fit can read them."""

SCREENING = Sampling(chains=2, draws=50, burn_in=100)
"""How long the fits that screen settings sample; their seed is the search's."""

_CLOSE = 2.0
"""Within so many standard errors of the best, a setting may as well be the best."""

_DECIMALS = dict.fromkeys(SCORES, 3)


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found.

    Attributes
    ----------
    table: a row for each setting, the best first (see :meth:`Standings.table`)
    grid: the hyperparameters that were searched, which are columns of the table, and their values
    best: the priors with the best score
    notices: what was left out of the grid
    """

    table: pd.DataFrame
    grid: PriorGrid
    best: Priors
    notices: tuple[Problem, ...]

    @property
    def sentences(self) -> list[str]:
        """The best setting, and what can be said of the others."""
        final = self.table[self.table["score"].notna()]
        close = int((final["difference"] <= _CLOSE * final["difference_se"]).sum()) - 1
        verb = "is" if close == 1 else "are"
        others = (
            f"{counted(close, 'other')} {verb} within two standard errors of it: this class cannot distinguish them."
        )
        return [
            f"Of {counted(len(self.table), 'setting')}, {len(final):,} were cross-validated.",
            f"The best is {described(self.grid.names, self.best)}: {best_score(self.table)}.",
            others if close else "No other is within two standard errors of it.",
        ]


def search(
    book: Gradebook,
    model: Model | None = None,
    *,
    grid: str | Mapping[str, Any] = "reduced",
    plan: SearchPlan | None = None,
    out: str | Path | None = None,
    sampling: Sampling | None = None,
    running: Running | None = None,
) -> Search:
    """Search for the fixed priors that predict held-out reviews best.

    Parameters
    ----------
    model: what is on in the model, and the values of hyperparameters that the grid does not name; if its priors are
        learned, the paper's
    grid: the paper's ``"reduced"`` or ``"exploratory"`` grid, the path of a TOML file, or values by name
    plan: which settings of the grid are tried, and how they are compared
    out: a folder for everything that is found, where a search that was stopped goes on
    sampling: how long each fit samples, and the seed
    running: where the fits run, who is told how many are done and which setting is the best so far, and what stops them

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1, seed=1)
    >>> sampling = pg.Sampling(chains=1, draws=20, burn_in=20)
    >>> found = pg.search(book, grid={"mu_s": [1, 4]}, plan=pg.SearchPlan(keep=1, folds=2), sampling=sampling)
    >>> found.best.mu_s
    4.0
    """
    if not isinstance(book, Gradebook):
        raise InputError("search takes a Gradebook; make one with read_grades")
    if book.n_reviews < 2:
        raise InputError("there is only one review, and nothing to predict it from; add reviews")
    model = Model() if model is None else model
    plan = SearchPlan() if plan is None else plan
    sampling = Sampling() if sampling is None else sampling
    base = Priors.paper() if model.learned else model.hyperparameters
    searched, notices = _with_effect(PriorGrid.read(grid) if isinstance(grid, str) else PriorGrid.of(grid), book, model)
    settings = tuple(
        replace(base, **setting)  # type: ignore[arg-type]
        for setting in plan.settings(searched, base, sampling.seed)
    )
    n_folds = min(plan.folds, book.n_reviews)
    job = SearchJob(book, model, deal(book, n_folds, sampling.seed), replace(SCREENING, seed=sampling.seed), sampling)
    compiling = must_compile(lay_out(book, replace(model, priors=settings[0])))
    with ExitStack() as stack:
        executor, listener = stack.enter_context((Running() if running is None else running).begun())
        path = stack.enter_context(tempfile.TemporaryDirectory()) if out is None else out
        folder = stack.enter_context(open_folder(path, _record(job, n_folds), len(set(book.review_submission))))
        standings = Standings(searched.names, settings, n_folds, folder.found)
        _Course(job, standings, folder, executor, listener, compiling).run(plan.screening, plan.keep, n_folds)
        found = Search(standings.table(), searched, standings.best or base, notices)
        folder.put(BEST, found.best.to_toml())
        return found


def described(names: Sequence[str], priors: Priors) -> str:
    """The hyperparameters of a setting in words."""
    return ", ".join(f"{name} {in_words(getattr(priors, name))}" for name in names)


def best_score(table: pd.DataFrame) -> str:
    """The score of the first row in words."""
    first = table.iloc[0]
    stage = "screened" if pd.isna(first["score"]) else "score"
    how = "screened with" if stage == "screened" else "cross-validated with"
    return f"{how} a log probability of {first[stage]:,.1f} ± {first[f'{stage}_se']:.1f}"


def _with_effect(grid: PriorGrid, book: Gradebook, model: Model) -> tuple[PriorGrid, tuple[Problem, ...]]:
    """The grid of what matters in this model of this class."""
    idle = [name for name in grid.names if name in without_effect(book, model)]
    left = grid.without(set(idle))
    if not left.axes:
        raise InputError("no hyperparameter of the grid has any effect in this model; name others")
    for priors in (Priors.paper(**axis.setting(place)) for axis in left.axes for place in range(len(axis.values))):
        priors.for_components(len(book.rubric))
    message = f"no effect in this model of this class, so not searched: {', '.join(idle)}"
    return left, (Problem(message),) if idle else ()


def _record(job: SearchJob, n_folds: int) -> dict[str, Any]:
    """What a search is about, but for the settings: what a task finds depends on nothing else."""
    model = job.model.to_dict()
    del model["priors"]
    grades = csv_text(job.book.table()) + job.book.rubric.to_toml()
    return {
        "version": __version__,
        "class": hashlib.sha256(grades.encode()).hexdigest(),
        "model": model,
        "sampling": asdict(job.sampling),
        "screening": asdict(job.screening),
        "folds": n_folds,
    }


class _Course:
    """A search under way."""

    def __init__(
        self,
        job: SearchJob,
        standings: Standings,
        folder: Folder,
        executor: Executor,
        listener: Listener,
        compiling: bool,
    ) -> None:
        self.job, self.standings, self.folder, self.executor = job, standings, folder, executor
        self.listener, self.compiling = listener, compiling
        self.best: Priors | None = None

    def run(self, screening: bool, keep: int, n_folds: int) -> None:
        """Screen the settings, if that is wanted, and cross-validate those that are left."""
        finalists: Sequence[Priors] = self.standings.settings
        if screening:
            self.complete([SearchTask(priors) for priors in finalists])
            finalists = self.standings.finalists(keep)
        self.complete([SearchTask(priors, fold) for priors in finalists for fold in range(n_folds)])

    def complete(self, tasks: Sequence[SearchTask]) -> None:
        """Do the tasks that are not done yet."""
        todo = [task for task in tasks if task not in self.folder.found]
        compiling, self.compiling = self.compiling and bool(todo), False
        counter = Counter(self.listener, "fitting", len(todo), compiling=compiling)
        for index, finding in self.executor.map(run, self.job, todo):
            self.folder.add(todo[index], finding)
            self.folder.show(lambda: self._table(counter))
            counter.advance()
        self.folder.show(lambda: self._table(counter), now=True)

    def _table(self, counter: Counter) -> str:
        table = self.standings.table()
        best = self.standings.best
        if best is not None and best != self.best:
            words = f"{described(self.standings.names, best)}, {best_score(table)}"
            counter.tell(f"best so far, of {counted(len(table), 'setting')}: {words}")
        self.best = best
        return csv_text(table.round(_DECIMALS))
