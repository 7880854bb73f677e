"""Changing files safely: a lock between processes, an exchange of two folders, a file that is whole or not there."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from peerage.errors import ResultsError

PATIENCE = 60.0
"""Seconds to wait for another process's lock."""

PRIVATE = 0o600
"""The permissions of a new file: it may hold what is known about people."""

PART = ".peerage-part-"
"""How the name of a file begins that is being written."""

_PAUSE = 0.02
_FORSAKEN = 86_400.0
"""Seconds after which nobody writes to a part."""

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
def replacing(path: Path, mode: int | None = None) -> Iterator[Path]:
    """Give a file to write to; when the block ends well, it takes the place of the one at ``path`` in one step.

    If it does not, the earlier file stays, and what was written is removed. A link stays one: its file is replaced.
    The new file is on disk before it takes that place. It has the permissions ``mode``, or else those of the earlier
    file; without one, only its owner can read it.
    """
    target = Path(os.path.realpath(path))
    _sweep(target.parent)
    # Every writer has a part of its own. The suffix stays the last one, for writers that go by it.
    descriptor, name = tempfile.mkstemp(prefix=PART, suffix=target.suffix, dir=target.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        if mode is None:
            mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else PRIVATE
        part.chmod(mode)
        force_to_disk(part)
        part.replace(target)
        force_names_to_disk(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove parts that a killed process left so long ago that nobody writes to them any more."""
    for part in folder.glob(f"{PART}*"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _FORSAKEN:
                part.unlink()


def force_to_disk(file: Path) -> None:
    """Make what a file holds durable."""
    with file.open("r+b") as opened:
        os.fsync(opened.fileno())


def force_names_to_disk(folder: Path) -> None:
    """Make a folder's entries durable, where the system lets a folder be opened."""
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
