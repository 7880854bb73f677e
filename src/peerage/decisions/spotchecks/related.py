"""What a TA's grade of a submission teaches about the others that its graders graded.

It tells how these graders grade, and so moves the true grades of their other submissions, by as much as the draws of
the two vary together. With V the variance of what the TA reports on average over the components, the variance of a true
grade is expected to fall by cov²/V.

Draws of unrelated grades vary together a little too, and the squares of such covariances do not cancel out. So a
squared covariance is estimated as the mean product of covariances from different stretches of the chains, whose errors
are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.posterior_needs import Cells
from peerage.gradebook.book import STUDENT, Gradebook

STRETCHES = 16
"""Into so many stretches the chains are cut, or one a chain if there are more chains."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indexes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Related:
    """How the true grades of submissions vary together.

    Attributes
    ----------
    stretches: (stretches, submissions, draws) mean true grade over the components that a TA would grade, centred
    n_open: (submissions,) how many components these are
    slope: (submissions,) the variance in points for each unit of variance of a component
    graders_of: for each submission, its student graders
    graded_by: for each grader, the submissions graded
    """

    stretches: NDArray[np.float32]
    n_open: NDArray[np.int64]
    slope: Floats
    graders_of: list[Indexes]
    graded_by: list[Indexes]

    @classmethod
    def of(cls, book: Gradebook, cells: Cells, drawn: NDArray[np.float32], is_open: Flags, points: Floats) -> Related:
        """From draws of all cells on the model's scale, which of them a TA would grade, and variances in points."""
        n_open = cells.added_up(is_open.astype(np.int64))
        # A submission without open components is related to others all the same, by all of its components.
        counted = is_open | (n_open[cells.submission] == 0)
        number = np.maximum(cells.added_up(counted.astype(np.float32)), 1)
        means = np.stack([cells.added_up(np.where(counted, chain, np.float32(0))) for chain in drawn]) / number
        variance = np.maximum(_variances(drawn), 1e-9)
        slope = cells.added_up(points / variance)
        graders_of, graded_by = _adjacency(book)
        return cls(cut(means - means.mean(axis=(0, 1))), n_open, slope, graders_of, graded_by)

    def benefits(self, submissions: Indexes, noise: float) -> tuple[Floats, NDArray[np.int64]]:
        """(all submissions,) each: what a TA's grades of some take off the variances of others, and of how many.

        ``noise`` is the variance of a TA's error in one component.
        """
        points, numbers = np.zeros(len(self.n_open)), np.zeros(len(self.n_open), np.int64)
        variance = np.mean(self.stretches**2, axis=(0, 2), dtype=float)
        for submission in submissions:
            others = self.others(submission)
            heard = variance[submission] + noise / self.n_open[submission]
            fallen = self.squared_covariances(submission, others) / heard
            points[submission] = max(float(fallen @ self.slope[others]), 0.0)
            numbers[submission] = len(others)
        return points, numbers

    def others(self, submission: int) -> Indexes:
        """The other submissions that a submission's student graders graded."""
        graded = [self.graded_by[grader] for grader in self.graders_of[submission]]
        found = np.unique(np.concatenate([np.zeros(0, np.intp), *graded]))
        return np.asarray(found[found != submission])

    def squared_covariances(self, submission: int, others: Indexes) -> Floats:
        """(others,): the squared covariances with a submission, without their sampling error on average."""
        mine = self.stretches[:, submission, :, None]
        covariances = (self.stretches[:, others] @ mine)[:, :, 0].astype(float) / mine.shape[1]
        n = len(covariances)
        products = covariances.sum(axis=0) ** 2 - (covariances**2).sum(axis=0)
        return np.asarray(products / max(n * (n - 1), 1))


def _variances(drawn: NDArray[np.float32]) -> Floats:
    """(cells,) the variance over all draws, without a copy of them in double precision."""
    count = drawn.shape[0] * drawn.shape[1]
    mean = drawn.mean(axis=(0, 1), dtype=float)
    total = np.zeros(len(mean))
    for draw in drawn.reshape(count, -1):
        total += (draw - mean) ** 2
    return np.asarray(total / count)


def cut(means: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cut (chain, draw, submission) into (stretches, submissions, draws), without what is left over at the start."""
    n_chains, n_draws, count = means.shape
    pieces = min(n_draws, -(-STRETCHES // n_chains))
    length = n_draws // pieces
    cut = means[:, n_draws - pieces * length :].reshape(n_chains * pieces, length, count)
    return np.ascontiguousarray(cut.transpose(0, 2, 1))


def _adjacency(book: Gradebook) -> tuple[list[Indexes], list[Indexes]]:
    """For each submission its student graders, and for each grader the submissions graded."""
    mine = np.flatnonzero(book.roles[book.review_grader] == STUDENT)
    submission, grader = book.review_submission[mine], book.review_grader[mine]
    return _grouped(submission, grader, book.n_submissions), _grouped(grader, submission, book.n_graders)


def _grouped(owner: NDArray[np.int32], other: NDArray[np.int32], count: int) -> list[Indexes]:
    order = np.argsort(owner, kind="stable")
    return np.split(other[order].astype(np.intp), np.searchsorted(owner[order], np.arange(1, count)))
