"""What the operating system refuses, in words."""

from __future__ import annotations

import shutil


def refused(error: OSError) -> tuple[str, str]:
    """The file that an error is about, if one is known, and the reason; of a folder that was copied, its first file."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list) and error.args[0]:
        _, target, reason = error.args[0][0]
        return str(target), str(reason).partition("] ")[2].partition(": ")[0] or str(reason)
    return str(error.filename or ""), error.strerror or str(error)


def reason(error: OSError) -> str:
    """Why the system refuses something: ``No space left on device``."""
    return refused(error)[1]
