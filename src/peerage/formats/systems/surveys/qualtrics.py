"""Qualtrics: a row per response below three rows of headers, which hold ids, questions and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from peerage.errors import InputError, Problem
from peerage.formats.systems.extract import Extract, Omissions
from peerage.formats.systems.surveys.responses import Responses, joined_extract, only_rows
from peerage.tables.known_columns import fold
from peerage.tables.reading_files import Source
from peerage.tables.sheet import Sheet

NAME = "qualtrics"
TITLE = "responses to a Qualtrics survey"

_PEOPLE = ("recipientemail", "externalreference")
_TIMES = ("recordeddate",)
_OTHER = frozenset(
    {
        *("startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished"),
        *("responseid", "recipientlastname", "recipientfirstname", "locationlatitude", "locationlongitude"),
        *("distributionchannel", "userlanguage"),
    }
)
_ADDED = _OTHER | {*_PEOPLE, *_TIMES}
_HEADER_ROWS = 2
"""How many rows below the first are headers too."""

_REFUSED: dict[str, tuple[frozenset[str], str]] = {
    "status": (frozenset({"survey preview", "survey test", "spam", "1", "2", "8"}), "made to test the survey, or spam"),
    "finished": (frozenset({"false", "0"}), "not finished"),
}
"""What a response must not have in some columns, and why it is left out."""


def recognises(source: Source) -> bool:
    """Whether a table has the columns that Qualtrics adds to answers."""
    return len({"startdate", "recordeddate", "responseid", "distributionchannel"} & source.header) > 1


def read(sources: Sequence[Source]) -> Extract:
    """The finished responses, their questions called by their texts."""
    return joined_extract([_responses(source) for source in sources])


def _responses(source: Source) -> Responses:
    sheet = source.sheet
    if len(sheet) < _HEADER_ROWS or not any("ImportId" in column[1] for column in sheet.columns):
        message = "has no row of ImportIds as the third of its header rows"
        raise InputError(Problem(message, "export it again as CSV, with all header rows", source.file))
    body = only_rows(sheet, np.arange(len(sheet)) >= _HEADER_ROWS)
    omissions = Omissions(sheet.file)
    kept = _finished(body, omissions)
    named = replace(kept, header=_questions(sheet))
    responses = Responses.of(named, _PEOPLE, _TIMES, _OTHER)
    omissions.rows.update(responses.omissions.rows)
    return replace(responses, omissions=omissions)


def _questions(sheet: Sheet) -> tuple[str, ...]:
    """The questions' texts, with their ids where texts are alike; Qualtrics's own columns keep their names."""
    texts = [" ".join(column[0].split()) or name for name, column in zip(sheet.header, sheet.columns, strict=True)]
    counts = Counter(texts)
    return tuple(
        name if fold(name) in _ADDED else text if counts[text] == 1 else f"{text} ({name})"
        for name, text in zip(sheet.header, texts, strict=True)
    )


def _finished(sheet: Sheet, omissions: Omissions) -> Sheet:
    """The responses that are finished and were not made to try the survey out."""
    keep = np.ones(len(sheet), dtype=bool)
    for name, column in zip(sheet.header, sheet.columns, strict=True):
        refused, reason = _REFUSED.get(fold(name), (frozenset(), ""))
        bad = keep & np.isin(column.codes, [code for code, text in enumerate(column.values) if fold(text) in refused])
        for row in sheet.rows[bad].tolist():
            omissions.add("response", reason, row)
        keep &= ~bad
    return only_rows(sheet, keep)
