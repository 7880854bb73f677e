"""What is known of the settings of a search: their scores, and which of them may be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from peerage.evaluation.folds import NO_FOLD
from peerage.evaluation.prior_search.prior_grids import in_words
from peerage.evaluation.prior_search.search_tasks import SearchFinding, SearchTask, Sums
from peerage.inference.choose_model import compare
from peerage.model import Priors

MARGIN = 3.0
"""How many standard errors worse than the best a setting must be screened to be given up."""

SCORES = ("screened", "screened_se", "score", "score_se", "difference", "difference_se", "seconds")


@dataclass(frozen=True, eq=False)
class Standings:
    """The settings of a search and what its tasks have found so far.

    Attributes
    ----------
    names: the hyperparameters that are searched
    settings: the priors of each setting
    n_folds: how many folds a setting is cross-validated in
    found: what the tasks found, of these settings and perhaps of others
    """

    names: tuple[str, ...]
    settings: tuple[Priors, ...]
    n_folds: int
    found: Mapping[SearchTask, SearchFinding]

    def screened(self, priors: Priors) -> Sums | None:
        """Log probabilities by submission, by leave-one-out; None if not yet known."""
        finding = self.found.get(SearchTask(priors))
        return None if finding is None else finding.sums

    def cross_validated(self, priors: Priors) -> Sums | None:
        """Log probabilities by submission, each review from a fit without its fold; None if not yet known."""
        folds = [self.found.get(SearchTask(priors, fold)) for fold in range(self.n_folds)]
        known = [finding.sums for finding in folds if finding is not None]
        return np.asarray(np.sum(known, axis=0)) if len(known) == self.n_folds else None

    def finalists(self, keep: int) -> list[Priors]:
        """The settings that may be the best of those screened, and at least so many; the most promising first."""
        sums = {priors: sums for priors in self.settings if (sums := self.screened(priors)) is not None}
        ranked = sorted(sums, key=lambda priors: -float(sums[priors].sum()))
        return [
            priors for rank, priors in enumerate(ranked) if rank < keep or _may_be_best(sums[priors], sums[ranked[0]])
        ]

    def table(self) -> pd.DataFrame:
        """A row for each setting with a score, the best first.

        Its columns are the hyperparameters; the log probability of all reviews, screened and cross-validated, each with
        its standard error; how much that is below the best setting's, where both are cross-validated, else where both
        are screened; and the seconds of all its fits.
        """
        stages = [[self.screened(priors) for priors in self.settings]]
        stages.append([self.cross_validated(priors) for priors in self.settings])
        best = [_best(sums) for sums in stages]
        rows = []
        for index, priors in enumerate(self.settings):
            screened, score = stages[0][index], stages[1][index]
            if screened is None and score is None:
                continue
            gap = _gap(screened, best[0]) if score is None else _gap(score, best[1])
            seconds = sum(
                finding.seconds
                for fold in (NO_FOLD, *range(self.n_folds))
                if (finding := self.found.get(SearchTask(priors, fold))) is not None
            )
            values = (getattr(priors, name) for name in self.names)
            cells = (in_words(value) if isinstance(value, tuple) else value for value in values)
            rows.append((*cells, *_total(screened), *_total(score), *gap, seconds))
        table = pd.DataFrame(rows, columns=[*self.names, *SCORES])
        return table.sort_values(["score", "screened"], ascending=False, kind="stable", ignore_index=True)

    @property
    def best(self) -> Priors | None:
        """The setting with the best score, of those that are cross-validated or, if none is, of those screened."""
        for stage in (self.cross_validated, self.screened):
            scores = {priors: _total(stage(priors))[0] for priors in self.settings}
            known = [priors for priors in self.settings if not np.isnan(scores[priors])]
            if known:
                return max(known, key=lambda priors: scores[priors])
        return None


def _may_be_best(sums: Sums, best: Sums) -> bool:
    gap, error = _gap(sums, best)
    return gap <= MARGIN * error


def _best(stage: Sequence[Sums | None]) -> Sums | None:
    return max((sums for sums in stage if sums is not None), key=lambda sums: _total(sums)[0], default=None)


def _total(sums: Sums | None) -> tuple[float, float]:
    """The log probability of all reviews, and its standard error."""
    return (np.nan, np.nan) if sums is None else compare(sums, np.zeros(len(sums)), np.arange(len(sums)))


def _gap(sums: Sums | None, best: Sums | None) -> tuple[float, float]:
    """How much smaller than the best that is, and its standard error."""
    if sums is None or best is None:
        return np.nan, np.nan
    return compare(best, sums, np.arange(len(sums)))
