"""Settings files: UTF-8 text, with or without a byte-order mark, mostly TOML."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from peerage.errors import InputError, Problem
from peerage.support.files.bounded_files import read_bounded
from peerage.support.files.nesting import is_too_deep

LARGEST = 10
"""Megabytes of a settings file at most."""

_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){20}""")
"""A name of twenty parts, such as a.a.a; Python's reader takes time by the square of their number."""


def read_text(path: Path) -> str:
    """The text of a file, or one sentence on why there is none."""
    data, megabytes = read_bounded(path, LARGEST)
    if megabytes > LARGEST:
        message = f"has {megabytes:,.0f} megabytes, and at most {LARGEST} are read"
        raise InputError(Problem(message, "name a settings file, which is much smaller", path.name))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise InputError(Problem("is not UTF-8 text", "save the file as UTF-8", path.name)) from None


def read_toml(text: str, file: str = "", remedy: str = "correct the file") -> dict[str, Any]:
    """What TOML text holds, or one sentence on why it cannot be read; ``file`` names its origin there."""
    try:
        return parse_toml(text)
    except ValueError as error:
        raise InputError(Problem(f"not valid TOML: {error}", remedy, file)) from None


def parse_toml(text: str) -> dict[str, Any]:
    """What TOML text holds; :class:`ValueError` says why it cannot be read."""
    if _DEEP_KEY.search(text) or is_too_deep(text):
        raise ValueError("its tables are nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError:
        # Brackets can be hidden from the check by a text of several lines.
        raise ValueError("its tables are nested too deeply") from None
    except ValueError as error:
        # Beside what is no TOML, there are whole numbers of thousands of digits that Python does not read.
        raise ValueError("a number has too many digits" if "digits" in str(error) else str(error)) from None
