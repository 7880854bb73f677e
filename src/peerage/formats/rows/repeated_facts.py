"""What rows say again and again and must agree on: graders' roles, submissions' assignments and authors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.formats.rows.entries import Entries, split_authors
from peerage.gradebook.book import ROLES
from peerage.tables.column import Column

_REMEDIES = {
    "role": "give each grader one role",
    "assignment": "give the submissions of each assignment their own ids",
    "author": "give a submission the same authors in every row, several as a;b",
}


@dataclass(frozen=True, eq=False)
class Claim:
    """One thing about each owner: a grader's role, a submission's assignment or author.

    ``values`` has an entry for each value of the owner's column: its first claim, or empty. Claims agree if they have
    the same ``meaning``, even if they are not ``said`` in the same words.
    """

    name: str
    owner_name: str
    owner: Column
    said: Column
    meaning: Column
    first: NDArray[np.intp]

    @classmethod
    def of(cls, name: str, owner_name: str, owner: Column, said: Column, meaning: Column | None = None) -> Claim:
        """Take each owner's first claim."""
        filled = np.flatnonzero(~said.blank)
        first = np.full(len(owner.values), -1)
        first[owner.codes[filled[::-1]]] = filled[::-1]
        return cls(name, owner_name, owner, said, said if meaning is None else meaning, first)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The claim about each of the owner column's values."""
        return tuple(self.said[row] if row >= 0 else "" for row in self.first)

    def problems(self, entries: Entries) -> Iterable[Problem]:
        """Rows that claim something else than the first one."""
        filled = np.flatnonzero(~self.said.blank)
        firsts = self.first[self.owner.codes[filled]]
        differs = self.meaning.codes[filled] != self.meaning.codes[firsts]
        for row, first in zip(filled[differs], firsts[differs], strict=True):
            message = (
                f"the {self.name} of {self.owner_name} {self.owner[row]!r} is {self.said[row]!r} here "
                f"but {self.said[first]!r} in {entries.place(first, seen_from=row)}"
            )
            yield entries.problem(row, message, _REMEDIES[self.name])


@dataclass(frozen=True, eq=False)
class Claims:
    """What is claimed about graders and submissions."""

    entries: Entries
    role: Claim
    assignment: Claim
    author: Claim

    @classmethod
    def of(cls, entries: Entries) -> Claims:
        """Settle what the rows claim; authors may be named in any order."""
        authors = entries.author.map(lambda text: ";".join(sorted(split_authors(text))))
        return cls(
            entries,
            Claim.of("role", "grader", entries.grader, entries.role),
            Claim.of("assignment", "submission", entries.submission, entries.assignment),
            Claim.of("author", "submission", entries.submission, entries.author, authors),
        )

    def problems(self) -> Iterable[Problem]:
        """Roles that are unknown, and claims that change."""
        role = self.entries.role
        for row in np.flatnonzero(role.where(lambda text: text not in ("", *ROLES))):
            remedy = f"use {', '.join(ROLES[:-1])} or {ROLES[-1]}; an empty role means {ROLES[0]}"
            yield self.entries.problem(row, f"the role {role[row]!r} is unknown", remedy)
        for claim in (self.role, self.assignment, self.author):
            yield from claim.problems(self.entries)

    @cached_property
    def authors(self) -> tuple[tuple[str, ...], ...]:
        """The authors of each value of the submission column."""
        return tuple(split_authors(text) for text in self.author.values)

    @cached_property
    def own_work(self) -> NDArray[np.bool_]:
        """The rows in which graders review their own work."""
        if not any(self.authors):
            return np.zeros(len(self.entries.row), dtype=bool)
        grader, submission = self.entries.grader, self.entries.submission
        codes: dict[str, list[int]] = {}
        for code, name in enumerate(grader.values):
            codes.setdefault(name.strip(), []).append(code)
        own = [
            index * len(grader.values) + code
            for index, authors in enumerate(self.authors)
            for author in authors
            for code in codes.get(author, ())
        ]
        pairs = submission.codes.astype(np.int64) * len(grader.values) + grader.codes
        return np.isin(pairs, np.array(own, dtype=np.int64))
