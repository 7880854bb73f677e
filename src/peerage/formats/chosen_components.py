"""Which components are read: those that are named, and not those that are dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.column_roles import COMMENT
from peerage.formats.rows.columns.comment_columns import as_one
from peerage.formats.rows.columns.side_by_side import below_each_other
from peerage.formats.rows.entries import Entries
from peerage.formats.systems.extract import Table
from peerage.rubric import Rubric
from peerage.support.words.wording import quoted
from peerage.tables.known_columns import fold


@dataclass(frozen=True)
class Choice:
    """The only components that are wanted, if any are named, and the components and columns that are dropped."""

    components: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()

    def of_rubric(self, rubric: Rubric | None) -> Rubric | None:
        """The rubric without what is not wanted."""
        if rubric is None or (self.components is None and not self.drop):
            return rubric
        _require(self.components or (), rubric.names, "the rubric has no component", "components")
        kept = tuple(component for component in rubric.components if self._wants(component.name))
        if not kept:
            raise InputError(Problem("no component of the rubric is left", "drop fewer", setting="drop"))
        return Rubric(kept)

    def of_table(self, table: Table, columns: Mapping[str, str]) -> Table:
        """The table with a row for each review and one column of comments, without the columns that are dropped."""
        sheet = below_each_other(table.sheet, {*table.columns, *columns})
        dropped = {fold(name) for name in self.drop}
        kept = [index for index, name in enumerate(sheet.header) if fold(name) not in dropped]
        header, cells = tuple(sheet.header[index] for index in kept), tuple(sheet.columns[index] for index in kept)
        meant = {field: name for field, name in table.columns.items() if fold(name) not in dropped}
        sheet = replace(sheet, header=header, columns=cells)
        if COMMENT not in {*meant, *columns}:
            taken = (*meant.values(), *columns.values(), *(self.components or ()))
            sheet = as_one(sheet, {fold(name) for name in taken})
        return replace(table, sheet=sheet, columns=meant)

    def of_entries(self, entries: Entries, columns: Iterable[str]) -> Entries:
        """The entries without the grades that are not wanted; what is dropped is one of the columns or a component."""
        if self.components is None and not self.drop:
            return entries
        names = [name for name in entries.component.values if name.strip()]
        _require(self.components or (), names, "no grade is of the component", "components")
        _require(self.drop, dict.fromkeys((*columns, *names)), "there is nothing to drop that is called", "drop")
        wanted = entries.component.where(self._wants)
        return entries if wanted.all() else entries.only_cells(wanted)

    def _wants(self, name: str) -> bool:
        named = self.components is None or fold(name) in {fold(wanted) for wanted in self.components}
        return named and fold(name) not in {fold(other) for other in self.drop}


def _require(names: Iterable[str], known: Iterable[str], message: str, setting: str) -> None:
    known = list(known)
    there = {fold(name) for name in known}
    missing = [name for name in names if fold(name) not in there]
    if missing:
        raise InputError([Problem(f"{message} {name!r}", f"use {quoted(known)}", setting=setting) for name in missing])
