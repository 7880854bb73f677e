"""The systems whose files are recognised, and which of some files each of them wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from peerage.errors import InputError, Problem
from peerage.formats.systems import ipeer, mta2
from peerage.formats.systems.canvas import canvas_json, canvas_table
from peerage.formats.systems.extract import Extract
from peerage.formats.systems.moodle import moodle_backup, moodle_tables
from peerage.formats.systems.open_edx import ora_data, ora_long
from peerage.formats.systems.surveys import forms, qualtrics
from peerage.tables.reading_files import Source

TABLE = "table"
"""The name of the tables that are described by their own columns."""


class Format(Protocol):
    """One layout of one system: each is a module of its own.

    Attributes
    ----------
    NAME: what users call it
    TITLE: what messages call it
    """

    NAME: str
    TITLE: str

    def recognises(self, source: Source) -> bool:
        """Whether a file is of this format, be it complete or not."""

    def read(self, sources: Sequence[Source]) -> Extract:
        """What some files of this format hold together."""


FORMATS: tuple[Format, ...] = (
    canvas_table,
    canvas_json,
    ora_data,
    ora_long,
    moodle_tables,
    moodle_backup,
    mta2,
    ipeer,
    qualtrics,
    forms,
)
"""In the order in which they are tried."""

NAMES = (*(known.NAME for known in FORMATS), TABLE)


@dataclass(frozen=True)
class System:
    """Some files and the format that they have."""

    format: Format
    sources: tuple[Source, ...]
    notices: tuple[Problem, ...] = ()

    def read(self) -> Extract:
        """What the files hold."""
        return self.format.read(self.sources)


def recognise(sources: Sequence[Source], name: str | None = None) -> tuple[list[System], list[Source]]:
    """The files of each system, and the files that are tables of their own; ``name`` says which format all have."""
    if name is not None and name not in NAMES:
        raise InputError(Problem(f"there is no format {name!r}", f"use {', '.join(NAMES)}", setting="format"))
    if name == TABLE:
        return [], list(sources)
    if name is not None:
        return [System(known, tuple(sources)) for known in FORMATS if name == known.NAME], []
    format_of = [next((known for known in FORMATS if known.recognises(source)), None) for source in sources]
    systems = []
    for known in FORMATS:
        own = tuple(source for source, found in zip(sources, format_of, strict=True) if found is known)
        if own:
            systems.append(System(known, own, tuple(_recognised(known, source) for source in own)))
    return systems, [source for source, found in zip(sources, format_of, strict=True) if found is None]


def _recognised(known: Format, source: Source) -> Problem:
    message = f"was recognised as {known.TITLE} ({known.NAME})"
    return Problem(message, "if that is wrong, name its format", source.file, setting="format")
