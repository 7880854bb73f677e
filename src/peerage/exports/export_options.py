"""What an export can be told, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from peerage.errors import InputError, Problem
from peerage.exports.roster import Roster

IN_WORDS = {
    "roster": "a roster",
    "match": "a column to match by",
    "id_column": "a column of ids",
    "assignment_ids": "ids of assignments",
    "credit_id": "an id for peer grading",
    "only": "a choice of assignments",
}
"""What messages call each option."""


@dataclass(frozen=True)
class Options:
    """What an export can be told; formats use some of these and refuse the others.

    Attributes
    ----------
    roster: a table, in a file or in memory, that says who the class's ids are in the other system
    match: the roster's column that holds the class's ids
    id_column: the column by which the other system knows people
    assignment_ids: the other system's ids of the assignments, as ``ID`` or ``NAME=ID``
    credit_id: its id of the assignment for peer grading
    only: the assignments to write; all of them if there are none
    """

    roster: Path | Roster | None = None
    match: str | None = None
    id_column: str | None = None
    assignment_ids: tuple[str, ...] = ()
    credit_id: str | None = None
    only: tuple[str, ...] = ()

    def refuse_others(self, used: Sequence[str], name: str) -> None:
        """Refuse options that a format has no use for, and a column of a roster that is not given."""
        given = [field.name for field in fields(self) if getattr(self, field.name)]
        for option in given:
            if option not in used:
                raise InputError(Problem(f"{name} does not use {IN_WORDS[option]}", "leave it out", setting=option))
        if self.match and self.roster is None:
            message = "there is no roster whose column could be matched"
            raise InputError(Problem(message, "give a roster", setting="roster"))


@dataclass(frozen=True)
class Prepared:
    """What will be written, in words too, and what was left out of it."""

    content: Any
    summary: str
    notices: tuple[Problem, ...] = ()


def renamed(
    ids: Sequence[str], options: Options, columns: Sequence[str] | None
) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """What the other system calls people, by the first of some columns of the roster; without a roster, the same."""
    if options.roster is None:
        return {identity: identity for identity in ids}, ()
    if not columns:
        remedy = "say which of them to write"
        raise InputError(Problem("a roster has several columns", remedy, setting="id_column"))
    roster = Roster.read(options.roster) if isinstance(options.roster, Path) else options.roster
    match = roster.match(ids, options.match)
    names, notices = match.to(columns)
    if not names:
        raise InputError([*notices, Problem("nobody is left to write", "check the roster")])
    return names, (*match.notices(), *notices)
