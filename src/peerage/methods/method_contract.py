"""The contract of all methods: from a gradebook to an :class:`Aggregate`.

A method states its mathematics in :meth:`Solver.solve`, which sees only
:class:`~peerage.methods.item_reports.ItemReports`. What all methods share is here: whether the class has what a method
needs, the scale of its constants, the time that it takes, and that no grade is ever NaN. Constants are the published
ones unless a method's docstring says otherwise.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, ModelError, UnmetNeedError
from peerage.gradebook import Gradebook
from peerage.gradebook.comparisons import Comparisons
from peerage.methods.item_reports import ItemReports, ratio, sums
from peerage.methods.method_needs import Need
from peerage.rubric import MODEL_MAXIMUM, Component

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a method found, on its own scale.

    Attributes
    ----------
    value: (items,) grades, or scores whose order alone means something; NaN for items without a report
    sd: (items,) standard deviations, if the method has them
    weight, bias: (graders,) if the method has them; a bias is what a grader adds to grades
    converged: whether it arrived; formulas do
    iterations: how many steps it took; 0 for a formula
    """

    value: Floats
    sd: Floats | None = None
    weight: Floats | None = None
    bias: Floats | None = None
    converged: bool = True
    iterations: int = 0


@dataclass(frozen=True, eq=False)
class Aggregate:
    """What a method makes of a class.

    Attributes
    ----------
    book: the class, or what was compared
    method: the method's name
    is_ranking: whether only the order of ``scores`` means something
    scores: (submissions, components) grades in the rubric's units, or the scores of a ranking
    sd: (submissions, components) in the rubric's units, NaN if the method has none
    weight: (graders,) how much each grader counts, as the method defines it; NaN if it has none
    bias: (graders,) on the scale of 0 to 5; NaN if the method has none
    converged: whether the method arrived at its answer
    iterations, seconds: how many steps and how long it took
    """

    book: Gradebook | Comparisons
    method: str
    is_ranking: bool
    scores: Floats
    sd: Floats
    weight: Floats
    bias: Floats
    converged: bool
    iterations: int
    seconds: float

    def grades(self) -> pd.DataFrame:
        """A row for each component of a submission: submission, component, grade, sd.

        A component that nobody graded has the mean of that component in the class.
        """
        if self.is_ranking:
            raise InputError(f"{self.method} ranks submissions and gives no grades; ask for its ranking instead")
        return pd.DataFrame(self._cells(grade=self.scores, sd=self.sd))

    def ranking(self) -> pd.DataFrame:
        """A row for each component of a submission: submission, component, score, rank.

        The best submission of an assignment has rank 1 in a component; equal ones share the better rank.
        """
        table = pd.DataFrame(self._cells(score=self.scores))
        rows, _ = np.nonzero(self.book.applicable)
        assignment = np.array(self.book.assignments, dtype=object)[rows]
        ranks = table["score"].groupby([assignment, table["component"]]).rank(ascending=False, method="min")
        return table.assign(rank=ranks.astype(int))

    def graders(self) -> pd.DataFrame:
        """A row for each grader: grader, weight, bias; NaN where the method has none."""
        names = np.array(self.book.graders, dtype=object)
        return pd.DataFrame({"grader": names, "weight": self.weight, "bias": self.bias})

    def __repr__(self) -> str:
        end = (
            f"converged after {self.iterations:,} steps" if self.converged else f"{self.iterations:,} steps, unfinished"
        )
        return f"Aggregate({self.method}: {end if self.iterations else 'a formula'}; {self.book!r})"

    def _cells(self, **columns: Floats) -> dict[str, NDArray[Any]]:
        submission, component = np.nonzero(self.book.applicable)
        ids = {
            "submission": np.array(self.book.submissions, dtype=object)[submission],
            "component": np.array(self.book.rubric.names, dtype=object)[component],
        }
        return ids | {name: values[submission, component] for name, values in columns.items()}


