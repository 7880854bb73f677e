"""iPeer's export: a row per evaluation of one group member by another, a column ``Q1 ( /5)`` per question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.rows.inferred_scale import up_to
from peerage.formats.systems.extract import Extract, Grade, Omissions, maxima_alone, records, require, sheet_of
from peerage.formats.systems.people import People
from peerage.tables.known_columns import fold
from peerage.tables.numbers import parse_number
from peerage.tables.reading_files import Source

NAME = "ipeer"
TITLE = "an export of iPeer"

_REQUIRED = ("Event", "Evaluatee", "Evaluator")
_QUESTION = re.compile(r"(?P<name>Q\d+)\s*\(\s*/\s*(?P<maximum>\d+(?:\.\d+)?)\s*\)", re.IGNORECASE)

Questions = Mapping[str, tuple[str, float]]


def recognises(source: Source) -> bool:
    """Whether a table has people's numbers or a kind of evaluation as iPeer names them, and who evaluates whom."""
    marks = {"evaluatee s#", "evaluator s#", "evaluation type"} & source.header
    return bool(marks) and bool({"evaluatee", "evaluator"} & source.header)


def read(sources: Sequence[Source]) -> Extract:
    """The evaluations in one or several exports."""
    for source in sources:
        require(source, _REQUIRED)
    questions = [_questions(source) for source in sources]
    omissions = [Omissions(source.file) for source in sources]
    kept = [list(_grades(*parts)) for parts in zip(sources, questions, omissions, strict=True)]
    seen: dict[str, list[float]] = {}
    for grade in (grade for grades in kept for grade in grades):
        seen.setdefault(grade.component, []).append(parse_number(grade.grade))
    components = tuple(
        (source.file, up_to(name, maximum, seen.get(name, ())))
        for source, asked in zip(sources, questions, strict=True)
        for name, maximum in asked.values()
    )
    sheets = tuple(
        sheet_of(source.file, grades, source.sheet.notices) for source, grades in zip(sources, kept, strict=True)
    )
    notices = [notice for omitted in omissions for notice in (*omitted.notices(), maxima_alone(omitted.file))]
    return Extract(sheets, components, tuple(notices))


def _questions(source: Source) -> Questions:
    """The name and the maximum of each question, by its column."""
    matches = {name: _QUESTION.fullmatch(name) for name in source.sheet.header}
    found = {
        fold(name): (match["name"], float(match["maximum"]))
        for name, match in matches.items()
        if match and float(match["maximum"]) > 0
    }
    if not found:
        remedy = "export the evaluation's questions with their maxima"
        raise InputError(Problem("has no column such as 'Q1 ( /5)'", remedy, source.file))
    return found


def _grades(source: Source, questions: Questions, omissions: Omissions) -> Iterator[Grade]:
    rows = list(records(source.sheet))
    people = People.of(
        (cells[role], cells.get(f"{role} s#", "")) for _, cells in rows for role in ("evaluatee", "evaluator")
    )
    for row, cells in rows:
        evaluatee, evaluator = (
            cells.get(f"{role} s#") or people.id_of(cells[role]) for role in ("evaluatee", "evaluator")
        )
        if not any(cells[column] for column in questions):
            omissions.add("evaluation", "without any grade", row)
        elif evaluatee is None or evaluator is None:
            name = cells["evaluatee"] if evaluatee is None else cells["evaluator"]
            omissions.add("evaluation", f"with the name {name!r}, which two people have", row)
        else:
            submission = f"{cells['event']}/{evaluatee}" if evaluatee else ""
            for column, (question, _) in questions.items():
                comment = about(question, cells.get(f"{fold(question)} comments", ""))
                yield Grade(
                    row, submission, evaluator, question, cells[column], cells["event"], evaluatee, comment=comment
                )
