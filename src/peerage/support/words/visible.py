"""Text from others, made safe to show: nothing in it moves the cursor, ends the line or reverses the writing."""

from __future__ import annotations

import re

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_UNSEEN_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    r"""The text in one line: control characters and line ends are written out, as in ``\x1b``."""
    return _UNSEEN.sub(_written_out, text)


def plain_lines(text: str) -> str:
    """The text with its lines and tabs; other control characters are written out."""
    return _UNSEEN_IN_LINES.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
