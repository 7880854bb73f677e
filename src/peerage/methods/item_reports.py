"""What methods see of a class: who reported what about which item.

An *item* is one component of one submission; its number is ``submission * components + component``. So a grader's
reports on all components count together, as they do in Peerage's own models. ItemReports are on the scale for which a
method's constants were published, on which each component's lowest and highest grade have the same place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook import MISSING, Gradebook

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ItemReports:
    """Who reported what about which item.

    Attributes
    ----------
    item, grader: (reports,) indexes
    value: (reports,) the reported grades on the method's scale
    level: (reports,) which of the component's grades they are, counted from 0
    ladder: for each component, its grades on the method's scale
    n_items, n_graders: how many there are, with those that have no report
    component, assignment: (items,) indexes, assignments in the order of the file
    written_by, written: pairs of a grader and an item of which the grader is an author
    is_staff: (graders,) whether the grader is a TA or an instructor
    """

    item: Indexes
    grader: Indexes
    value: Floats
    level: Indexes
    ladder: tuple[Floats, ...]
    n_items: int
    n_graders: int
    component: Indexes
    assignment: Indexes
    written_by: Indexes
    written: Indexes
    is_staff: NDArray[np.bool_]

    @classmethod
    def of(cls, book: Gradebook, low: Floats, high: Floats) -> ItemReports:
        """The reports of a class, with each component's lowest and highest grade at ``low`` and ``high``."""
        review, component = np.nonzero(book.levels != MISSING)
        n_components = len(book.rubric)
        level = book.levels[review, component].astype(np.int64)
        ladder = tuple(
            low[index] + (high[index] - low[index]) * entry.scaled / entry.scaled[-1]
            for index, entry in enumerate(book.rubric.components)
        )
        value = np.empty(len(review))
        for index, steps in enumerate(ladder):
            mine = component == index
            value[mine] = steps[level[mine]]
        order = {name: index for index, name in enumerate(dict.fromkeys(book.assignments))}
        assignment = np.array([order[name] for name in book.assignments], np.int64)
        written_by, written = _written(book)
        return cls(
            item=book.review_submission[review].astype(np.int64) * n_components + component,
            grader=book.review_grader[review].astype(np.int64),
            value=value,
            level=level,
            ladder=ladder,
            n_items=book.n_submissions * n_components,
            n_graders=book.n_graders,
            component=np.tile(np.arange(n_components), book.n_submissions),
            assignment=np.repeat(assignment, n_components),
            written_by=written_by,
            written=written,
            is_staff=book.is_staff,
        )

    def only(self, kept: NDArray[np.bool_]) -> ItemReports:
        """Some of the reports; items and graders keep their places."""
        return replace(
            self,
            item=self.item[kept],
            grader=self.grader[kept],
            value=self.value[kept],
            level=self.level[kept],
        )

    @cached_property
    def per_item(self) -> Floats:
        """(items,) how many reports each item has."""
        return sums(self.item, self.n_items)

    @cached_property
    def per_grader(self) -> Floats:
        """(graders,) how many reports each grader made."""
        return sums(self.grader, self.n_graders)

    def by_item(self, amount: Floats) -> Floats:
        """(items,) sums of an amount for each report."""
        return sums(self.item, self.n_items, amount)

    def by_grader(self, amount: Floats) -> Floats:
        """(graders,) sums of an amount for each report."""
        return sums(self.grader, self.n_graders, amount)

    def mean(self, weight: Floats | None = None, value: Floats | None = None) -> Floats:
        """(items,) the mean of the reports, or of another value of each, weighted or not; NaN where there is none."""
        weight = np.ones(len(self.item)) if weight is None else weight
        return ratio(self.by_item(weight * (self.value if value is None else value)), self.by_item(weight))

    def own(self, value: Floats) -> Floats:
        """(graders,) the mean of a value of the items that each grader wrote; NaN for those who wrote none."""
        total = sums(self.written_by, self.n_graders, value[self.written])
        return ratio(total, sums(self.written_by, self.n_graders))


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide, with NaN, and no warning, where the divisor is not positive."""
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0))


def sums(owner: Indexes, count: int, amount: Floats | None = None) -> Floats:
    """(owners,) the sum of each owner's amounts, or how many there are."""
    return np.asarray(np.bincount(owner, amount, minlength=count), dtype=np.float64)


def _written(book: Gradebook) -> tuple[Indexes, Indexes]:
    place = {name: index for index, name in enumerate(book.graders)}
    pairs = [
        (place[author], submission)
        for submission, team in enumerate(book.authors)
        for author in dict.fromkeys(team)
        if author in place
    ]
    if not pairs:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    author, submission = np.array(pairs, np.int64).T
    row, component = np.nonzero(book.applicable[submission])
    return author[row], submission[row] * len(book.rubric) + component
