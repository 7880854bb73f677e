"""A roster: who the class's ids are in another system. Nobody is matched by guessing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.exports.student_marks import everyone
from peerage.support.words.wording import quoted
from peerage.tables.frames import Foreign, sheet_of_frame
from peerage.tables.known_columns import fold
from peerage.tables.reading_files import read_sheet
from peerage.tables.sheet import Sheet


@dataclass(frozen=True)
class Roster:
    """A table with a row for each person; some columns hold ids, by which people can be found."""

    file: str
    header: tuple[str, ...]
    people: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: Path) -> Roster:
        """Read a table of any kind; full names are added where it has first and last names."""
        return cls._of(read_sheet(path, path.name))

    @classmethod
    def of_table(cls, table: pd.DataFrame | Foreign) -> Roster:
        """The same of a table in memory."""
        return cls._of(sheet_of_frame(table))

    @classmethod
    def _of(cls, sheet: Sheet) -> Roster:
        rows = [tuple(column[index].strip() for column in sheet.columns) for index in range(len(sheet))]
        return cls(sheet.file, sheet.header, tuple(rows)).with_full_names()

    def with_full_names(self) -> Roster:
        """The roster with a column of first and last names together, if it has them apart."""
        first, last = self.place(("First name", "FirstName")), self.place(("Last name", "LastName", "Surname"))
        if first is None or last is None:
            return self
        people = tuple((*person, f"{person[first]} {person[last]}".strip()) for person in self.people)
        return Roster(self.file, (*self.header, "First name and last name"), people)

    def place(self, names: Sequence[str]) -> int | None:
        """The index of the first of some columns that there is."""
        folded = [fold(name) for name in self.header]
        return next((folded.index(fold(name)) for name in names if fold(name) in folded), None)

    def match(self, ids: Sequence[str], column: str | None) -> Match:
        """Find people by their ids in one column: the one given, or the one that holds most of them."""
        chosen = self._chosen(ids) if column is None else self.place((column,))
        if chosen is None:
            remedy = f"use one of {', '.join(self.header)}"
            raise InputError(Problem(f"has no column {column!r} to match by", remedy, self.file))
        return self._match(ids, chosen)

    def _match(self, ids: Sequence[str], column: int) -> Match:
        count = Counter(person[column] for person in self.people)
        row_of = {person[column]: row for row, person in enumerate(self.people)}
        rows = {identity: row_of[identity] for identity in ids if count[identity] == 1}
        repeated = [identity for identity in ids if count[identity] > 1]
        absent = [identity for identity in ids if not count[identity]]
        return Match(self, self.header[column], rows, tuple(repeated), tuple(absent))

    def _chosen(self, ids: Sequence[str]) -> int:
        found = [self._match(ids, column) for column in range(len(self.header))]
        best = max((len(match.rows) for match in found), default=0)
        if 2 * best <= len(ids):
            message = f"no column holds most of the class's ids, which are {quoted(ids)}"
            raise InputError(Problem(message, "add such a column, or name one", self.file, setting="match"))
        likely = [column for column, match in enumerate(found) if len(match.rows) == best]
        if any(found[column].rows != found[likely[0]].rows for column in likely):
            names = " and ".join(repr(self.header[column]) for column in likely)
            message = f"the columns {names} hold the class's ids equally often but of different people"
            raise InputError(Problem(message, "say which one counts", self.file, setting="match"))
        return likely[0]


@dataclass(frozen=True)
class Match:
    """Who was found in a roster by a column: the row of each id, and the ids that it has twice or not at all."""

    roster: Roster
    column: str
    rows: Mapping[str, int]
    repeated: tuple[str, ...]
    absent: tuple[str, ...]

    def notices(self) -> list[Problem]:
        """By which column people were found, and who was not."""
        total = len(self.rows) + len(self.repeated) + len(self.absent)
        found = [Problem(f"found {len(self.rows):,} of {total:,} people by the column {self.column!r}")]
        if self.repeated:
            found.append(Problem(f"left out, because the roster has two of them: {everyone(self.repeated)}"))
        if self.absent:
            found.append(Problem(f"left out, because the roster does not have them: {everyone(self.absent)}"))
        known = set(self.rows.values())
        place = self.roster.header.index(self.column)
        others = [
            next(filter(None, (person[place], *person)), "")
            for row, person in enumerate(self.roster.people)
            if row not in known
        ]
        if others:
            found.append(Problem(f"left out, because they have no mark: {everyone(others)}"))
        return [Problem(problem.message, "", self.roster.file) for problem in found]

    def to(self, names: Sequence[str]) -> tuple[dict[str, str], list[Problem]]:
        """What each id is called in the first of some columns that there is, and whom that does not tell apart."""
        target = self.roster.place(names)
        if target is None:
            raise InputError(Problem(f"has no column {names[0]!r}", "add it to the roster", self.roster.file))
        called = {identity: self.roster.people[row][target] for identity, row in self.rows.items()}
        count = Counter(person[target] for person in self.roster.people)
        unclear = [identity for identity, name in called.items() if not name or count[name] > 1]
        notices = []
        if unclear:
            message = f"left out, because {self.roster.header[target]!r} is empty or belongs to several people"
            notices.append(Problem(f"{message}: {everyone(unclear)}", "", self.roster.file))
        return {identity: name for identity, name in called.items() if identity not in unclear}, notices
