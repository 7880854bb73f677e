"""JSON files that peerage itself wrote, and that somebody may have changed or made since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from peerage.errors import InputError
from peerage.support.files.bounded_files import read_bounded
from peerage.support.files.nesting import is_too_deep

LARGEST = 100
"""Megabytes of a file at most."""

_MOST_DIGITS = 300
"""Of a whole number, so that a float can hold it."""


def read_json(path: Path) -> Any:
    """What a file holds; :class:`ValueError` if it is missing, damaged, too large or nested too deeply."""
    try:
        data, megabytes = read_bounded(path, LARGEST)
    except InputError as error:
        raise ValueError(str(error)) from None
    if megabytes > LARGEST:
        raise ValueError(f"has {megabytes:,.0f} megabytes, and at most {LARGEST} are read")
    return parse_json(data.decode("utf-8"))


def parse_json(text: str | bytes) -> Any:
    """What JSON text holds; :class:`ValueError` if it is none, nested too deeply, or has a number that no float is."""
    if is_too_deep(text):
        raise ValueError("is nested too deeply")
    return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)
