"""Columns of numbers that are no grades: totals, times, ids, and what reviewers say of themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from peerage.errors import Problem
from peerage.formats.rows.columns.total_columns import LOOKED_AT, totals
from peerage.tables.column import Column
from peerage.tables.numbers import parse_number
from peerage.tables.sheet import Sheet

SMALLEST_ID = 1000
"""A column whose numbers are all whole and at least this large holds ids or dates."""

LEAST_COUNT = 5
"""As many rows must count upwards before they are a count."""

LEAST_REPEATS = 10
"""As often must graders repeat a number before it is one of theirs."""

_NAMES: tuple[tuple[str, str], ...] = (
    (
        "an id",
        r"ids?|.* ids?|(review|response|student|user|submission|assessment|grader|reviewer|author|team|group|s|u)id"
        r"|(.* )?(number|no|nr|index)|row|entry|.* (section|group|team|seat)|section|group|team|seat|attempt|version",
    ),
    (
        "a time",
        r".*\b(minutes?|mins?|hours?|seconds?|secs?|duration)\b.*|.*\btime (spent|taken|needed|used|to)\b.*"
        r"|.*\bhow (long|much time)\b.*|(.* )?(date|year|semester|term|day|timestamp)|elapsed.*",
    ),
    (
        "the reviewer's confidence",
        r"((your|my|reviewers?|graders?) )?(confidence|certainty)( level| score| rating)?( \d.*)?"
        r"|.*\bhow (confident|sure|certain) (are|were) (you|i)\b.*"
        r"|.*\bconfidence in (your|my|this|the) (review|grad|assess|scor|mark|rating).*",
    ),
    ("a length", r"(.* )?(word|page|character)s? count|(number of )?(words|pages|characters)"),
    ("a maximum or a weight", r"(max|maximum|possible|total possible)( points| score| grade)?|points possible|weight"),
    ("a place", r"latitude|longitude|location latitude|location longitude|ip address|zip( code)?|phone( number)?|age"),
)
_PATTERNS = tuple((what, re.compile(words)) for what, words in _NAMES)


def left_out(sheet: Sheet, grader: str, candidates: Sequence[str]) -> dict[str, str]:
    """Why each column is no component, of those among some columns of numbers that are none."""
    reasons: dict[str, str] = {}
    for name in candidates:
        reason = _by_name(name) or _by_contents(sheet.column(name), sheet.column(grader))
        if reason:
            reasons[name] = reason
    graded = {name: sheet.column(name) for name in candidates if name not in reasons}
    return reasons | totals(graded)


def notices(sheet: Sheet, reasons: Mapping[str, str]) -> list[Problem]:
    """A notice of each column that was left out, and why."""
    remedy = "name the components if it is one"
    return [
        Problem(f"left out {name!r}, which {reason}", remedy, sheet.file, setting="components")
        for name, reason in reasons.items()
    ]


def _by_name(name: str) -> str:
    words = " ".join(re.sub(r"[^\w#%]+|_", " ", name.casefold()).split())
    what = next((what for what, pattern in _PATTERNS if pattern.fullmatch(words)), "")
    return f"seems to be {what}" if what else ""


def _by_contents(column: Column, grader: Column) -> str:
    rows = slice(LOOKED_AT)
    column, grader = Column(column.codes[rows], column.values), Column(grader.codes[rows], grader.values)
    filled = ~column.blank
    numbers = np.array([parse_number(text) for text in column.values])[column.codes[filled]]
    numbers = numbers[~np.isnan(numbers)]
    if len(numbers) and (numbers >= SMALLEST_ID).all() and (numbers % 1 == 0).all():
        return f"has no number below {SMALLEST_ID:,}"
    if len(numbers) >= LEAST_COUNT and (np.diff(numbers) == 1).all():
        return "counts the rows"
    return "is the same in all reviews of a grader" if _is_of_graders(column, grader, filled) else ""


def _is_of_graders(column: Column, grader: Column, filled: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether graders give the same all the time, though not all of them the same."""
    codes, owner = column.codes[filled], grader.codes[filled]
    first = np.full(len(grader.values), -1)
    first[owner[::-1]] = codes[::-1]
    repeats = len(codes) - np.count_nonzero(first >= 0)
    return bool(repeats >= LEAST_REPEATS and (first[owner] == codes).all() and len(np.unique(codes)) > 2)
