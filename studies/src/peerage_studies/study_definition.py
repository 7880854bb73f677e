"""What a study is: tasks, each a simulated class and what varies, and the rows of the table that they yield."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from peerage.gradebook.book import Gradebook
from peerage.model import Model
from peerage.simulation.simulated_class import simulate
from peerage.simulation.truth import Truth

COLUMNS = ("class", "setting", "value", "replicate", "metric", "result")
"""The columns of the table of a study."""


class Row(NamedTuple):
    """A measurement: what varied, its value, what was measured and the result."""

    setting: str
    value: str | float
    metric: str
    result: float


@dataclass(frozen=True)
class Course:
    """A class to be simulated: which of the paper's, which replicate, and its size.

    Two studies that describe the same course get the same class, so that what they find can be compared.
    """

    kind: str
    replicate: int
    students: int = 120
    weeks: int = 10
    submissions_per_week: int | None = None
    tas: int = 3
    ta_share: float = 0.25

    def simulate(self, seed: int, model: Model | None = None) -> tuple[Gradebook, Truth]:
        """Draw the class."""
        return simulate(
            self.students,
            self.weeks,
            np.random.default_rng(self._seeds(seed)),
            tas=self.tas,
            ta_share=self.ta_share,
            submissions_per_week=self.submissions_per_week,
            setting=self.kind,
            model=model,
        )

    def fit_seed(self, seed: int) -> int:
        """The seed of all fits of the class, so that differences between them are not due to chance."""
        return self.fit_seeds(seed, 1)[0]

    def fit_seeds(self, seed: int, count: int) -> list[int]:
        """So many seeds, for fits that are to differ by chance; the first is that of all other fits."""
        return [int(child.generate_state(1)[0]) for child in self._seeds(seed).spawn(count)]

    def _seeds(self, seed: int) -> np.random.SeedSequence:
        return np.random.SeedSequence([seed, zlib.crc32(_text(asdict(self)).encode())])


@dataclass(frozen=True)
class Task:
    """A course and what is done with it: the setting that varies, and its value."""

    course: Course
    setting: str
    value: str | float

    @property
    def key(self) -> str:
        """The task as text, by which its findings are kept."""
        return _text(asdict(self))


@dataclass(frozen=True)
class Study:
    """One of the experiments.

    Attributes
    ----------
    name: by which it is called
    version: to be raised when what a task finds has changed, so that earlier findings are not taken for present ones
    tasks: from courses of the standard size and whether the study is to be quick, to the tasks
    measure: from a task and the seed to its rows
    """

    name: str
    version: int
    tasks: Callable[[Sequence[Course], bool], Iterator[Task]]
    measure: Callable[[Task, int], list[Row]]


def _text(entries: object) -> str:
    return json.dumps(entries, sort_keys=True)
