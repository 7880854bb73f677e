"""Text that files cannot hold as it is: what a spreadsheet would take for a formula, and what XML would change."""

from __future__ import annotations

import re

_MARKS = "[=+\\-@\t\r\n＝＋－＠]"
_FORMULA = re.compile(f"(^|;)('*{_MARKS})")
_GUARDED_FORMULA = re.compile(f"(^|;)'('*{_MARKS})")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def guard(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula.

    That is text that begins with one of some characters, full-width ones too, or has one of them after a semicolon,
    which divides cells in some countries. Apostrophes that are there already get one more, so that :func:`unguard`
    restores all text.
    """
    return _FORMULA.sub(r"\1'\2", text)


def unguard(text: str) -> str:
    """Take off the apostrophes that :func:`guard` puts on."""
    return _GUARDED_FORMULA.sub(r"\1\2", text) if "'" in text else text


def escape_xlsx(text: str) -> str:
    """Write a carriage return, which XML would turn into a line feed, as XLSX does: ``_x000D_``."""
    return _ESCAPED.sub(r"_x005F_x\1_", text).replace("\r", "_x000D_")


def unescape_xlsx(text: str) -> str:
    """Undo what :func:`escape_xlsx` and Excel do to characters that XML cannot hold."""
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text) if "_x" in text else text
