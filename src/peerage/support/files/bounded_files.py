"""Reading a file of which nobody knows how large it is, or whether it ends at all."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from peerage.errors import InputError, Problem

MEGABYTE = 1_000_000

WAIT_SECONDS = 0.5
"""How long a pipe is waited for before somebody looks at the clock."""

_PIPES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""How the shell names what another program writes."""


def read_bounded(path: Path, megabytes: int, check_time: Callable[[], None] = lambda: None) -> tuple[bytes, float]:
    """What a file holds up to some megabytes, and how many it has, which may be more.

    Devices and pipes, which need not end or even begin, are not read, but for those that the shell makes. While such a
    pipe is waited for, ``check_time`` is called, which may raise an error.
    """
    try:
        mode = path.stat().st_mode
        is_pipe = stat.S_ISFIFO(mode) and str(path).startswith(_PIPES)
        if stat.S_ISDIR(mode):
            raise InputError(Problem("is a folder", "name the file in it", str(path)))
        if not (stat.S_ISREG(mode) or is_pipe):
            raise InputError(Problem("is not an ordinary file", "copy its contents to an ordinary file", str(path)))
        with path.open("rb") as file:
            most = megabytes * MEGABYTE + 1
            data = _piped(file, most, check_time) if is_pipe else _parts(file, most)
        return data, max(len(data), path.stat().st_size if stat.S_ISREG(mode) else 0) / MEGABYTE
    except OSError as error:
        raise InputError(Problem(f"cannot be read ({error.strerror})", "check the path", str(path))) from None
    except ValueError:
        raise InputError(
            Problem("cannot be read (no file can be called that)", "check the path", repr(str(path)))
        ) from None


def _parts(file: BinaryIO, most: int) -> bytes:
    """Up to ``most`` bytes, for which no more memory is taken than there are."""
    data = bytearray()
    while part := file.read(min(MEGABYTE, most - len(data))):
        data += part
    return bytes(data)


def _piped(file: BinaryIO, most: int, check_time: Callable[[], None]) -> bytes:
    data = bytearray()
    while len(data) < most:
        check_time()
        if select.select([file], [], [], WAIT_SECONDS)[0]:
            part = os.read(file.fileno(), MEGABYTE)
            if not part:
                break
            data += part
    return bytes(data)
