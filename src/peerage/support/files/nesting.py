"""How deeply text is nested, found without recursion, before a reader that recurses is let at it.

A reader that runs into Python's limit fails with :class:`RecursionError`, but so does whatever else happens to run at
that depth: a finaliser, a hook, another library. So what is far too deep is refused before it is read.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate

DEEPEST = 200
"""Far more than any file that people or programs write, and far less than Python's limit."""

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"' + r"|'[^'\n]*+'")
_BRACKET = re.compile(r"[][{}]")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def is_too_deep(text: str | bytes) -> bool:
    """Whether brackets of JSON or TOML text, those in its strings apart, stand more than 200 deep."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "replace")
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = _BRACKET.findall(_STRING.sub("", text))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > DEEPEST
