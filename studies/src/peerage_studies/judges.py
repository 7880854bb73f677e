"""Judges of claims that are about several numbers at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from peerage_studies.claims import Finding, in_words
from peerage_studies.estimates import SIGNIFICANT, estimate
from peerage_studies.quantities import LITTLE, At, NotMeasuredError, Place, as_number
from peerage_studies.truths import true_value

MOST = 0.5


@dataclass(frozen=True)
class Robust:
    """Most of the changes that wrong values of some settings make are small, or are insignificant.

    A change is small if the mean differs from that at the true value by less than a tenth of it. It is called
    insignificant if the two confidence intervals overlap, which is what a figure of means and intervals shows.
    """

    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    small: bool

    def __call__(self, rows: pd.DataFrame) -> Finding:
        """See :class:`~peerage_studies.claims.Judge`."""
        changes = list(self._changes(rows))
        if not changes:
            raise NotMeasuredError
        met = sum(small if self.small else overlap for small, overlap in changes)
        words = "by less than a tenth" if self.small else "with overlapping intervals"
        return Finding(f"{met} of {len(changes)} {words}", met > MOST * len(changes))

    def _changes(self, rows: pd.DataFrame) -> Iterator[tuple[bool, bool]]:
        """Whether each change is small, and whether its intervals overlap."""
        for setting in self.settings:
            chosen = rows[rows["setting"] == setting]
            values = chosen["value"].map(as_number).unique()
            for metric in self.metrics if len(values) else ():
                truth = true_value(setting, str(rows["class"].iloc[0]))
                right = estimate(At(metric, setting, Place.TRUE)(chosen))
                for value in values:
                    if value != truth:
                        wrong = estimate(At(metric, setting, value)(chosen))
                        distance = abs(wrong.mean - right.mean)
                        yield distance < LITTLE * abs(right.mean), distance <= wrong.half + right.half


@dataclass(frozen=True)
class Worse:
    """A model predicts worse than the full one, significantly over submissions, in at least a share of the classes."""

    model: str
    share: float = 1.0

    def __call__(self, rows: pd.DataFrame) -> Finding:
        """See :class:`~peerage_studies.claims.Judge`."""
        change = At("elpd_change", "model", self.model)(rows)
        p_value = At("p_value", "model", self.model)(rows)
        worse = int(((change < 0) & (p_value < SIGNIFICANT)).sum())
        found = estimate(change)
        words = f"{in_words(found.mean, found.half, 0)}; p < 0.05 in {worse} of {found.replicates}"
        return Finding(words, worse >= self.share * len(change))
