"""One task of the benchmark: one method on one class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.errors import MissingExtraError, ModelError, UnmetNeedError
from peerage.evaluation.benchmark.known_classes import ClassKind, KnownClass
from peerage.evaluation.folds import deal
from peerage.evaluation.method_scores import on_model_scale, predict_reviews
from peerage.gradebook import MISSING, STUDENT, Gradebook
from peerage.methods.method_contract import Method

Floats = NDArray[np.float64]

REPLICATES = 3
"""How many classes of each simulated kind there are unless told otherwise."""

FOLDS, DEVIATORS = 4, 3
"""How the held-out likelihood is computed, and how many graders deviate in turn; both in the first class of a kind."""


class BenchmarkTask(NamedTuple):
    """A method on one of the classes of a kind, each by its place in the list."""

    kind: int
    replicate: int
    method: int


@dataclass(frozen=True, eq=False)
class BenchmarkJob:
    """What all tasks share; a quick benchmark looks at grades alone, without further runs of a method."""

    kinds: tuple[ClassKind, ...]
    methods: tuple[Method, ...]
    seed: int
    quick: bool = False

    def known(self, task: BenchmarkTask) -> KnownClass:
        """The task's class; the same for all methods."""
        return self.kinds[task.kind].draw(class_seed(self, task))


@dataclass(frozen=True, eq=False)
class BenchmarkFinding:
    """What a method made of a class, or why it made nothing.

    Attributes
    ----------
    trouble: ``needs authors`` and the like, or why it failed; empty if there are grades
    scores, sd: (submissions, components) on the scale of 0 to 5, or the scores of a ranking
    held_out: log probability of a review that was held out, on average; NaN where it was not asked for
    harm, gain: what one grader's lowest grades change in others' grades, and in that grader's own
    """

    trouble: str
    scores: Floats
    sd: Floats
    converged: bool = True
    seconds: float = 0.0
    held_out: float = np.nan
    harm: float = np.nan
    gain: float = np.nan


def class_seed(job: BenchmarkJob, task: BenchmarkTask) -> int:
    """The seed of a class, which no other class of the benchmark has, whichever kinds are compared."""
    name = job.kinds[task.kind].name.encode()
    return int(np.random.SeedSequence([job.seed, task.replicate, *name]).generate_state(1)[0])


def run_task(job: BenchmarkJob, task: BenchmarkTask) -> BenchmarkFinding:
    """Apply a method to a class."""
    known, method = job.known(task), job.methods[task.method]
    try:
        found = method.aggregate(known.book, seed=job.seed)
    except UnmetNeedError as error:
        return _no_grades(f"needs {error.need}")
    except MissingExtraError:
        return _no_grades("needs the extra crowd")
    except ModelError as error:
        return _no_grades(str(error), converged=False)
    scores = on_model_scale(found, known.book)
    spans = [5 / (entry.grades[-1] - entry.grades[0]) for entry in known.book.rubric.components]
    result = BenchmarkFinding("", scores, found.sd * spans, found.converged, found.seconds)
    if job.quick or task.replicate > 0:
        return result
    folds = deal(known.book, min(FOLDS, known.book.n_reviews), job.seed)
    try:
        held_out = float(predict_reviews(known.book, method, folds, job.seed).mean())
    except UnmetNeedError:  # all staff's reviews, say, are in one fold
        held_out = np.nan
    harm, gain = (np.nan, np.nan) if found.is_ranking else deviate(known.book, method, scores, job.seed)
    return replace(result, held_out=held_out, harm=harm, gain=gain)


def _no_grades(trouble: str, *, converged: bool = True) -> BenchmarkFinding:
    return BenchmarkFinding(trouble, np.zeros(0), np.zeros(0), converged)


def deviate(book: Gradebook, method: Method, honest: Floats, seed: int) -> tuple[float, float]:
    """What changes when one student gives the lowest grade to all: in those grades, and in the student's own."""
    students = np.flatnonzero((book.roles == STUDENT) & (np.bincount(book.review_grader, minlength=book.n_graders) > 0))
    chosen = np.random.default_rng(seed).permutation(students)[:DEVIATORS]
    harm, gain = [], []
    for grader in chosen:
        mine = book.review_grader == grader
        levels = book.levels.copy()
        levels[mine] = np.where(levels[mine] == MISSING, MISSING, 0)
        found = method.aggregate(replace(book, levels=levels), seed=seed)
        change = on_model_scale(found, book) - honest
        harm.append(float(change[book.review_submission[mine]].mean()))
        own = [index for index, team in enumerate(book.authors) if book.graders[grader] in team]
        gain += [float(change[own].mean())] if own else []
    return float(np.mean(harm)) if harm else np.nan, float(np.mean(gain)) if gain else np.nan
