"""benchmark(): all methods on all kinds of class, resumable, here or on a cluster.

::

    benchmark.json   the version and seed: findings of another benchmark have no place here; kinds and methods so far;
                     and a fingerprint of the first class of each kind, so that no finding is of another class
    findings.jsonl   a line for each method on each class, added when it is done; both by their place in those lists
    benchmark.csv, benchmark.md, benchmark.png, benchmark.svg   what came out
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ResultsError
from peerage.evaluation.benchmark.benchmark_tasks import (
    REPLICATES,
    BenchmarkFinding,
    BenchmarkJob,
    BenchmarkTask,
    run_task,
)
from peerage.evaluation.benchmark.known_classes import ClassKind
from peerage.evaluation.benchmark.standings import Benchmark
from peerage.methods.method_contract import Method
from peerage.results import result_folder
from peerage.support.files.journal import Journal, at_work, check_record
from peerage.support.files.json_shapes import Maybe
from peerage.support.tasks.executor import open_executor
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Counter, Listener
from peerage.version import __version__

RECORD, FINDINGS = "benchmark.json", "findings.jsonl"

_LARGEST = 1e100
"""Scores of rankings have any scale, but their squares have to be numbers."""

Floats = NDArray[np.float64]


def benchmark(
    kinds: Sequence[ClassKind],
    methods: Sequence[Method],
    *,
    replicates: int = REPLICATES,
    seed: int = 0,
    quick: bool = False,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | Listener = False,
) -> Benchmark:
    """Apply all methods to some classes of each kind, and measure how near they come to the truth.

    Parameters
    ----------
    kinds: the kinds of class, of which all but real ones are drawn anew for each replicate
    methods: what to compare; one that needs what a class has not says so
    replicates: how many classes of each simulated kind
    quick: neither held-out likelihood nor manipulability, which take most of the time
    out: a folder for everything that is found, where a benchmark that was stopped goes on; kinds, methods and
        replicates can be added to it
    workers, scheduler: how many tasks run at once here, or the address of a Dask scheduler whose workers run them
    """
    job = BenchmarkJob(tuple(kinds), tuple(methods), seed, quick)
    tasks = [
        BenchmarkTask(kind, replicate, method)
        for replicate in range(replicates)
        for kind, entry in enumerate(kinds)
        if replicate == 0 or not entry.is_real
        for method in range(len(methods))
    ]
    with ExitStack() as stack:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory()) if out is None else out).resolve()
        if out is not None:
            result_folder.check_target(path)
            stack.enter_context(at_work(path, "benchmark"))
        kept = _Kept.of(path, job)
        kept.check(tasks)
        left = [task for task in tasks if task not in kept]
        executor = stack.enter_context(open_executor(workers, scheduler))
        counter = Counter(stack.enter_context(listening(progress)), "fitting", len(left))
        for index, finding in executor.map(run_task, job, left):
            kept.add(left[index], finding)
            counter.advance()
        return Benchmark(job, {task: kept[task] for task in tasks})


@dataclass(frozen=True, eq=False)
class _Kept:
    """The findings of a folder, in which kinds and methods have their places in the record's lists, not in the job's.

    So findings stay where they are when another job adds kinds or methods.
    """

    job: BenchmarkJob
    kinds: list[str]
    methods: list[str]
    journal: Journal[BenchmarkTask, BenchmarkFinding]

    @classmethod
    def of(cls, path: Path, job: BenchmarkJob) -> _Kept:
        """The findings in a folder, which is begun if it is empty, and whose lists get the job's kinds and methods."""
        same = {"version": __version__, "seed": job.seed, "quick": job.quick}
        lists = {"kinds": [kind.name for kind in job.kinds], "methods": [method.name for method in job.methods]}
        firsts = [BenchmarkTask(place, 0, 0) for place in range(len(job.kinds))]
        prints = dict(zip(lists["kinds"], (job.known(task).fingerprint() for task in firsts), strict=True))
        if not path.exists() or not any(path.iterdir()):
            with result_folder.writing(path) as fresh:
                (fresh / RECORD).write_text(_record_text(same | lists | {"classes": prints}), "utf-8")
                (fresh / FINDINGS).touch()
        begun = check_record(path, path / RECORD, same, "benchmark")
        grown = {name: list(dict.fromkeys([*_names(path, begun.get(name)), *lists[name]])) for name in lists}
        record = same | grown | {"classes": _same_classes(path, begun, prints)}
        if record != begun:
            result_folder.add(path, RECORD, _record_text(record))
        return cls(job, grown["kinds"], grown["methods"], findings_in(path / FINDINGS))

    def __contains__(self, task: BenchmarkTask) -> bool:
        return self._place(task) in self.journal.found

    def __getitem__(self, task: BenchmarkTask) -> BenchmarkFinding:
        return self.journal.found[self._place(task)]

    def check(self, tasks: Sequence[BenchmarkTask]) -> None:
        """Refuse findings that lack a grade whose truth is known."""
        found = [(task, self[task]) for task in tasks if task in self and not self[task].trouble]
        truths = {(task.kind, task.replicate): task for task, _ in found}
        known = {place: ~np.isnan(self.job.known(task).truth) for place, task in truths.items()}
        for task, finding in found:
            judged = known[task.kind, task.replicate]
            if finding.scores.shape != judged.shape or np.isnan(finding.scores[judged]).any():
                where = f"{self.job.methods[task.method].name} on {self.job.kinds[task.kind].name}"
                message = f"what was found by {where} does not fit that class; remove the folder"
                raise ResultsError(f"{self.journal.path}: {message}")

    def add(self, task: BenchmarkTask, finding: BenchmarkFinding) -> None:
        """Keep what a task found."""
        self.journal.add(self._place(task), finding)

    def _place(self, task: BenchmarkTask) -> BenchmarkTask:
        kind, method = self.job.kinds[task.kind].name, self.job.methods[task.method].name
        return BenchmarkTask(self.kinds.index(kind), task.replicate, self.methods.index(method))


