"""Open edX's long report: a row per assessment, with ``Criterion 1: label`` and ``Points 1`` for each criterion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from peerage.errors import InputError, Problem
from peerage.formats.systems.extract import Extract, Grade, Omissions, records, require
from peerage.formats.systems.open_edx.ora_grades import (
    PEER,
    SELF,
    STAFF,
    Assessment,
    Response,
    ScoredCriterion,
    grades,
    kind_problem,
    read_reports,
)
from peerage.tables.known_columns import fold
from peerage.tables.reading_files import Source

NAME = "ora-long"
TITLE = "Open edX's report with a row per assessment"

_REQUIRED = ("Submission ID", "Anonymized Student ID", "Assessment Type", "Anonymous Scorer Id")
_CRITERION = re.compile(r"Criterion (\d+): (.+)")


def recognises(source: Source) -> bool:
    """Whether a table has the columns of assessments that no other report has."""
    return "anonymous scorer id" in source.header or {"assessment type", "anonymized student id"} <= source.header


def read(sources: Sequence[Source]) -> Extract:
    """The peers' and the staff's assessments in one or several reports."""
    return read_reports(sources, _REQUIRED, _grades)


def _criteria(source: Source) -> dict[str, str]:
    """The label of the criterion whose points each column holds."""
    matches = [match for match in map(_CRITERION.fullmatch, source.sheet.header) if match]
    if not matches:
        remedy = "export the report again with its criteria"
        raise InputError(Problem("has no column such as 'Criterion 1: Ideas'", remedy, source.file))
    require(source, [f"Points {match[1]}" for match in matches])
    return {f"points {match[1]}": match[2].strip() for match in matches}


def _grades(source: Source, omissions: Omissions, problems: list[Problem]) -> Iterator[Grade]:
    criteria = _criteria(source)
    for row, cells in records(source.sheet):
        kind = cells["assessment type"]
        if not kind and not any(cells[column] for column in criteria):
            omissions.add("response", "without any assessment", row)
        elif kind not in (PEER, SELF, STAFF):
            problems.append(kind_problem(kind, source.file, row))
        else:
            parts = [
                ScoredCriterion(label, cells[column], cells.get(column.replace("points", "feedback"), ""))
                for column, label in criteria.items()
                if cells[column]
            ]
            time = cells.get(fold("Assessment Scored At"), "")
            assignment = cells.get("problem name") or cells.get("item id", "")
            response = Response(row, cells["submission id"], assignment, cells["anonymized student id"])
            overall = cells.get("overall feedback", "")
            assessment = Assessment(kind, cells["anonymous scorer id"], time, parts, overall)
            yield from grades(response, assessment, omissions)
