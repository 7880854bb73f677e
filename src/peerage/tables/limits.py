"""How much is read at most, so that no file, damaged or made to do harm, takes all time and memory there is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import NoReturn

from peerage.errors import InputError, Problem


@dataclass(frozen=True)
class Limits:
    """What a file can have at most.

    Attributes
    ----------
    megabytes: of a file
    unpacked: megabytes of a workbook or a Parquet file, which are compressed, once it is unpacked
    document: megabytes of a JSON or XML document
    rows, columns, cells: of a table
    components: that are graded
    markup: elements (XML) in one row of a workbook, and beside all rows, such as its styles
    seconds: that reading takes
    """

    megabytes: int = 500
    unpacked: int = 500
    document: int = 100
    rows: int = 10_000_000
    columns: int = 1000
    cells: int = 100_000_000
    components: int = 200
    markup: int = 100_000
    seconds: int = 300

    def with_changes(self, changes: Mapping[str, int]) -> Limits:
        """The limits, some of them changed."""
        names = [entry.name for entry in fields(self)]
        for name, value in changes.items():
            if name not in names:
                raise InputError(Problem(f"there is no limit {name!r}", f"use {', '.join(names)}", setting="limits"))
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(Problem(f"the limit {name!r} is {value!r}", "write a whole number", setting="limits"))
        return replace(self, **changes)


LIMITS = Limits()
"""What holds unless the user says otherwise."""


@dataclass(frozen=True)
class Allowance:
    """What one reading may take: limits, and when it began.

    Nothing interrupts a step that takes long. Whoever reads looks at the clock between steps, and at every row where
    rows are read one by one; the size of a step has limits of its own.
    """

    limits: Limits = LIMITS
    begun: float = field(default_factory=lambda: time.monotonic())

    def check(self, name: str, found: float, noun: str, file: str = "") -> None:
        """Refuse more of something than its limit."""
        most = getattr(self.limits, name)
        if found > most:
            self._refuse(name, f"has {found:,.0f} {noun}, and at most {most:,} are read", file)

    def check_time(self, file: str = "") -> None:
        """Refuse to go on after the limit of time."""
        if time.monotonic() - self.begun > self.limits.seconds:
            self._refuse("seconds", f"was not read within {self.limits.seconds:,} seconds", file)

    def _refuse(self, name: str, message: str, file: str) -> NoReturn:
        raise InputError(Problem(message, f"give a smaller file, or raise the limit {name!r}", file, setting="limits"))
