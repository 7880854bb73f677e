"""Changing files safely: a lock between processes, an exchange of two folders, a file that is whole or not there."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from peerage.errors import ResultsError

PATIENCE = 60.0
"""Seconds to wait for another process's lock."""

_PAUSE = 0.02
_LINUX_RELATIVE_TO_HERE = -100
_LINUX_EXCHANGE = 2
_MACOS_SWAP = 2


@contextmanager
def locked(path: Path, busy: str | None = None) -> Iterator[None]:
    """Hold the lock whose file is at ``path``, and remove the file afterwards.

    The system releases the lock when its holder dies, however it dies. If another process holds it, it is waited for,
    or refused at once with what ``busy`` says.
    """
    lock = FileLock(path, timeout=PATIENCE if busy is None else 0, poll_interval=_PAUSE)
    try:
        lock.acquire()
    except Timeout:
        message = f"another process has been writing for {PATIENCE:.0f} seconds; end it, or wait and try again"
        raise ResultsError(busy or f"{path}: {message}") from None
    try:
        yield
    finally:
        # Windows does not remove a file that is open; there, releasing the lock removes it.
        with suppress(PermissionError):
            path.unlink(missing_ok=True)
        lock.release()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; when the block ends well, that file takes the place of the one at ``path`` in one step.

    If it does not, the earlier file stays, and what was written is removed. A link stays one: its file is replaced.
    """
    target = Path(os.path.realpath(path))
    # The suffix stays the last one, for writers that go by it.
    part = target.parent / f".{target.stem}.part{target.suffix}"
    # A process that was killed may have left one, which others may be allowed to read.
    part.unlink(missing_ok=True)
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False, with nothing done, where the system or its file system cannot."""
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "linux":
            here = _LINUX_RELATIVE_TO_HERE
            return bool(ctypes.CDLL(None).renameat2(here, first, here, second, _LINUX_EXCHANGE) == 0)
        if sys.platform == "darwin":
            return bool(ctypes.CDLL(None).renamex_np(first, second, _MACOS_SWAP) == 0)
    except AttributeError:
        # An older C library lacks the function.
        return False
    return False
