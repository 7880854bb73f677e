"""Responses to a form: which column says who reviews whom, and which answers are grades."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from peerage.errors import Problem
from peerage.formats.rows.columns.column_roles import is_numeric
from peerage.formats.rows.columns.comment_columns import commented, together
from peerage.formats.systems.extract import Extract, Omissions, Table
from peerage.support.words.wording import quoted
from peerage.tables.column import Column
from peerage.tables.grade_notation import is_not_graded
from peerage.tables.known_columns import fold
from peerage.tables.numbers import is_number
from peerage.tables.sheet import Sheet

_REVIEWER = re.compile(r"\byour\b.*\b(?:name|id|e-?mail|number)\b|\breviewer\b|\bgrader\b")
_REVIEWED = re.compile(
    r"\b(?:who|whom|whose|which)\b.*\b(?:review|grad|assess|evaluat|mark)|\breviewee\b|\b(?:being|you) (?:are )?review"
)
_COMMENT = re.compile(r"\bcomments?\b|\bfeedback\b|\bremarks?\b|\banything\b.*\badd\b|\bexplain\b|\bjustify\b|\bwhy\b")
_LABELLED = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)?)\s*(?:[-–—:=(]|\.\s|\s-).*", re.DOTALL)
_NOBODY = {"", "anonymous"}


@dataclass(frozen=True)
class Responses:
    """The answers to a form.

    Attributes
    ----------
    sheet: the answers, without what the form adds to them
    columns: which column is the grader, the submission, the time and the comment, as far as that can be told
    omissions: responses that are left out
    labelled: the questions whose answers begin with a number and go on in words
    """

    sheet: Sheet
    columns: dict[str, str]
    omissions: Omissions
    labelled: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, sheet: Sheet, people: Sequence[str], times: Sequence[str], added: Collection[str]) -> Responses:
        """Understand a sheet, given what its form calls people, the surest ids first, and times, and what it adds."""
        columns = {}
        reviewed = _only(sheet, _REVIEWED, (*people, *times, *added))
        if reviewed is not None:
            columns["submission"] = reviewed
        grader = _grader(sheet, people, reviewed) or _only(sheet, _REVIEWER, (*people, *times, *added))
        if grader is not None:
            columns["grader"] = grader
        columns |= [("time", name) for name in sheet.header if fold(name) in times][:1]
        comments = [
            name
            for name in commented(sheet, {*people, *times, *added, *map(fold, columns.values())}, _COMMENT)
            if not is_labelled(sheet.column(name))
        ]
        if len(comments) > 1:
            sheet = together(sheet, comments)
        elif comments:
            columns["comment"] = comments[0]
        numbers = {fold(name) for name in sheet.header if fold(name) in people and is_numeric(sheet.column(name))}
        unused = {*numbers, *added} - {fold(name) for name in columns.values()}
        responses = cls(sheet, columns, Omissions(sheet.file)).without_namesakes(people)
        return responses.without(unused).with_numbers()

    def without_namesakes(self, people: Sequence[str]) -> Responses:
        """Leave out responses by or about a name that two people have, as far as other columns tell."""
        grader = self.columns.get("grader")
        if grader is None or fold(grader) not in people:
            return self
        surer = people[: people.index(fold(grader))]
        ids = next((name for name in self.sheet.header if fold(name) in surer), None)
        if ids is None:
            return self
        owners: dict[str, set[str]] = {}
        for index in range(len(self.sheet)):
            owners.setdefault(fold(self.sheet.column(grader)[index]), set()).add(self.sheet.column(ids)[index])
        shared = {name for name, people_of_it in owners.items() if len(people_of_it) > 1}
        keep = np.ones(len(self.sheet), dtype=bool)
        for column in {grader, self.columns.get("submission", grader)}:
            keep &= ~self.sheet.column(column).where(lambda name: fold(name) in shared)
        for row in self.sheet.rows[~keep].tolist():
            self.omissions.add("response", "with a name that two people have", row)
        return replace(self, sheet=only_rows(self.sheet, keep))

    def without(self, names: Collection[str]) -> Responses:
        """Leave out some columns, given by their folded names."""
        kept = [index for index, name in enumerate(self.sheet.header) if fold(name) not in names]
        header = tuple(self.sheet.header[index] for index in kept)
        return replace(
            self, sheet=replace(self.sheet, header=header, columns=tuple(self.sheet.columns[i] for i in kept))
        )

    def with_numbers(self) -> Responses:
        """Read answers such as ``4 - Good`` as 4, in questions all of whose answers are so."""
        labelled = [
            name
            for name, column in zip(self.sheet.header, self.sheet.columns, strict=True)
            if name not in self.columns.values() and is_labelled(column)
        ]
        columns = tuple(
            column.map(leading_number) if name in labelled else column
            for name, column in zip(self.sheet.header, self.sheet.columns, strict=True)
        )
        return replace(self, sheet=replace(self.sheet, columns=columns), labelled=labelled)

    def notices(self) -> Iterator[Problem]:
        """What was understood and what was left out."""
        yield from self.omissions.notices()
        if self.labelled:
            message = f"read answers such as '4 - Good' as their number, in {quoted(self.labelled)}"
            yield Problem(message, "", self.sheet.file)


def joined_extract(responses: Sequence[Responses]) -> Extract:
    """The responses to several forms, as tables whose questions are components if their answers are numbers."""
    tables = tuple(Table(response.sheet, response.columns, by_author=True) for response in responses)
    return Extract((), notices=tuple(notice for response in responses for notice in response.notices()), tables=tables)


def only_rows(sheet: Sheet, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Sheet:
    """Some rows of a sheet."""
    return replace(sheet, columns=tuple(column.take(keep) for column in sheet.columns), rows=sheet.rows[keep])


def _only(sheet: Sheet, words: re.Pattern[str], added: Collection[str]) -> str | None:
    """The one question that some words are in, if there is just one."""
    found = [name for name in sheet.header if words.search(fold(name)) and fold(name) not in added]
    return found[0] if len(found) == 1 else None


def _grader(sheet: Sheet, people: Sequence[str], reviewed: str | None) -> str | None:
    """The form's own column of people whose entries are most often answers to who is reviewed; else the first."""
    answers = set() if reviewed is None else {fold(text) for text in sheet.column(reviewed).values}
    ranked = [name for wanted in people for name in sheet.header if fold(name) == wanted]
    known = [name for name in ranked if not {fold(text) for text in sheet.column(name).values} <= _NOBODY]
    return max(known, key=lambda name: len(answers & {fold(text) for text in sheet.column(name).values}), default=None)


def is_labelled(column: Column) -> bool:
    """Whether all answers are numbers, some of which go on in words; some may say that nothing was graded."""
    texts = [text for text in column.values if text.strip() and not is_not_graded(text)]
    worded = [text for text in texts if not is_number(text)]
    return bool(worded) and all(_LABELLED.fullmatch(text) for text in worded)


def leading_number(text: str) -> str:
    """The number of an answer such as ``4 - Good``; any other text as it is."""
    match = _LABELLED.fullmatch(text)
    return match[1] if match and not is_number(text) else text
