"""Google and Microsoft Forms: a row per response, who is reviewed being one of the answers."""

from __future__ import annotations

from collections.abc import Sequence

from peerage.formats.systems.extract import Extract
from peerage.formats.systems.surveys.responses import Responses, joined_extract
from peerage.tables.known_columns import FIELDS
from peerage.tables.reading_files import Source
from peerage.tables.sheet import Sheet

NAME = "forms"
TITLE = "responses to a Google or Microsoft form"

_TIMES = ("timestamp", "completion time")
_PEOPLE = ("email address", "username", "email", "name")
_MICROSOFT = {"start time", "completion time"}
_OTHER = ("id", "start time", "last modified time", "score", "total points", "quiz feedback")
_OF_QUESTIONS = ("points - ", "feedback - ")


def recognises(source: Source) -> bool:
    """Whether a table begins as the forms' do and is not named by our own columns."""
    if {"submission", "grader"} & source.header:
        return False
    return source.header >= _MICROSOFT or (bool(source.header) and source.sheet.header[0].casefold() == "timestamp")


def read(sources: Sequence[Source]) -> Extract:
    """The responses, with what the form adds to them left out."""
    return joined_extract([Responses.of(source.sheet, _PEOPLE, _TIMES, _added(source)) for source in sources])


def guesses(sheet: Sheet) -> dict[str, str]:
    """Which columns of any sheet seem to be the grader, the submission and the time, by what forms ask."""
    return Responses.of(sheet, _PEOPLE, _TIMES, frozenset()).columns


def _added(source: Source) -> frozenset[str]:
    """The columns that the form adds to people's answers and that are of no use."""
    of_questions = {name for name in source.header if name.startswith(_OF_QUESTIONS)}
    return frozenset({*_OTHER, *of_questions} - set(FIELDS))
