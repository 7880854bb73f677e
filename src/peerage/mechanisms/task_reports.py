"""What a mechanism sees: one component's grades by the students of one assignment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, STUDENT, Gradebook
from peerage.rubric import MODEL_MAXIMUM

SCALE = 10.0
"""Values are on a scale from 0 to this, whatever the rubric: that of the literature's examples."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TaskReports:
    """Students' grades of one component in one assignment; a *task* is a submission.

    Attributes
    ----------
    assignment: its name
    grader, task, level: (reports,) who graded what, and how
    value: (reports,) the grades on a scale of 0 to 10
    n_graders: how many graders the class has
    scaled: (levels,) each level's value
    earlier: (levels,) how often each level was reported in earlier assignments
    """

    assignment: str
    grader: Integers
    task: Integers
    level: Integers
    value: Floats
    n_graders: int
    scaled: Floats
    earlier: Integers

    @property
    def n_levels(self) -> int:
        """How many grades the component has."""
        return len(self.scaled)

    @cached_property
    def n_tasks(self) -> int:
        """How many tasks there are."""
        return int(self.task.max(initial=-1)) + 1

    @cached_property
    def task_size(self) -> Integers:
        """(tasks,) how many reports each task has."""
        return np.bincount(self.task, minlength=self.n_tasks)

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """The indexes of both reports of every pair on one task, each pair once."""
        order = np.argsort(self.task, kind="stable")
        start = np.cumsum(self.task_size) - self.task_size
        firsts, seconds = [], []
        for size in np.unique(self.task_size):
            one, two = np.triu_indices(int(size), 1)
            begin = start[self.task_size == size][:, None]
            firsts.append(order[(begin + one).ravel()])
            seconds.append(order[(begin + two).ravel()])
        return np.concatenate([np.empty(0, np.int64), *firsts]), np.concatenate([np.empty(0, np.int64), *seconds])

    def mean_over_peers(self, scores: Floats) -> Floats:
        """(reports,) the mean of the scores of all pairs that a report is part of; NaN where none has a score."""
        first, second = self.pairs
        both, scores = np.concatenate([first, second]), np.concatenate([scores, scores])
        known = ~np.isnan(scores)
        counts = np.bincount(both[known], minlength=len(self.level))
        sums = np.bincount(both[known], scores[known], minlength=len(self.level))
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def penalties(self, rng: np.random.Generator) -> tuple[Integers, Integers]:
        """For each pair, a report by either grader on another task, on different ones; −1 where there is none."""
        first, second = self.pairs
        mine = self._by_grader
        one = _choose(mine[self.grader[first]], self.task, [self.task[first]], rng)
        elsewhere = np.where(one >= 0, self.task[one], -1)
        return one, _choose(mine[self.grader[second]], self.task, [self.task[first], elsewhere], rng)

    @cached_property
    def _by_grader(self) -> Integers:
        """(graders, most reports of a grader) the indexes of each grader's reports, and −1."""
        order = np.argsort(self.grader, kind="stable")
        counts = np.bincount(self.grader, minlength=self.n_graders)
        place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        table = np.full((self.n_graders, int(counts.max(initial=0))), -1)
        table[self.grader[order], place] = order
        return table


def _choose(candidates: Integers, task: Integers, barred: list[Integers], rng: np.random.Generator) -> Integers:
    """One of each row's reports at random, on none of the barred tasks; −1 where there is none."""
    allowed = candidates >= 0
    for tasks in barred:
        allowed &= task[candidates] != tasks[:, None]
    keys = np.where(allowed, rng.random(candidates.shape), -1.0)
    best = keys.argmax(axis=1)
    rows = np.arange(len(candidates))
    return np.where(allowed[rows, best], candidates[rows, best], -1)


def reports_of(book: Gradebook) -> Iterator[TaskReports]:
    """The reports of every assignment, in the order of the book, and every component."""
    by_student = book.roles[book.review_grader] == STUDENT
    names = list(dict.fromkeys(book.assignments))
    assignment = np.array([names.index(name) for name in book.assignments])[book.review_submission]
    for index, component in enumerate(book.rubric.components):
        scaled = component.scaled * (SCALE / MODEL_MAXIMUM)
        earlier = np.zeros(component.n_levels, np.int64)
        for place, name in enumerate(names):
            mine = np.flatnonzero(by_student & (assignment == place) & (book.levels[:, index] != MISSING))
            if not len(mine):
                continue
            level = book.levels[mine, index].astype(np.int64)
            task = np.unique(book.review_submission[mine], return_inverse=True)[1].astype(np.int64)
            grader = book.review_grader[mine].astype(np.int64)
            yield TaskReports(name, grader, task, level, scaled[level], book.n_graders, scaled, earlier)
            earlier = earlier + np.bincount(level, minlength=component.n_levels)
