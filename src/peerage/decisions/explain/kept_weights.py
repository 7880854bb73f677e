"""Weights that stay when new grades come in: those of submissions about which these say nothing.

New draws give slightly other weights to everybody, and so other last decimals to grades that nothing speaks against.
Where reviews and the probabilities of grades are as they were, weights, and with them grades, stay.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.explain.submission_cases import Case
from peerage.decisions.explain.weigh_reports import Weighing
from peerage.decisions.explain.weight_problem import MILLION, WHOLE, WeightLimits
from peerage.decisions.posterior_needs import GradedCells
from peerage.gradebook.book import MISSING, Gradebook
from peerage.gradebook.merging import places, with_changed_reviews
from peerage.inference.posterior import Posterior


class Share(NamedTuple):
    """What a review counts, and what it deserves to count."""

    weight: float
    desired_weight: float


@dataclass(frozen=True, eq=False)
class KeptWeights:
    """The weights of some submissions.

    Attributes
    ----------
    shares: of each submission, by grader
    settings: what was asked for, as :class:`~peerage.decisions.explain.explanation.Explanation` has it
    limits: of submissions whose weights needed wider ones
    unproven: submissions for which better weights may exist
    """

    shares: Mapping[str, Mapping[str, Share]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, WeightLimits] = field(default_factory=dict)
    unproven: Collection[str] = ()

    def of(self, case: Case, book: Gradebook, usual: WeightLimits) -> tuple[Case, Weighing] | None:
        """A case with its kept weights; None if there are none, or none that serve."""
        name = book.submissions[case.submission]
        known = self.shares.get(name, {})
        shares = [known.get(book.graders[grader]) for grader in book.review_grader[case.reviews]]
        kept = [share for share in shares if share is not None]
        if not kept or len(kept) < len(shares):
            return None
        values = np.array(kept)
        if not np.isfinite(values).all():
            return None
        weights, desired = np.rint(values.T * [[WHOLE], [MILLION]]).astype(np.int64)
        counting = case.levels[weights > 0][:, case.averaged]
        if weights.sum() != WHOLE or weights.min() < 0 or (counting == MISSING).all(axis=0).any():
            return None
        weighing = Weighing(weights, self.limits.get(name, usual), name not in self.unproven)
        return replace(case, desired=desired), weighing


def unconcerned(before: Posterior, after: Posterior) -> NDArray[np.bool_]:
    """(submissions,) of an updated posterior: whose reviews and probabilities of grades are as they were."""
    cells, earlier = GradedCells.of(after), GradedCells.of(before)
    n_components = len(after.book.rubric)
    place = places(*(part.submission * n_components + part.component for part in (earlier, cells)))
    same = (place >= 0) & (cells.level_mass == earlier.level_mass[np.maximum(place, 0)]).all(axis=1)
    other = np.bincount(cells.submission[~same], minlength=cells.n_submissions) > 0
    return ~other & ~with_changed_reviews(before.book, after.book)
