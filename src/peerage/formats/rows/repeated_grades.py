"""Reported grades as arrays, and what to do when a grader grades a component of a submission twice."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.rubric import Rubric

Indexes = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class RepeatedReports:
    """Reported grades: the row in which each stands, codes for who graded what, the grade's level, and when."""

    row_of: Indexes
    submission: Indexes
    grader: Indexes
    component: Indexes
    level: Indexes
    time: NDArray[np.datetime64]

    def __len__(self) -> int:
        return len(self.row_of)

    def take(self, which: NDArray[Any]) -> RepeatedReports:
        """Some of the reports, given by index or mask."""
        return RepeatedReports(**{entry.name: getattr(self, entry.name)[which] for entry in fields(self)})

    @property
    def pairs(self) -> NDArray[np.int64]:
        """A number for each pair of a submission and a grader."""
        return self.submission.astype(np.int64) * (int(self.grader.max(initial=0)) + 1) + self.grader

    @property
    def keys(self) -> NDArray[np.int64]:
        """A number for each triple of a submission, a grader and a component."""
        return self.pairs * (int(self.component.max(initial=0)) + 1) + self.component


def repeated(reports: RepeatedReports) -> tuple[Indexes, Indexes]:
    """The reports that come second or later for their key, and for each of them the first one."""
    _, first, key = np.unique(reports.keys, return_index=True, return_inverse=True)
    later = np.flatnonzero(first[key] != np.arange(len(reports)))
    return later, first[key][later]


def keep_last(reports: RepeatedReports) -> RepeatedReports:
    """One report for each key: the latest by time, or by place where times are equal or one of them is unknown."""
    keys = reports.keys
    undecided = np.isin(keys, keys[np.isnat(reports.time)])
    order = np.lexsort((np.where(undecided, 0, reports.time.astype(np.int64)), keys))
    is_last = np.append(np.diff(keys[order]) != 0, True)
    return reports.take(np.sort(order[is_last]))


def average(reports: RepeatedReports, rubric: Rubric) -> RepeatedReports:
    """One report for each key: the legal grade nearest to the mean, half rounding up, at the latest time."""
    _, first, key = np.unique(reports.keys, return_index=True, return_inverse=True)
    merged = reports.take(first)
    for index, component in enumerate(rubric.components):
        here = reports.component == index
        sums = np.bincount(key[here], component.values[reports.level[here]], minlength=len(first))
        means = sums / np.bincount(key, minlength=len(first))
        merged.level[merged.component == index] = component.level_of(means[merged.component == index])
    time = merged.time.copy()
    np.fmax.at(time, key, reports.time)
    return replace(merged, time=time).take(np.argsort(first))
