"""Reviews beside each other: ``Paper, Reviewer 1, Score 1, Reviewer 2, Score 2`` becomes a row for each review."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from peerage.errors import Problem
from peerage.support.words.wording import counted
from peerage.tables.column import Column
from peerage.tables.known_columns import field_of
from peerage.tables.sheet import Sheet

_NUMBERED = re.compile(r"(?P<stem>.*?[^\W\d])[\s_#.:(-]*(?P<number>\d{1,3})\s*\)?(?:[\s_:.–-]+(?P<rest>[^\W\d].*))?")


@dataclass(frozen=True)
class _Numbered:
    """A column of one of several reviews: its number and what it is called in all of them."""

    name: str
    number: int
    stem: str
    rest: str

    @property
    def common(self) -> str:
        return self.rest or self.stem


def below_each_other(sheet: Sheet, meant: Collection[str]) -> Sheet:
    """The sheet with a row for each review, if reviews are beside each other; else the sheet as it is.

    They are if several numbered columns name the graders, or what was graded, as no other column does or is ``meant``
    to, and other columns bear the same numbers.
    """
    plain = {field_of(name) for name in sheet.header} | set(meant)
    numbered = [
        _Numbered(name, int(match["number"]), match["stem"].strip(), (match["rest"] or "").strip())
        for name in sheet.header
        if (match := _NUMBERED.fullmatch(name))
    ]
    for field in ("grader", "submission"):
        owners = {entry.number: entry for entry in numbered if not entry.rest and field_of(entry.stem) == field}
        groups = _groups(numbered, owners)
        if len(owners) > 1 and field not in plain and groups:
            return _stacked(sheet, {number: groups[number] for number in owners})
    return sheet


def _groups(numbered: Collection[_Numbered], owners: Mapping[int, _Numbered]) -> dict[int, dict[str, str]]:
    """For each number, the column of each thing that all numbers have; none if there is just the owner."""
    counts = Counter(entry.common for entry in numbered if entry.number in owners)
    shared = {common for common, count in counts.items() if count == len(owners)}
    groups: dict[int, dict[str, str]] = {number: {} for number in owners}
    for entry in numbered:
        if entry.number in owners and entry.common in shared:
            groups[entry.number][entry.common] = entry.name
    return groups if len(shared) > 1 and all(len(group) == len(shared) for group in groups.values()) else {}


def _stacked(sheet: Sheet, groups: Mapping[int, Mapping[str, str]]) -> Sheet:
    taken = {name for group in groups.values() for name in group.values()}
    common = [name for name in sheet.header if name not in taken]
    repeated = list(next(iter(groups.values())))
    columns = [Column.joined([sheet.column(name)] * len(groups)) for name in common]
    columns += [Column.joined([sheet.column(group[name]) for group in groups.values()]) for name in repeated]
    place = np.tile(np.arange(len(sheet)), len(groups))
    filled = ~np.logical_and.reduce([column.blank for column in columns[len(common) :]])
    order = np.flatnonzero(filled)[np.argsort(place[filled], kind="stable")]
    message = f"has {counted(len(groups), 'review')} in a row, which were read as rows of their own"
    return replace(
        sheet,
        header=(*common, *repeated),
        columns=tuple(column.take(order) for column in columns),
        rows=sheet.rows[place[order]],
        notices=(*sheet.notices, Problem(message, "", sheet.file)),
    )