@dataclass(frozen=True)
class Method(ABC):
    """A way to make one grade of several.

    Attributes
    ----------
    name: what it is called
    citation: where it was published
    needs: what a class must have
    is_ranking: whether it ranks alone
    """

    name: str = field(kw_only=True)

    citation: ClassVar[str]
    needs: ClassVar[tuple[Need, ...]] = ()
    is_ranking: ClassVar[bool] = False

    def unmet(self, book: Gradebook) -> Need | None:
        """The first thing that the method needs and the class has not."""
        return next((need for need in self.needs if not need.is_met(book)), None)

    def check(self, book: Gradebook) -> None:
        """Refuse a class that lacks what the method needs, with the reason."""
        need = self.unmet(book)
        if need is not None:
            raise UnmetNeedError(self.name, need.name, need.reason)

    def aggregate(self, book: Gradebook | Comparisons, *, seed: int | np.random.Generator = 0) -> Aggregate:
        """Apply the method to a class, or to comparisons if it ranks; the same seed gives the same grades."""
        if isinstance(book, Comparisons):
            return _timed(lambda: self.compare(book))
        if not isinstance(book, Gradebook):
            raise InputError("aggregate takes a Gradebook; make one with read_grades")
        self.check(book)
        return _timed(lambda: self.apply(book, np.random.default_rng(seed)))

    def compare(self, compared: Comparisons) -> Aggregate:  # noqa: ARG002
        """Rank what was compared, if the method can."""
        raise UnmetNeedError(self.name, "grades", "comparisons say only which of two submissions is better")

    @abstractmethod
    def apply(self, book: Gradebook, rng: np.random.Generator) -> Aggregate:
        """What the method makes of a class that has what it needs; ``aggregate`` takes the time."""


@dataclass(frozen=True)
class Solver(Method):
    """A method that sees reports alone; ``scale`` says where their lowest and highest grade lie.

    It is the scale for which the method's constants were published.
    """

    scale: ClassVar[tuple[float, float]] = (0.0, MODEL_MAXIMUM)

    @abstractmethod
    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """The method itself."""

    def apply(self, book: Gradebook, rng: np.random.Generator) -> Aggregate:
        """Solve the class on the method's scale, and bring what is found back to the rubric's."""
        low, high = (np.array(ends) for ends in zip(*map(self.ends, book.rubric.components), strict=True))
        reports = ItemReports.of(book, low, high)
        found = self.solve(reports, rng)
        shape = (book.n_submissions, len(book.rubric))
        filler = found.value if self.is_ranking else reports.mean()
        value = _completed(self.name, reports, found.value, filler, (low + high) / 2).reshape(shape)
        sd = np.full(shape, np.nan) if found.sd is None else found.sd.reshape(shape)
        if not self.is_ranking:
            share = (value - low) / (high - low) * MODEL_MAXIMUM
            columns = [entry.from_model(share[:, index]) for index, entry in enumerate(book.rubric.components)]
            value = np.stack(columns, axis=1)
            sd = sd / (high - low) * [entry.grades[-1] - entry.grades[0] for entry in book.rubric.components]
        unknown = np.full(book.n_graders, np.nan)
        return Aggregate(
            book=book,
            method=self.name,
            is_ranking=self.is_ranking,
            scores=value,
            sd=sd,
            weight=unknown if found.weight is None else found.weight,
            bias=unknown if found.bias is None else found.bias / float(np.mean(high - low)) * MODEL_MAXIMUM,
            converged=found.converged,
            iterations=found.iterations,
            seconds=0.0,
        )

    def ends(self, component: Component) -> tuple[float, float]:  # noqa: ARG002
        """Where a component's lowest and highest grade lie on the method's scale."""
        return self.scale


def _timed(work: Callable[[], Aggregate]) -> Aggregate:
    begun = time.perf_counter()
    found = work()
    return replace(found, seconds=time.perf_counter() - begun)


def _completed(name: str, reports: ItemReports, value: Floats, filler: Floats, middle: Floats) -> Floats:
    """The values; where there is no report, the mean of the filler in the component, or the middle of the scale."""
    if not np.isfinite(value[reports.per_item > 0]).all():
        raise ModelError(f"{name} gives no number for this class")
    known = np.flatnonzero(np.isfinite(filler))
    weight = np.maximum(reports.per_item[known], 1)
    component, count = reports.component, len(middle)
    mean = ratio(
        sums(component[known], count, filler[known] * weight),
        sums(component[known], count, weight),
    )
    mean = np.where(np.isnan(mean), middle, mean)
    return np.where(np.isfinite(value), value, mean[component])
