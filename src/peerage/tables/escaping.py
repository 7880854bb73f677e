"""Text that files cannot hold as it is: what a spreadsheet would take for a formula, and what XML would change."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED_FORMULA = re.compile(r"''*[=+\-@\t\r]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def guard(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would take for a formula.

    Text that has apostrophes before such a character gets one more, so that :func:`unguard` restores all text.
    """
    return "'" + text if _FORMULA.match(text) else text


def unguard(text: str) -> str:
    """Take off the apostrophe that :func:`guard` puts on."""
    return text[1:] if text.startswith("'") and _GUARDED_FORMULA.match(text) else text


def escape_xlsx(text: str) -> str:
    """Write a carriage return, which XML would turn into a line feed, as XLSX does: ``_x000D_``."""
    return _ESCAPED.sub(r"_x005F_x\1_", text).replace("\r", "_x000D_")


def unescape_xlsx(text: str) -> str:
    """Undo what :func:`escape_xlsx` and Excel do to characters that XML cannot hold."""
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text)
