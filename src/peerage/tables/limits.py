"""How much is read at most, so that no file, damaged or made to do harm, takes all time and memory there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

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
    """

    megabytes: int = 500
    unpacked: int = 500
    document: int = 100
    rows: int = 10_000_000
    columns: int = 1000
    cells: int = 100_000_000
    components: int = 200

    def with_changes(self, changes: Mapping[str, int]) -> Limits:
        """The limits, some of them changed."""
        names = [entry.name for entry in fields(self)]
        for name, value in changes.items():
            if name not in names:
                raise InputError(Problem(f"there is no limit {name!r}", f"use {', '.join(names)}", setting="limits"))
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(Problem(f"the limit {name!r} is {value!r}", "write a whole number", setting="limits"))
        return replace(self, **changes)

    def check(self, name: str, found: float, noun: str, file: str = "") -> None:
        """Refuse more of something than its limit."""
        most = getattr(self, name)
        if found > most:
            message = f"has {found:,.0f} {noun}, and at most {most:,} are read"
            raise InputError(Problem(message, f"give less, or raise the limit {name!r}", file, setting="limits"))


LIMITS = Limits()
"""What holds unless the user says otherwise."""
