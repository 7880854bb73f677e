"""Grades that people do not write as plain numbers: ``85%``, ``4/5``, ``B+``, and ``N/A`` for none."""

from __future__ import annotations

import math
import re

from peerage.tables.numbers import is_number, parse_number

NOT_GRADED = frozenset({"n/a", "na", "#n/a", "n.a.", "-", "--", "–", "—", "none", "null", "not graded", "no grade"})
"""What cells say where nothing was graded."""

_POINTS = (4.3, 4.0, 3.7, 3.3, 3.0, 2.7, 2.3, 2.0, 1.7, 1.3, 1.0, 0.7, 0.0)
LETTERS = dict(zip(("A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "D-", "F"), _POINTS, strict=True))
"""Letters on the usual scale of grade points."""

LETTERS_WITH_E = {"A": 5.0, "B": 4.0, "C": 3.0, "D": 2.0, "E": 1.0, "F": 0.0}
"""Letters where there is an E: one step apart."""

PERCENT = 100.0

_PERCENT = re.compile(r"(.*[0-9.,])\s*%")
_SHARE = re.compile(r"(.*[0-9.,])\s*(?:/|out of|of)\s*([0-9.,].*)", re.IGNORECASE)


def is_not_graded(text: str) -> bool:
    """Whether the text says that nothing was graded."""
    return text.strip().casefold() in NOT_GRADED


def letter_of(text: str) -> str:
    """A letter as :data:`LETTERS` writes it; empty if the text is none."""
    letter = text.strip().upper().replace("−", "-").replace("–", "-")
    return letter if letter in LETTERS or letter in LETTERS_WITH_E else ""


def out_of(text: str) -> tuple[float, float]:
    """The grade and the highest one of ``4/5``, ``4 out of 5`` or ``85%``; not numbers if the text is none of them."""
    text = text.strip()
    if match := _PERCENT.fullmatch(text):
        return parse_number(match[1]), PERCENT
    if match := _SHARE.fullmatch(text):
        grade, top = parse_number(match[1]), parse_number(match[2])
        if top > 0:
            return grade, top
    return math.nan, math.nan


def is_grade(text: str) -> bool:
    """Whether the text is a number, a percentage or a share such as ``4/5``."""
    return is_number(text) or not math.isnan(out_of(text)[0])
