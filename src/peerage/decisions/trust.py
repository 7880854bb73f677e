"""Who may grade unsupervised, and who should practise.

A submission graded by n graders alike has a standard error of about 1/√(n d), where d is their dependability: what
their reports tell about the work. With n the number of reviews that a submission of this class has, an error says how
dependable its graders have to be.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from peerage.errors import ModelError
from peerage.gradebook.book import MACHINE, ROLES, STUDENT, Gradebook
from peerage.inference.posterior import Posterior

GOOD_ERROR, POOR_ERROR = 0.5, 1.0
"""The error of a grade, on the scale of 0 to 5, that graders alike may make and must not make."""

UNSUPERVISED, PRACTICE, SUPERVISED, STAFF, NONE = "unsupervised", "practice", "supervised", "staff", ""
"""The standings of a grader; a machine has none."""


def trust(
    posterior: Posterior,
    *,
    pessimistic: float = 0.05,
    optimistic: float = 0.95,
    good_error: float = GOOD_ERROR,
    poor_error: float = POOR_ERROR,
) -> pd.DataFrame:
    """Tell who may grade alone: grader, role, n_graded, pessimistic, optimistic, standing.

    A standing is ``unsupervised`` where even the pessimistic estimate of a grader suffices for an error of
    ``good_error``, ``practice`` where even the optimistic one does not for ``poor_error``, and ``supervised`` between
    the two, where little is known or the grader is neither; staff are ``staff``, and a machine has no standing.

    Parameters
    ----------
    posterior: the fit
    pessimistic, optimistic: the quantiles of dependability
    good_error, poor_error: on the scale of 0 to 5, of a grade by as many graders alike as a submission has

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
    >>> list(pg.trust(pg.fit(book, chains=2, draws=50, seed=0)).columns[-3:])
    ['pessimistic', 'optimistic', 'standing']
    """
    if not 0 <= pessimistic <= optimistic <= 1:
        raise ModelError(f"the quantiles {pessimistic!r} and {optimistic!r} must rise, between 0 and 1")
    if not 0 < good_error <= poor_error:
        raise ModelError(f"the errors {good_error!r} and {poor_error!r} must be positive, the good one the smaller")
    book = posterior.book
    low, high = np.quantile(posterior.dependability.reshape(-1, book.n_graders), [pessimistic, optimistic], axis=0)
    standings = {
        STAFF: book.is_staff,
        NONE: book.roles == MACHINE,
        UNSUPERVISED: low >= needed(book, good_error),
        PRACTICE: high < needed(book, poor_error),
    }
    return pd.DataFrame(
        {
            "grader": np.array(book.graders, dtype=object),
            "role": np.array(ROLES, dtype=object)[book.roles],
            "n_graded": np.bincount(book.review_grader, minlength=book.n_graders),
            "pessimistic": low,
            "optimistic": high,
            "standing": np.array(np.select(list(standings.values()), list(standings), SUPERVISED), dtype=object),
        }
    )


def needed(book: Gradebook, error: float) -> float:
    """The dependability at which as many graders alike as a submission has come to a standard error."""
    by_students = book.roles[book.review_grader] == STUDENT
    counts = np.bincount(book.review_submission[by_students], minlength=book.n_submissions)
    typical = float(np.median(counts[counts > 0])) if by_students.any() else 1.0
    return 1 / (typical * error**2)
