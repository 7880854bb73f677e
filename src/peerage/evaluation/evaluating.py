"""evaluate(): how well models predict reviews that they have not seen, beside simple baselines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, ModelError
from peerage.evaluation.ablations import ablations
from peerage.evaluation.baselines import BASELINES, score_baselines
from peerage.evaluation.evaluation import Evaluation
from peerage.evaluation.evaluation_tables import REVIEW_COLUMNS
from peerage.evaluation.folds import NO_FOLD, deal
from peerage.evaluation.method_scores import score_methods
from peerage.evaluation.scoring import Sampling, Score, score_by_loo, score_fold, score_nothing
from peerage.gradebook.book import Gradebook
from peerage.inference.layout import lay_out
from peerage.inference.sampling.chains import must_compile
from peerage.methods.method_contract import Method
from peerage.methods.method_registry import find
from peerage.model import Model
from peerage.support.tasks.progress import Counter
from peerage.support.tasks.running_tasks import Running
from peerage.support.words.whole_numbers import at_least

FOLDS = 10
"""How many folds the reviews are dealt into unless told otherwise."""

Models = Sequence[Model] | Mapping[str, Model]

Task = tuple[int, int]
"""A model's place in the list, and the fold that is held out; ``NO_FOLD`` if none is."""


@dataclass(frozen=True, eq=False)
class EvaluationJob:
    """What all tasks share."""

    book: Gradebook
    models: tuple[Model, ...]
    folds: NDArray[np.int64]
    loo: bool
    sampling: Sampling


def evaluate(
    book: Gradebook,
    model: Model | None = None,
    *,
    models: Models | None = None,
    folds: int = FOLDS,
    loo: bool = False,
    methods: Sequence[str | Method] = (),
    sampling: Sampling | None = None,
    running: Running | None = None,
) -> Evaluation:
    """Predict held-out reviews by a base model, by models that differ from it in one feature, and by baselines.

    Parameters
    ----------
    model: the base model, with which the others are compared
    models: all models to compare, the base first, instead of those that differ from ``model`` in one feature; as a
        dictionary of names, if some have the same features
    folds: how many folds the reviews are dealt into; each fold is predicted by a fit of the others
    loo: predict each review by leave-one-out from one fit, instead of in folds
    methods: other methods of the field to compare, by name; they are predicted in folds even with ``loo``
    sampling: how long each fit samples, and the seed
    running: where the fits run, who is told how many are done, and what stops them

    The same seed gives the same figures, wherever the fits run.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1, seed=1)
    >>> sampling = pg.Sampling(chains=1, draws=20, burn_in=20)
    >>> found = pg.evaluate(book, models=[pg.Model()], folds=2, sampling=sampling)
    >>> list(found.table()["model"])
    ['bias + effort + censoring', 'mean', 'median', 'class average']
    """
    if not isinstance(book, Gradebook):
        raise InputError("evaluate takes a Gradebook; make one with read_grades")
    if book.n_reviews < 2:
        raise InputError("there is only one review, and nothing to predict it from; add reviews")
    named = _named(book, model, models)
    others = _others(book, named, methods)
    folds = min(at_least(2, folds=folds), book.n_reviews)
    sampling = Sampling() if sampling is None else sampling
    running = Running() if running is None else running
    job = EvaluationJob(book, tuple(named.values()), deal(book, folds, sampling.seed), loo, sampling)
    scores = dict(zip(named, _merged(job, _run(job, running)), strict=True))
    scores |= score_baselines(book, job.folds, loo=loo)
    scores |= score_methods(book, others, job.folds, sampling.seed, running) if others else {}
    return Evaluation(book, named, scores, None if loo else job.folds, sampling)


def _named(book: Gradebook, model: Model | None, models: Models | None) -> dict[str, Model]:
    """All models by name, the base first."""
    if models is None:
        models = ablations(book, Model() if model is None else model)
    elif model is not None:
        raise ModelError("give a base model or all models, not both")
    pairs = list(models.items()) if isinstance(models, Mapping) else [(entry.name, entry) for entry in models]
    named = dict(pairs)
    if not named:
        raise ModelError("there is no model to evaluate; give at least one")
    if len(named) < len(pairs):
        raise ModelError("two of the models have the same features; give models by name, as a dictionary")
    taken = sorted(set(named) & {*BASELINES, *REVIEW_COLUMNS})
    if taken:
        raise ModelError(f"a model cannot be called {taken[0]!r}, which has another meaning; choose another name")
    return named


def _others(book: Gradebook, named: Mapping[str, Model], methods: Sequence[str | Method]) -> list[Method]:
    """The methods to compare, but for baselines, which are there anyway."""
    chosen = [find(entry) if isinstance(entry, str) else entry for entry in methods]
    taken = sorted({entry.name for entry in chosen} & {*named, *REVIEW_COLUMNS})
    if taken:
        raise ModelError(f"a model cannot be called {taken[0]!r}, as a method is; choose another name")
    for entry in chosen:
        entry.check(book)
    return [entry for entry in dict.fromkeys(chosen) if entry.name.replace("-", " ") not in BASELINES]


def _run(job: EvaluationJob, running: Running) -> dict[Task, Score]:
    """Do all tasks, wherever they run."""
    tasks = list(_tasks(job))
    scores = {}
    layouts = [lay_out(job.book, model) for model in job.models]  # refuses what does not fit the class
    with running.begun() as (executor, listener):
        counter = Counter(listener, "fitting", len(tasks), compiling=any(map(must_compile, layouts)))
        for index, score in executor.map(run_task, job, tasks):
            scores[tasks[index]] = score
            counter.advance()
    return scores


def _tasks(job: EvaluationJob) -> Iterator[Task]:
    held_out: Iterable[int] = () if job.loo else range(int(job.folds.max()) + 1)
    for index in range(len(job.models)):
        yield from ((index, fold) for fold in (NO_FOLD, *held_out))


def run_task(job: EvaluationJob, task: Task) -> Score:
    """Fit one model, of all reviews or without a fold, and say what it predicts."""
    index, fold = task
    model = job.models[index]
    if fold != NO_FOLD:
        return score_fold(job.book, model, job.folds, fold, job.sampling)
    return (score_by_loo if job.loo else score_nothing)(job.book, model, job.sampling, summary=index == 0)


def _merged(job: EvaluationJob, scores: dict[Task, Score]) -> list[Score]:
    """For each model, what all its tasks found."""
    merged = []
    for index in range(len(job.models)):
        whole = scores[index, NO_FOLD]
        mine = {fold: score for (owner, fold), score in scores.items() if owner == index}
        log_mass = whole.log_mass if job.loo else np.zeros(job.book.n_reviews)
        for fold, score in mine.items():
            if fold != NO_FOLD:
                log_mass[job.folds == fold] = score.log_mass
        seconds = sum(score.seconds for score in mine.values())
        merged.append(Score(log_mass, whole.expected, seconds, whole.refitted, whole.held_out))
    return merged
