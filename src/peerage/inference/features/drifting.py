"""Biases that drift from one assignment to the next: whose, and where each of their values stands.

In an assignment a bias is the grader's bias, its mean over all assignments, plus a *drift*. Drifts are entries of one
array: the first is 0, that of everybody whose bias stays as it is; then come those of each grader whose bias does not,
one for each assignment in the order of the gradebook.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indexes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Walks:
    """Who drifts, over which assignments.

    Attributes
    ----------
    assignments: their names, in the order in which the gradebook has them
    week: (submissions,) the place of each submission's assignment among them
    start: (graders,) where each grader's entries begin; 0 for those whose bias does not drift
    """

    assignments: tuple[str, ...]
    week: Indexes
    start: Indexes

    @classmethod
    def of(
        cls, assignments: tuple[str, ...], may_drift: NDArray[np.bool_], order: tuple[str, ...] | None = None
    ) -> Walks:
        """From the assignment of each submission, and which graders may drift: nobody can over a single one.

        ``order`` has all assignments of the class where the submissions are a part of it.

        >>> walks = Walks.of(("one", "one", "two"), np.array([True, False, True]))
        >>> walks.start.tolist(), walks.entries(np.array([2, 1]), np.array([2, 2])).tolist()
        ([1, 0, 3], [4, 0])
        """
        names = tuple(dict.fromkeys(assignments)) if order is None else order
        place = {name: index for index, name in enumerate(names)}
        drifts = may_drift & (len(names) > 1)
        start = np.where(drifts, 1 + len(names) * (np.cumsum(drifts) - 1), 0)
        return cls(names, np.array([place[name] for name in assignments], dtype=np.int64), start.astype(np.int64))

    @property
    def on(self) -> bool:
        """Whether anybody's bias drifts."""
        return bool(self.start.any())

    @property
    def n_weeks(self) -> int:
        """Over how many assignments biases drift; 1 if they do not."""
        return len(self.assignments) if self.on else 1

    @property
    def n_entries(self) -> int:
        """How many drifts there are, the first among them."""
        return 1 + int(np.count_nonzero(self.start)) * len(self.assignments)

    def common(self, before: Walks) -> tuple[list[int], list[int]]:
        """The assignments that earlier walks had too: their places, and their places there."""
        place = {name: index for index, name in enumerate(self.assignments)}
        pairs = [(place[name], index) for index, name in enumerate(before.assignments) if name in place]
        return [now for now, _ in pairs], [then for _, then in pairs]

    def entries(self, graders: NDArray[np.integer], submissions: NDArray[np.integer]) -> Indexes:
        """Where the drifts of some graders stand, each on a submission."""
        start = self.start[graders]
        return np.asarray(np.where(start > 0, start + self.week[submissions], 0))
