"""Numbers as people write them: with a decimal point or a decimal comma, in ASCII digits."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")


def parse_number(text: str) -> float:
    """The finite number that the text says, or NaN."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return math.nan
    number = float(text.replace(",", "."))
    return number if math.isfinite(number) else math.nan


def is_number(text: str) -> bool:
    """Whether the text says a finite number."""
    return not math.isnan(parse_number(text))


def has_decimal_comma(text: str) -> bool:
    """Whether the text is a number with a decimal comma."""
    return "," in text and is_number(text)
