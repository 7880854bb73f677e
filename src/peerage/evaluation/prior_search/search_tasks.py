"""The tasks of a search: to screen a setting by leave-one-out, or to predict one of its folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.evaluation.folds import NO_FOLD
from peerage.evaluation.scoring import Sampling, score_by_loo, score_fold
from peerage.gradebook.book import Gradebook
from peerage.model import Model, Priors

Sums = NDArray[np.float64]


class SearchTask(NamedTuple):
    """A setting, and the fold to be held out; without one, the setting is screened."""

    priors: Priors
    fold: int = NO_FOLD


class SearchFinding(NamedTuple):
    """What a task found: sums of the reviews' log probabilities by submission, and the seconds that it took."""

    sums: Sums
    seconds: float


@dataclass(frozen=True, eq=False)
class SearchJob:
    """What all tasks share: ``folds`` (reviews,) has the fold of each review."""

    book: Gradebook
    model: Model
    folds: NDArray[np.int64]
    screening: Sampling
    sampling: Sampling


def run(job: SearchJob, task: SearchTask) -> SearchFinding:
    """Do a task."""
    model = replace(job.model, priors=task.priors)
    if task.fold == NO_FOLD:
        score = score_by_loo(job.book, model, job.screening, refit=False)
        predicted = np.ones(job.book.n_reviews, dtype=bool)
    else:
        score = score_fold(job.book, model, job.folds, task.fold, job.sampling)
        predicted = job.folds == task.fold
    owner = job.book.review_submission
    sums = np.bincount(owner[predicted], score.log_mass, minlength=job.book.n_submissions)
    reviewed = np.bincount(owner, minlength=job.book.n_submissions) > 0
    return SearchFinding(np.asarray(sums[reviewed], np.float64), score.seconds)
