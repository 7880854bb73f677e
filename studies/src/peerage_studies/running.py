"""run_study(): a study's tasks, wherever they run, and its table."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.inference.censored import censored_engine
from peerage.inference.numerics.jit import needs_compilation
from peerage.simulation.simulated_class import SETTINGS
from peerage.support.tasks.executor import open_executor
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Counter, Listener
from peerage.support.words.whole_numbers import at_least
from peerage.tables.writing_tables import csv_text
from peerage.version import __version__
from peerage_studies.all_studies import STUDIES
from peerage_studies.study_definition import COLUMNS, Course, Study, Task
from peerage_studies.study_folder import Finding, open_folder

REPLICATES, QUICK_REPLICATES = 15, 3
"""Simulated classes a point of a study, and of a quick one, unless told otherwise."""

QUICK = {"students": 30, "weeks": 4}
"""The size of the standard class in a quick study."""


def run_study(
    name: str,
    folder: str | Path | None = None,
    *,
    classes: Sequence[str] = tuple(SETTINGS),
    replicates: int | None = None,
    quick: bool = False,
    seed: int = 0,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | Listener = False,
) -> pd.DataFrame:
    """Run a study and return its table: class, setting, value, replicate, metric, result.

    The same seed gives the same table, wherever the tasks run. A class is the same in all studies of the seed.

    Parameters
    ----------
    name: one of :data:`peerage_studies.NAMES`
    folder: where ``NAME.csv`` is written, and beside it what each task found, so that a study that was stopped goes on
        and one with more classes or replicates reuses what is there; several studies may share a folder
    classes: which of the paper's classes (a), (b) and (c)
    replicates: how many simulated classes a point, by default 15, or 3 if quick
    quick: small classes and few values
    workers, scheduler: how many tasks run at once here, or the address of a Dask scheduler whose workers run them
    """
    study = _known(name)
    if replicates is None:
        replicates = QUICK_REPLICATES if quick else REPLICATES
    courses = list(_courses(classes, at_least(1, replicates=replicates), quick))
    tasks = list(study.tasks(courses, quick))
    record = {
        "peerage": __version__,
        "study": name,
        "version": study.version,
        "quick": quick,
        "seed": at_least(0, seed=seed),
    }
    with ExitStack() as stack:
        executor = stack.enter_context(open_executor(workers, scheduler))
        path = stack.enter_context(tempfile.TemporaryDirectory()) if folder is None else folder
        opened = stack.enter_context(open_folder(path, name, record))
        todo = [task for task in tasks if task.key not in opened.found]
        compiling = bool(todo) and needs_compilation(censored_engine.sweep)
        listener = stack.enter_context(listening(progress))
        counter = Counter(listener, "fitting", len(todo), compiling=compiling)
        for index, finding in executor.map(_run, (name, seed), todo):
            opened.add(todo[index], finding)
            counter.advance()
        table = _table(tasks, opened.found)
        opened.put(f"{name}.csv", csv_text(table))
    return table


def _known(name: str) -> Study:
    if name not in STUDIES:
        raise InputError(Problem(f"there is no study {name!r}", f"choose one of {', '.join(STUDIES)}"))
    return STUDIES[name]


def _courses(classes: Sequence[str], replicates: int, quick: bool) -> Iterator[Course]:
    """The standard classes, a replicate of each after the other."""
    unknown = [kind for kind in classes if kind not in SETTINGS]
    if unknown or not classes:
        said = f"there is no class {unknown[0]!r}" if unknown else "there is no class to simulate"
        raise InputError(Problem(said, f"choose among {', '.join(SETTINGS)}"))
    size: dict[str, Any] = QUICK if quick else {}
    for replicate in range(replicates):
        yield from (Course(kind, replicate, **size) for kind in classes)


def _run(shared: tuple[str, int], task: Task) -> Finding:
    """Do a task of a study."""
    name, seed = shared
    begun = time.perf_counter()
    rows = STUDIES[name].measure(task, seed)
    return Finding(tuple(rows), time.perf_counter() - begun)


def _table(tasks: Sequence[Task], found: dict[str, Finding]) -> pd.DataFrame:
    """The rows of all tasks, sorted."""
    rows = [
        (task.course.kind, row.setting, row.value, task.course.replicate, row.metric, row.result)
        for task in tasks
        for row in found[task.key].rows
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.sort_values(list(COLUMNS[:-1]), ignore_index=True)
