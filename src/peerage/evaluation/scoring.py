"""How well a model predicts reviews that its fit has not seen, in folds or by leave-one-out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.evaluation.folds import deal
from peerage.gradebook.book import Gradebook
from peerage.inference.checking.held_out import HeldOut
from peerage.inference.choose_model import expected_grades
from peerage.inference.fitting import fit
from peerage.inference.posterior import Posterior
from peerage.model import Model
from peerage.support.words.whole_numbers import at_least

Floats = NDArray[np.float64]

MOST_REFITS = 10
"""How many fits at most replace leave-one-out predictions that cannot be trusted."""

SHARE_LEFT_OUT = 0.1
"""How many reviews at most such a fit leaves out, as a share of all."""


@dataclass(frozen=True)
class Sampling:
    """How long each of many fits samples, as in :func:`peerage.fit`, and the seed from which all their seeds come."""

    chains: int = 4
    draws: int = 1000
    burn_in: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("draws", 1), ("burn_in", 0), ("seed", 0)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, at_least(least, **{name: getattr(self, name)}))


@dataclass(frozen=True, eq=False)
class Score:
    """What one task found about a model.

    Attributes
    ----------
    log_mass: log probability of each review that was predicted, in the gradebook's order
    expected: (cells,) expected grades on the model's scale, if all reviews were fitted; else none
    seconds: how long it took
    refitted: how many reviews were predicted by further fits, because leave-one-out could not be trusted
    held_out: how well the fit of all reviews predicts single grades, as a fit's own summary says it, if it was asked
    """

    log_mass: Floats
    expected: Floats
    seconds: float
    refitted: int = 0
    held_out: HeldOut | None = None


def score_fold(book: Gradebook, model: Model, folds: NDArray[np.int64], fold: int, sampling: Sampling) -> Score:
    """Predict the reviews of one fold by a fit of all others."""
    begun = time.perf_counter()
    log_mass = _held_out(book, model, folds, fold, sampling)
    return Score(log_mass, np.zeros(0), time.perf_counter() - begun)


def score_by_loo(
    book: Gradebook, model: Model, sampling: Sampling, *, refit: bool = True, summary: bool = False
) -> Score:
    """Predict each review by leave-one-out from one fit of all.

    With ``refit``, where its Pareto shape says that the estimate may be off, reviews are predicted by fits without
    them. With ``summary``, the score says how well single grades are predicted.
    """
    begun = time.perf_counter()
    posterior = _fitted(book, model, sampling, sampling.seed)
    found = posterior.leave_one_out
    log_mass = found.log_mass.copy()
    refitted = int(found.untrusted.sum()) if refit else 0
    if refitted:
        folds = deal(book, _refits(book, found.untrusted), sampling.seed, among=found.untrusted)
        for fold in range(folds.max() + 1):
            log_mass[folds == fold] = _held_out(book, model, folds, fold, sampling)
    seconds = time.perf_counter() - begun
    return Score(log_mass, expected_grades(posterior), seconds, refitted, posterior.held_out if summary else None)


def score_nothing(book: Gradebook, model: Model, sampling: Sampling, *, summary: bool = False) -> Score:
    """The expected grades of a fit of all reviews, and no prediction of reviews."""
    begun = time.perf_counter()
    posterior = _fitted(book, model, sampling, sampling.seed)
    seconds = time.perf_counter() - begun
    return Score(np.zeros(0), expected_grades(posterior), seconds, 0, posterior.held_out if summary else None)


def _fitted(book: Gradebook, model: Model, sampling: Sampling, seed: int) -> Posterior:
    # Many fits run at once, so that each keeps to one processor.
    return fit(
        book, model, chains=sampling.chains, draws=sampling.draws, burn_in=sampling.burn_in, seed=seed, workers=1
    )


def _held_out(book: Gradebook, model: Model, folds: NDArray[np.int64], fold: int, sampling: Sampling) -> Floats:
    """Log probability of each review of a fold, by the draws of a fit of all others."""
    seen = folds != fold
    seed = int(np.random.SeedSequence([sampling.seed, fold]).generate_state(1)[0])
    # Graders and submissions keep their places whatever is held out, so that the draws fit the whole class.
    return _fitted(book.select(seen), model, sampling, seed).predict_unseen(book, seen)


def _refits(book: Gradebook, untrusted: NDArray[np.bool_]) -> int:
    """How many fits let no two reviews of a submission, and not too many of all, be left out together."""
    count = int(untrusted.sum())
    by_size = math.ceil(count / max(SHARE_LEFT_OUT * book.n_reviews, 1))
    by_submission = int(np.bincount(book.review_submission[untrusted]).max())
    return min(max(by_size, by_submission), count, MOST_REFITS)
