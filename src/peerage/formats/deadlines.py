"""What was written after some time is left out, for all assignments or for each after its own time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings, NothingLeftError
from peerage.formats.rows.repeated_facts import Claim
from peerage.formats.rows.times import time_of, times_of
from peerage.support.words.wording import counted, listed, quoted

_REMEDY = "write it as 2024-09-30, 2024-09-30 17:05, or week1=2024-09-30,week2=2024-10-07"


@dataclass(frozen=True)
class Limit:
    """The last moment that counts, how the user wrote it, and of which assignment; of every one if it is empty."""

    last: np.datetime64
    text: str
    assignment: str = ""

    @classmethod
    def parse(cls, text: str, assignment: str = "") -> Limit:
        """A day, all of which counts, or a time."""
        last = time_of(text)
        if np.isnat(last):
            raise InputError(Problem(f"{text!r} is not a time", _REMEDY, setting="until"))
        if _is_day(text):
            last = last + np.timedelta64(1, "D") - np.timedelta64(1, "us")
        return cls(last, text, assignment)

    def apply(self, entries: Entries, times: NDArray[np.datetime64], found: Findings) -> NDArray[np.bool_]:
        """The rows that come too late, which are reported."""
        late = (times > self.last) & self.covers(entries)
        of = f" of {self.assignment!r}" if self.assignment else ""
        if late.any():
            graders = quoted(dict.fromkeys(entries.grader[row] for row in np.flatnonzero(late)))
            number = counted(entries.n_reviews(late), "review")
            found.note(f"left out {number}{of} written after {self.text}, by {graders}", setting="until")
        else:
            found.note(f"no review{of} was written after {self.text}")
        return late

    def covers(self, entries: Entries) -> NDArray[np.bool_]:
        """The rows that the limit is about."""
        if not self.assignment:
            return np.ones(len(entries.row), dtype=bool)
        return np.array([name == self.assignment for name in _assignments(entries)], dtype=bool)[
            entries.submission.codes
        ]


@dataclass(frozen=True)
class Until:
    """Limits, each of them of another assignment, or one of all."""

    limits: tuple[Limit, ...]

    @classmethod
    def parse(cls, text: str) -> Until:
        """A day or a time; or one for each of some assignments, as in ``week1=2024-09-30,week2=2024-10-07``."""
        if "=" not in text:
            return cls((Limit.parse(text.strip()),))
        pairs = [part.rpartition("=") for part in re.split(r",(?=[^,=]*=)", text)]
        names = [name.strip() for name, _, _ in pairs]
        wrong = next((name for index, name in enumerate(names) if not name or name in names[:index]), None)
        if wrong is not None:
            what = f"the assignment {wrong!r} has two time limits" if wrong else "a time limit names no assignment"
            raise InputError(Problem(what, _REMEDY, setting="until"))
        return cls(tuple(Limit.parse(last.strip(), name) for name, (_, _, last) in zip(names, pairs, strict=True)))

    def check(self, entries: Entries) -> None:
        """Refuse files that do not say when anything was written, or do not know an assignment."""
        if np.isnat(_times(entries)).all():
            files = ", ".join(filter(None, entries.files))
            raise InputError(Problem("does not say when reviews were written", "add a column called time", files))
        known = dict.fromkeys(filter(None, _assignments(entries)))
        for limit in self.limits:
            if limit.assignment and limit.assignment not in known:
                message = f"there is no assignment {limit.assignment!r} to limit"
                remedy = f"use {listed(known)}" if known else "add a column called assignment"
                raise InputError(Problem(message, remedy, setting="until"))

    def apply(self, entries: Entries, found: Findings) -> Entries:
        """What was written in time; what does not say when it was written stays."""
        times = _times(entries)
        limits = [(limit, limit.covers(entries)) for limit in self.limits]
        about = np.logical_or.reduce([rows for _, rows in limits])
        unknown = np.isnat(times) & about
        if unknown.any():
            found.note(f"kept {counted(entries.n_reviews(unknown), 'review')} without a time, despite the time limit")
        late = np.logical_or.reduce([limit.apply(entries, times, found) for limit, rows in limits if rows.any()])
        if late.all():
            words = listed(limit.text for limit, rows in limits if rows.any())
            message = f"every review was written after {words}"
            raise NothingLeftError(Problem(message, "give a later time", setting="until"))
        return entries.select(~late) if late.any() else entries


def _times(entries: Entries) -> NDArray[np.datetime64]:
    """When each row was written; not a time where it does not say."""
    return times_of(entries.time.values)[entries.time.codes]


def _assignments(entries: Entries) -> Sequence[str]:
    """The assignment of each value of the submission column."""
    return Claim.of("assignment", "submission", entries.submission, entries.assignment).values


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
