"""How well any method predicts reviews that it has not seen, through the calibration that baselines have.

A method says one number of a report: the submission's grade, or the score of a ranking, made without the report's
fold, plus the grader's bias where the method has one. How reports scatter around that is estimated from the reports
of the other folds (:class:`~peerage.evaluation.baselines.Spread`), each beside what was said without its own fold.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.evaluation.baselines import predicted
from peerage.evaluation.folds import NO_FOLD
from peerage.evaluation.scoring import Score
from peerage.gradebook import Gradebook
from peerage.methods.method_contract import Aggregate, Method
from peerage.support.tasks.running_tasks import Running

Floats = NDArray[np.float64]


class MethodsJob(NamedTuple):
    """What all tasks share."""

    book: Gradebook
    methods: tuple[Method, ...]
    folds: NDArray[np.int64]
    seed: int


class Said(NamedTuple):
    """(reviews held out, components) what a method says of them, or (cells,) its grades; and how long it took."""

    values: Floats
    seconds: float


def score_methods(
    book: Gradebook,
    methods: Sequence[Method],
    folds: NDArray[np.int64],
    seed: int,
    running: Running,
) -> dict[str, Score]:
    """Predict all reviews, and the grades, by each method."""
    job = MethodsJob(book, tuple(methods), folds, seed)
    tasks = [(index, fold) for index in range(len(methods)) for fold in (NO_FOLD, *range(int(folds.max()) + 1))]
    with replace(running, progress=False).begun() as (executor, _):
        said = {tasks[index]: found for index, found in executor.map(say, job, tasks)}
    return {method.name: _score(job, index, said) for index, method in enumerate(methods)}


def predict_reviews(book: Gradebook, method: Method, folds: NDArray[np.int64], seed: int) -> Floats:
    """(reviews,) the log probability of each, predicted by one method from the other folds, here and now."""
    job = MethodsJob(book, (method,), folds, seed)
    return _log_mass(job, 0, {(0, fold): say(job, (0, fold)) for fold in range(int(folds.max()) + 1)})


def say(job: MethodsJob, task: tuple[int, int]) -> Said:
    """What a method says of the reviews of a fold from all others, or of all grades."""
    index, fold = task
    begun = time.perf_counter()
    known = job.folds != fold
    book = job.book if known.all() else job.book.select(known)
    found = job.methods[index].aggregate(book, seed=job.seed)
    scores = on_model_scale(found, job.book)
    if fold == NO_FOLD:
        return Said(scores[job.book.applicable], time.perf_counter() - begun)
    bias = np.nan_to_num(found.bias)[job.book.review_grader[~known]]
    values = scores[job.book.review_submission[~known]] + bias[:, None]
    return Said(values, time.perf_counter() - begun)


def on_model_scale(found: Aggregate, book: Gradebook) -> Floats:
    """(submissions, components) grades on the scale of 0 to 5; a ranking's scores as they are."""
    if found.is_ranking:
        return found.scores
    columns = [entry.to_model(found.scores[:, index]) for index, entry in enumerate(book.rubric.components)]
    return np.stack(columns, axis=1)


def _log_mass(job: MethodsJob, index: int, said: dict[tuple[int, int], Said]) -> Floats:
    values = np.zeros(job.book.levels.shape)
    folds = range(int(job.folds.max()) + 1)
    for fold in folds:
        values[job.folds == fold] = said[index, fold].values
    log_mass = np.zeros(job.book.n_reviews)
    for fold in folds:
        held = job.folds == fold
        log_mass[held] = predicted(job.book, held, values, values)
    return log_mass


def _score(job: MethodsJob, index: int, said: dict[tuple[int, int], Said]) -> Score:
    whole = said[index, NO_FOLD]
    grades = np.full(whole.values.shape, np.nan) if job.methods[index].is_ranking else whole.values
    seconds = sum(found.seconds for (method, _), found in said.items() if method == index)
    return Score(_log_mass(job, index, said), grades, seconds)
