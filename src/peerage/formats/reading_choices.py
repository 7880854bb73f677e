"""How tables of grades are to be read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from peerage.errors import InputError, Problem
from peerage.formats.rows.assemble import Duplicates
from peerage.formats.wizard.mapping import FileMapping
from peerage.gradebook.rulings import Exclusion
from peerage.tables.known_columns import FIELDS
from peerage.tables.limits import LIMITS, Allowance

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Reading:
    """How tables are to be read; :func:`peerage.read_grades` explains each choice.

    Attributes
    ----------
    columns: our column names and the file's
    components, drop: the only components to read, and columns or components not to read
    snap: whether grades that are not on the rubric move to the nearest that is
    duplicates: what is done about several grades of one component of a submission by one grader
    exact_ids: whether ids that differ only in capitals or spaces are different people's
    format_name: the format of all files, if it is not to be recognised
    mapping: answers to questions about the file
    exclude: reviews that do not count, or a file of them
    until: the time after which reviews are left out
    limits: how much is read at the most
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    components: Sequence[str] | None = None
    drop: Sequence[str] = ()
    snap: bool = False
    duplicates: Duplicates = "error"
    exact_ids: bool = False
    format_name: str | None = None
    mapping: FileMapping | None = None
    exclude: PathLike | Sequence[Exclusion] | None = None
    until: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in FIELDS]
        if unknown:
            remedy = f"use {', '.join(FIELDS)}"
            raise InputError(Problem(f"no column can stand for {unknown[0]!r}", remedy, setting="columns"))
        if self.duplicates not in get_args(Duplicates):
            remedy = f"use {', '.join(get_args(Duplicates))}"
            message = f"repeated grades cannot be treated as {self.duplicates!r}"
            raise InputError(Problem(message, remedy, setting="duplicates"))

    def allowance(self) -> Allowance:
        """What a reading that begins now may take."""
        return Allowance(LIMITS.with_changes(self.limits))