def _record_text(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=1) + "\n"


def _names(path: Path, entry: Any) -> list[str]:
    """A list of names in the record."""
    if not isinstance(entry, list) or not all(isinstance(name, str) for name in entry):
        raise ResultsError(f"{path / RECORD}: does not list the kinds and methods of a benchmark; name another folder")
    return entry


def _same_classes(path: Path, begun: Mapping[str, Any], prints: Mapping[str, str]) -> dict[str, str]:
    """The fingerprints of a folder and of the job's kinds; refuse to go on with findings of other classes."""
    classes = begun.get("classes")
    known = classes if isinstance(classes, dict) else {}
    other = [kind for kind in prints if kind in begun["kinds"] and known.get(kind) != prints[kind]]
    if other:
        message = f"was begun with other classes of {', '.join(other)}; name another folder, or remove this one"
        raise ResultsError(f"{path}: {message}")
    return {**known, **prints}


def findings_in(file: Path) -> Journal[BenchmarkTask, BenchmarkFinding]:
    """The findings of a benchmark, to which others can be added."""
    return Journal(file, _encode, _decode, "a benchmark", _SHAPE)


def _encode(task: BenchmarkTask, finding: BenchmarkFinding) -> dict[str, Any]:
    numbers = {name: getattr(finding, name) for name in ("seconds", "held_out", "harm", "gain")}
    return {
        "task": list(task),
        "trouble": finding.trouble,
        "converged": finding.converged,
        "shape": list(finding.scores.shape),
        "scores": _text(finding.scores),
        "sd": _text(finding.sd),
        **{name: None if np.isnan(value) else value for name, value in numbers.items()},
    }


_SHAPE = {
    "task": [int],
    "trouble": str,
    "converged": bool,
    "shape": [int],
    "scores": str,
    "sd": str,
    **dict.fromkeys(("seconds", "held_out", "harm", "gain"), Maybe((int, float))),
}


def _decode(line: Mapping[str, Any]) -> tuple[BenchmarkTask, BenchmarkFinding]:
    numbers = {
        name: np.nan if line[name] is None else float(line[name]) for name in ("seconds", "held_out", "harm", "gain")
    }
    shape = tuple(line["shape"])
    scores, sd = (_floats(line[name]).reshape(shape) for name in ("scores", "sd"))
    if min(shape, default=0) < 0 or (np.abs(scores) >= _LARGEST).any() or (sd < 0).any():
        raise ValueError("no scores and standard deviations")
    return BenchmarkTask(*line["task"]), BenchmarkFinding(line["trouble"], scores, sd, line["converged"], **numbers)


def _text(values: Floats) -> str:
    return base64.b64encode(values.astype("<f8").tobytes()).decode()


def _floats(text: str) -> Floats:
    return np.frombuffer(base64.b64decode(text), "<f8")
