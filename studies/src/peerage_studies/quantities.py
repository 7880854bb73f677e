"""What is taken from the table of a study, and what can be asked of it.

A quantity takes from the rows of one class a number for each replicate; a criterion decides from the mean over
replicates and its 95 % confidence interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

import pandas as pd

from peerage_studies.estimates import Estimate
from peerage_studies.truths import true_value

LITTLE = 0.1
"""A change by less than this share of what it changes is called a small one."""


class NotMeasuredError(LookupError):
    """The table lacks what a claim is about."""


class Quantity(Protocol):
    """A number for each replicate."""

    def __call__(self, rows: pd.DataFrame) -> pd.Series[float]:
        """(replicates,) the numbers, from the rows of one class; :class:`NotMeasuredError` if they lack them."""
        ...


class Criterion(Protocol):
    """What is asked of the mean of a quantity."""

    def __call__(self, found: Estimate) -> bool | None:
        """Whether it is so; None if the interval is too wide to tell."""
        ...


class Place(Enum):
    """A value of a setting that depends on the class, or on what was run."""

    TRUE = auto()
    LOWEST = auto()
    HIGHEST = auto()


@dataclass(frozen=True)
class At:
    """A metric at one value of a setting."""

    metric: str
    setting: str
    value: float | str | Place

    def __call__(self, rows: pd.DataFrame) -> pd.Series[float]:
        """See :class:`Quantity`."""
        chosen = rows[(rows["metric"] == self.metric) & (rows["setting"] == self.setting)]
        if chosen.empty:
            raise NotMeasuredError
        values = chosen["value"].map(as_number)
        chosen = chosen[values == self._sought(values, str(rows["class"].iloc[0]))]
        if chosen.empty:
            raise NotMeasuredError
        return chosen.set_index("replicate")["result"]

    def _sought(self, values: pd.Series[Any], name: str) -> float | str:
        match self.value:
            case Place.TRUE:
                return true_value(self.setting, name)
            case Place.LOWEST:
                return float(values.min())
            case Place.HIGHEST:
                return float(values.max())
            case value:
                return as_number(value)


@dataclass(frozen=True)
class Change:
    """By how much one quantity is above another in the same replicate, or by what share of the other."""

    one: Quantity
    other: Quantity
    relative: bool = False

    def __call__(self, rows: pd.DataFrame) -> pd.Series[float]:
        """See :class:`Quantity`."""
        one, other = self.one(rows), self.other(rows)
        change = (one - other).dropna()
        return change / other.mean() if self.relative else change


@dataclass(frozen=True)
class Highest:
    """A metric at that value of some settings at which its mean is the highest."""

    metric: str
    settings: tuple[str, ...]

    def __call__(self, rows: pd.DataFrame) -> pd.Series[float]:
        """See :class:`Quantity`."""
        chosen = rows[(rows["metric"] == self.metric) & rows["setting"].isin(self.settings)]
        if chosen.empty:
            raise NotMeasuredError
        results = [group.set_index("replicate")["result"] for _, group in chosen.groupby(["setting", "value"])]
        return max(results, key=lambda entry: float(entry.mean()))


@dataclass(frozen=True)
class Rounded:
    """The interval reaches the numbers that are rounded to the stated one."""

    stated: float
    unit: float = 0.01

    def __call__(self, found: Estimate) -> bool:
        """See :class:`Criterion`."""
        return Within(self.stated - self.unit / 2, self.stated + self.unit / 2)(found)


@dataclass(frozen=True)
class Within:
    """The interval reaches a stated range."""

    low: float
    high: float

    def __call__(self, found: Estimate) -> bool:
        """See :class:`Criterion`."""
        return found.upper >= self.low and found.lower <= self.high


@dataclass(frozen=True)
class Below:
    """All of the interval is below a bound; with 0 for a change, something falls significantly."""

    bound: float = 0.0

    def __call__(self, found: Estimate) -> bool | None:
        """See :class:`Criterion`."""
        return _told(found.upper < self.bound, found.lower >= self.bound)


@dataclass(frozen=True)
class Above:
    """All of the interval is above a bound; with 0 for a change, something rises significantly."""

    bound: float = 0.0

    def __call__(self, found: Estimate) -> bool | None:
        """See :class:`Criterion`."""
        return _told(found.lower > self.bound, found.upper <= self.bound)


@dataclass(frozen=True)
class NotAbove:
    """Not all of the interval is above 0: nothing rises significantly."""

    def __call__(self, found: Estimate) -> bool:
        """See :class:`Criterion`."""
        return found.lower <= 0


@dataclass(frozen=True)
class Small:
    """All of the interval is near 0."""

    limit: float = LITTLE

    def __call__(self, found: Estimate) -> bool | None:
        """See :class:`Criterion`."""
        inside = -self.limit < found.lower and found.upper < self.limit
        return _told(inside, found.lower >= self.limit or found.upper <= -self.limit)


def _told(holds: bool, fails: bool) -> bool | None:
    """Whether something holds, if it does or does not."""
    return holds if holds or fails else None


def as_number(value: Any) -> float | str:
    """A setting's value as a number, if it is one: ``"0.80"`` and 0.8 are the same value."""
    try:
        return float(value)
    except ValueError:
        return str(value)
