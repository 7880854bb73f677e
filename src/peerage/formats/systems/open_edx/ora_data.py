"""Open edX's ``ora_data`` report: a row per response, all its assessments as text in two cells.

``Assessment Details`` says who scored when; ``Assessment Scores`` has a line for each criterion, such as
``-- Ideas: Good (3)``. The two cells name assessments by the same numbers. Feedback may run over several lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from peerage.errors import Problem
from peerage.formats.systems.extract import Extract, Grade, Omissions, records
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
from peerage.tables.reading_files import Source

NAME = "ora-data"
TITLE = "Open edX's report ora_data"

_REQUIRED = ("Submission ID", "Anonymized Student ID", "Assessment Details", "Assessment Scores")
_HEAD = re.compile(r"Assessment #(\S+)")
_DETAIL = re.compile(r"-- (scored_at|type|scorer_username|scorer_id): (.*)")
_FEEDBACK = re.compile(r"-- (?:feedback|overall_feedback):")
_SCORE = re.compile(r"-- (.+?): .*\((-?[0-9]+(?:\.[0-9]+)?)\)")

Blocks = dict[str, list[str]]


def recognises(source: Source) -> bool:
    """Whether a table has one of the cells that no other report has."""
    cells = {"assessment details", "assessment scores"} & source.header
    return bool(cells) and bool({"submission id", "anonymized student id", "location"} & source.header)


def read(sources: Sequence[Source]) -> Extract:
    """The peers' and the staff's assessments in one or several reports."""
    return read_reports(sources, _REQUIRED, _grades)


def _grades(source: Source, omissions: Omissions, problems: list[Problem]) -> Iterator[Grade]:
    for row, cells in records(source.sheet):
        assignment = cells.get("problem name") or cells.get("location", "")
        response = Response(row, cells["submission id"], assignment, cells["anonymized student id"])
        details, scores = _blocks(cells["assessment details"]), _blocks(cells["assessment scores"])
        if not details and not scores:
            omissions.add("response", "without any assessment", row)
        for number in details | scores:
            found = [*_block_problems(source.file, row, number, details, scores)]
            problems += found
            if not found:
                for line in _without_feedback(scores[number]):
                    if line.startswith("-- ") and ": " in line and not _SCORE.fullmatch(line):
                        omissions.add("line", "that looks like a score but ends without points", row)
                yield from grades(response, _assessment(details[number], scores[number]), omissions)


def _blocks(cell: str) -> Blocks:
    """The lines below each heading ``Assessment #12``."""
    blocks: Blocks = {}
    lines: list[str] = []
    for line in cell.splitlines():
        head = _HEAD.fullmatch(line.strip())
        if head:
            lines = blocks.setdefault(head[1], [])
        else:
            lines.append(line.strip())
    return blocks


def _without_feedback(lines: Sequence[str]) -> list[str]:
    """The lines that do not begin feedback; those in which it goes on cannot be told from others."""
    return [line for line in lines if not _FEEDBACK.match(line)]


def _block_problems(file: str, row: int, number: str, details: Blocks, scores: Blocks) -> Iterator[Problem]:
    remedy = "export the report again"
    for name, blocks in (("Assessment Details", details), ("Assessment Scores", scores)):
        if number not in blocks:
            yield Problem(f"assessment {number} is not in the {name}", remedy, file, row)
            return
    known = _details(details[number])
    for name in ("type", "scorer_id"):
        if not known.get(name):
            yield Problem(f"assessment {number} has no {name!r} in its details", remedy, file, row)
    if known.get("type", PEER) not in (PEER, SELF, STAFF):
        yield kind_problem(known["type"], file, row)
    for criterion, times in Counter(part.criterion for part in _parts(scores[number])).items():
        if times > 1:
            message = f"assessment {number} scores {criterion!r} {times} times"
            yield Problem(message, "remove lines of feedback that look like scores", file, row)


def _details(lines: Sequence[str]) -> Mapping[str, str]:
    """What the details say; the first line of each kind counts, because feedback comes last."""
    return {match[1]: match[2].strip() for match in map(_DETAIL.fullmatch, reversed(lines)) if match}


def _parts(lines: Sequence[str]) -> list[ScoredCriterion]:
    """The criteria with their points, each with the feedback that follows it."""
    scores = {index: None if _FEEDBACK.match(line) else _SCORE.fullmatch(line) for index, line in enumerate(lines)}
    starts = [index for index, match in scores.items() if match]
    return [
        ScoredCriterion(match[1].strip(), match[2], _feedback(lines[start + 1 : end]))
        for start, end in pairwise([*starts, len(lines)])
        if (match := scores[start])
    ]


def _feedback(lines: Sequence[str]) -> str:
    """What was written: it comes last, and may run over several lines."""
    written: list[str] = []
    for line in lines:
        begins = _FEEDBACK.match(line)
        if begins:
            written.append(line[begins.end() :].strip())
        elif written:
            written.append(line)
    return "\n".join(filter(None, written))


def _assessment(details: Sequence[str], scores: Sequence[str]) -> Assessment:
    known = _details(details)
    return Assessment(known["type"], known["scorer_id"], known.get("scored_at", ""), _parts(scores), _feedback(details))
