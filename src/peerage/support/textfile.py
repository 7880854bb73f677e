"""Settings files: UTF-8 text, with or without a byte-order mark."""

from __future__ import annotations

from pathlib import Path

from peerage.errors import InputError, Problem


def read_text(path: Path) -> str:
    """The text of a file, or one sentence on why there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(Problem(f"cannot be read ({error.strerror})", "check the path", str(path))) from None
    except UnicodeDecodeError:
        raise InputError(Problem("is not UTF-8 text", "save the file as UTF-8", path.name)) from None
