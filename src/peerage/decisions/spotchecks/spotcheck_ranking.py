"""Which submissions a TA should grade next, and why."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.decisions.posterior_needs import drawn_true_grades
from peerage.decisions.spotchecks.benefit import benefit_of
from peerage.decisions.spotchecks.check_reasons import Reasons
from peerage.errors import ModelError
from peerage.gradebook.book import Gradebook
from peerage.inference.posterior import Posterior
from peerage.support.words.whole_numbers import at_least

BUDGET = 20
"""How many submissions are proposed unless told otherwise."""

RANDOM_SHARE = 0.1
"""The share of them that is chosen at random."""

Indexes = NDArray[np.intp]

COLUMNS = ("rank", "submission", "priority", "reason")


def spot_checks(
    posterior: Posterior, budget: int = BUDGET, *, random_share: float = RANDOM_SHARE, seed: int = 0
) -> pd.DataFrame:
    """Propose submissions for staff to grade: rank, submission, priority, reason. For staff only.

    The priority is what a TA's grade is expected to take off the variance of a submission's grades, in squared points
    (:mod:`peerage.decisions.spotchecks.benefit`). Submissions that staff have graded are not proposed.

    Parameters
    ----------
    posterior: the fit
    budget: how many to propose at most
    random_share: the share of the proposals that is drawn from all the others with equal chances, spread evenly over
        the list, so that nobody can be sure not to be checked
    seed: decides, together with the class's grades, which these are

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, tas=0, seed=1)
    >>> list(pg.spot_checks(pg.fit(book, chains=2, draws=50, seed=0), 5).columns)
    ['rank', 'submission', 'priority', 'reason']
    """
    check_request(budget, random_share)
    book, true_grades = posterior.book, drawn_true_grades(posterior)
    benefit = benefit_of(posterior, true_grades)
    candidates = np.flatnonzero(benefit.candidates)
    order = candidates[np.argsort(-benefit.gain[candidates], kind="stable")]
    chosen, is_random = choose(order, budget, random_share, _rng(book, seed))
    reasons = Reasons(posterior, benefit, true_grades)
    columns = (
        np.arange(1, len(chosen) + 1),
        np.array(book.submissions, dtype=object)[chosen],
        benefit.gain[chosen],
        np.array([reasons.of(int(u), bool(drawn)) for u, drawn in zip(chosen, is_random, strict=True)], dtype=object),
    )
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def choose(
    order: Indexes, budget: int, random_share: float, rng: np.random.Generator
) -> tuple[Indexes, NDArray[np.bool_]]:
    """Choose the first in order but for a share that is drawn from all the others, and say which were drawn."""
    rank = np.arange(1, min(budget, len(order)) + 1)
    # Rounding must not move a rank whose product with the share is a whole number.
    is_random = np.floor(rank * random_share + 1e-9) > np.floor((rank - 1) * random_share + 1e-9)
    n_best = int(np.count_nonzero(~is_random))
    chosen = np.empty(len(rank), np.intp)
    chosen[~is_random] = order[:n_best]
    chosen[is_random] = rng.choice(order[n_best:], len(rank) - n_best, replace=False)
    return chosen, is_random


def check_request(budget: int, random_share: float) -> None:
    """Refuse a budget or a share that makes no sense."""
    at_least(0, budget=budget)
    if not 0 <= random_share <= 1:
        raise ModelError(f"random_share is a share between 0 and 1, not {random_share!r}")


def _rng(book: Gradebook, seed: int) -> np.random.Generator:
    """A generator that depends on the grades, so that who knows the seed alone cannot foresee what it draws."""
    return np.random.default_rng([at_least(0, seed=seed), zlib.crc32(book.levels.tobytes())])
